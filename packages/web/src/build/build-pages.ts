import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildsFolder, isBuilt, latestFile, latestIn } from "../built/pages-folder.ts";
import { fingerprintOfSources } from "./sources.ts";

const unfinishedPrefix = "unfinished-";
/** An unfinished folder that is older than this was left by an interrupted build. */
const buildMsMax = 600_000;

interface Building {
  /** Called before a build starts, and not if the pages are up to date. */
  readonly onBuild?: () => void;
  readonly builds?: string;
}

/** Builds the pages if they are out of date, and returns their folder. */
export async function buildPages({ onBuild, builds = buildsFolder }: Building = {}): Promise<string> {
  const fingerprint = fingerprintOfSources();
  const folder = join(builds, fingerprint);
  if (isBuilt(folder)) {
    noteLatest(builds, fingerprint);
    return folder;
  }
  onBuild?.();
  const unfinished = unfinishedIn(builds);
  mkdirSync(unfinished, { recursive: true });
  try {
    await bundle(unfinished);
    await addApiReference(unfinished);
    for (const part of [unfinished, join(unfinished, "assets")]) compress(part);
    publish(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  noteLatest(builds, fingerprint);
  removeOthers(builds, fingerprint);
  return folder;
}

function unfinishedIn(builds: string): string {
  return join(builds, `${unfinishedPrefix}${randomBytes(6).toString("hex")}`);
}

async function bundle(folder: string): Promise<void> {
  // Imported here, because a server with built pages does not need Vite.
  const { build } = await import("vite");
  await build({
    configFile: fileURLToPath(new URL("../../vite.config.ts", import.meta.url)),
    build: { outDir: folder, emptyOutDir: false },
  });
}

async function addApiReference(folder: string): Promise<void> {
  const { apiReferenceScript } = await import("./api-reference.ts");
  const script = await apiReferenceScript();
  const hash = createHash("sha256").update(script).digest("base64url").slice(0, 8);
  writeFileSync(join(folder, `api-reference-${hash}.js`), script);
}

/** Compresses at build time: the script of /docs alone takes a third of a second, and has 4 MB without compression. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (extname(name) !== ".js" && extname(name) !== ".css") continue;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    rmSync(path);
  }
}

/** Renames the folder, so that no server sees half a build. */
function publish(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process finished the same build first.
    if (!isBuilt(folder)) throw error;
  }
}

/** Says which build is the latest, so that a server needs no sources to find it. Renamed, so that no server reads half a name. */
function noteLatest(builds: string, fingerprint: string): void {
  if (latestIn(builds) === fingerprint) return;
  const unfinished = unfinishedIn(builds);
  writeFileSync(unfinished, `${fingerprint}\n`);
  renameSync(unfinished, join(builds, latestFile));
}

/** Removes the builds of older sources. Running servers hold theirs in memory. */
function removeOthers(builds: string, fingerprint: string): void {
  for (const name of readdirSync(builds)) {
    if (name === latestFile) continue;
    const path = join(builds, name);
    const isOld = name.startsWith(unfinishedPrefix) ? ageOf(path) > buildMsMax : name !== fingerprint;
    if (isOld) rmSync(path, { recursive: true, force: true });
  }
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
