import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser } from "./find-browser.ts";

const name = "@sparticuz/chromium";
const unpacker = fileURLToPath(new URL("./unpack-chromium.ts", import.meta.url));
const cache = join(import.meta.dirname, "../../node_modules/.cache");
const lockMsMax = 600_000;

/** Whether the Chromium from npm runs here. The package supports only Linux on x64. */
export function hasNpmChromium(): boolean {
  return process.platform === "linux" && process.arch === "x64" && packageFolder() !== undefined;
}

/** The Chromium inside the npm package, unpacked on first use, with the libraries and fonts that come with it. */
export async function npmChromium(): Promise<Browser> {
  const folder = join(cache, `openseat-chromium-${versionOf(packageFolder()!)}`);
  if (!existsSync(folder)) await unpackTo(folder);
  return {
    executablePath: join(folder, "chromium"),
    env: {
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
      // Keeps fontconfig's cache out of the user's folder.
      XDG_CACHE_HOME: cache,
    },
  };
}

/** Test files run in parallel, so one of them unpacks for all. */
async function unpackTo(folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const lock = new DatabaseSync(`${folder}.lock`, { timeout: lockMsMax });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    if (existsSync(folder)) return;
    const unfinished = mkdtempSync(`${folder}-unfinished-`);
    try {
      await unpackInto(unfinished);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  } finally {
    lock.close();
  }
}

/** The package unpacks to the temporary folder, and its shared libraries only on AWS Lambda, so pretend to be there. */
async function unpackInto(folder: string): Promise<void> {
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" };
  await promisify(execFile)(process.execPath, [unpacker], { env });
  // Let other users of this folder run it too.
  for (const path of [folder, join(folder, "chromium")]) chmodSync(path, 0o755);
  // Replace the package's file, which names missing folders: without fonts, text has no size.
  writeFileSync(join(folder, "fonts.conf"), fonts);
}

const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

function packageFolder(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    return dirname(dirname(resolve(name)));
  } catch {
    return undefined;
  }
}

function versionOf(folder: string): string {
  return createRequire(import.meta.url)(join(folder, "package.json")).version;
}
