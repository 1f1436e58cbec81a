import { dirname, join } from "node:path";
import { build, type Plugin } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { entryName } from "../entries.ts";
import { importsOf } from "../imports.ts";
import type { PackageDescription } from "../packages.ts";
import { root } from "../root.ts";
import { sourcesOf } from "../workspaces.ts";
import { Declarations } from "./declarations.ts";

/**
 * Builds one file of types per entry point into `folder`, as `.d.ts`, and as `.d.cts` if there is CommonJS. Returns what they
 * import.
 */
export async function buildTypes(
  description: PackageDescription,
  folder: string,
): Promise<ReadonlySet<string>> {
  const sources = Object.entries(description.entries).map(
    ([subpath, source]) => [entryName(subpath), join(root, description.folder, source)] as const,
  );
  const declarations = await Declarations.of(
    sources.map(([, source]) => source),
    description.inside,
  );
  const input = Object.fromEntries(sources.map(([entry, source]) => [entry, declarationOf(source)]));
  const imported: string[] = [];
  for (const extension of description.isCommonJsToo ? [".d.ts", ".d.cts"] : [".d.ts"]) {
    const { output } = await build({
      input,
      external: (id) => /^@?[a-z]/.test(id) && !isInside(id, description),
      // Computing declarations takes its time.
      checks: { pluginTimings: false },
      plugins: [fromSources(declarations), dts({ dtsInput: true, tsconfig: false })],
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
    imported.push(...importsOf(output));
  }
  return new Set(imported);
}

function isInside(id: string, { inside }: PackageDescription): boolean {
  return inside.some((name) => id === name || id.startsWith(`${name}/`));
}

/** A file that exists only during the build. */
function declarationOf(source: string): string {
  return source.replace(/\.tsx?$/, ".d.ts");
}

/** Answers with the declarations of the sources where a module imports their declarations. */
function fromSources(declarations: Declarations): Plugin {
  const sources = new Map<string, string>();
  const found = (source: string) => {
    if (!declarations.has(source)) return null;
    const id = declarationOf(source);
    sources.set(id, source);
    return id;
  };
  return {
    name: "from-sources",
    resolveId: {
      order: "pre",
      handler(id, importer) {
        if (importer === undefined)
          return found(id.replace(/\.d\.ts$/, ".ts")) ?? found(id.replace(/\.d\.ts$/, ".tsx"));
        if (id.startsWith(".")) return found(join(dirname(importer), id));
        const [name] = /^@openseat\/\w+/.exec(id) ?? [];
        const source = name && sourcesOf(name)[id];
        return source ? found(join(root, source)) : null;
      },
    },
    load: (id) => {
      const source = sources.get(id);
      return source === undefined ? null : declarations.textOf(source);
    },
  };
}
