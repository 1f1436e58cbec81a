import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { entryName } from "../entries.ts";
import type { PackageDescription } from "../packages.ts";
import { root } from "../root.ts";
import { writeDeclarations } from "./declarations.ts";

/** Builds one file of types per entry point into `folder`, as `.d.ts`, and as `.d.cts` if there is CommonJS. */
export async function buildTypes(description: PackageDescription, folder: string): Promise<void> {
  const { entries, isCommonJsToo, name } = description;
  const declared = join(root, "build/declarations", name);
  const sources = Object.entries(entries).map(
    ([subpath, source]) => [entryName(subpath), join(description.folder, source)] as const,
  );
  await writeDeclarations(
    sources.map(([, source]) => join(root, source)),
    declared,
  );
  const input = Object.fromEntries(
    sources.map(([entry, source]) => [entry, join(declared, source.replace(/\.tsx?$/, ".d.ts"))]),
  );
  for (const extension of isCommonJsToo ? [".d.ts", ".d.cts"] : [".d.ts"])
    await build({
      cwd: declared,
      input,
      external: (id) => /^@?[a-z]/.test(id) && !isInside(id, description),
      plugins: [ownDeclarations(declared), dts({ dtsInput: true, tsconfig: false })],
      output: {
        dir: folder,
        format: "esm",
        entryFileNames: (chunk) => `${chunk.name.replace(/\.d$/, "")}${extension}`,
        chunkFileNames: `[name]-[hash]${extension}`,
      },
      onLog(level, log, handle) {
        if (level === "warn") throw new Error(log.message);
        handle(level, log);
      },
    });
}

function isInside(id: string, { inside }: PackageDescription): boolean {
  return inside.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Finds the declarations of what sources import by the names of their files or of this repository's packages. */
function ownDeclarations(declared: string): Plugin {
  return {
    name: "own-declarations",
    resolveId: {
      order: "pre",
      handler(id, importer) {
        if (importer === undefined) return null;
        const source = id.startsWith(".") ? join(dirname(importer), id) : sourceOf(id, declared);
        const path = source?.replace(/\.tsx?$/, ".d.ts");
        return path !== undefined && existsSync(path) ? path : null;
      },
    },
  };
}

/** `@openseat/protocol` is `packages/protocol/src/index.ts`, as its package.json says. */
function sourceOf(id: string, declared: string): string | undefined {
  const [, name, rest] = /^@openseat\/(\w+)(\/.*)?$/.exec(id) ?? [];
  if (name === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
  return join(declared, "packages", name, exports[`.${rest ?? ""}`]);
}
