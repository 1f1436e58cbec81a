// A disk that can be filled. It must be mounted.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { tempFolder } from "./folder.ts";

/** A disk that can fail and recover. */
export interface Disk {
  readonly data: string;
  readonly environment?: Readonly<Record<string, string>>;
  fail(): void;
  heal(): void;
}

/** For the `skip` of a test. */
export const cannotMount =
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "a small disk cannot be mounted, which needs root on Linux"
    : false;

/** A separate disk of 4 MiB during `work`. */
export async function onSmallDisk(context: TestContext, work: (disk: Disk) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  const small = join(folder.path, "small");
  mkdirSync(small);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", small], { stdio: "ignore" });
  } catch {
    folder.remove();
    context.skip("a small disk cannot be mounted, which needs root on Linux");
    return;
  }
  const ballast = join(small, "ballast");
  try {
    await work({
      data: join(small, "data"),
      fail() {
        const { bavail, bsize } = statfsSync(small);
        try {
          writeFileSync(ballast, Buffer.alloc(bavail * bsize));
        } catch (error) {
          // The server may write its head file meanwhile, so the disk may be full before this write completes.
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      },
      heal: () => rmSync(ballast),
    });
  } finally {
    execFileSync("umount", ["-l", small], { stdio: "ignore" });
    folder.remove();
  }
}
