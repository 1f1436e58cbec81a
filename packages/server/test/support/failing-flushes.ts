// A disk whose flushes fail or hang, by a library between a program and the system. It must be compiled.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./folder.ts";
import { findProgram } from "./programs.ts";

const variable = "OPENSEAT_TEST_CC";
const compiler = findProgram({ variable, names: ["gcc", "cc"] });

/** Flushes hang or fail while the corresponding file exists. */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
static int flush(const char *name, int fd) {
  const char *hangs = getenv("FLUSH_HANGS_WHILE");
  while (hangs && access(hangs, F_OK) == 0) usleep(5000);
  const char *fails = getenv("FLUSH_FAILS_WHILE");
  if (fails && access(fails, F_OK) == 0) { errno = EIO; return -1; }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}
int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
`;

/** For the `skip` of a test: outside Linux, a compiler does not help. */
export const skipFailingFlushes =
  process.platform !== "linux" && "flushes are made to fail by Linux's loader";

/** Why flushes cannot fail here, or undefined if they can. */
export const missingCompiler = process.platform === "linux" ? whyMissing() : undefined;

function whyMissing(): string | undefined {
  if (compiler === undefined) return `no gcc found; install it or set ${variable}`;
  const folder = tempFolder();
  try {
    compile(join(folder.path, "shim.so"));
    return undefined;
  } catch {
    return "gcc cannot compile a library; install the headers of the C library (libc6-dev)";
  } finally {
    folder.remove();
  }
}

function compile(library: string): void {
  const args = ["-shared", "-fPIC", "-o", library, "-x", "c", "-", "-ldl"];
  execFileSync(compiler!, args, { input: shim, stdio: ["pipe", "ignore", "ignore"] });
}

/** The environment for a program to start with. Its files are in `folder`. */
export function failingFlushes(folder: string) {
  const [library, fails, hangs] = ["shim.so", "fails", "hangs"].map((name) => join(folder, name));
  compile(library);
  return {
    environment: { LD_PRELOAD: library, FLUSH_FAILS_WHILE: fails, FLUSH_HANGS_WHILE: hangs },
    fail: () => writeFileSync(fails, ""),
    hang: () => writeFileSync(hangs, ""),
    heal() {
      for (const flag of [fails, hangs]) rmSync(flag, { force: true });
    },
  };
}
