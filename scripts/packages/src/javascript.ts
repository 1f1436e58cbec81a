import { join } from "node:path";
import { type BuildOptions, build, type OutputChunk, type OutputOptions } from "rolldown";
import { computedModules } from "./computed-modules.ts";
import { entryName } from "./entries.ts";
import { importsOf, isPackage, packageOf } from "./imports.ts";
import type { PackageDescription } from "./packages.ts";
import { root } from "./root.ts";
import { sourceFiles } from "./source-files.ts";

/** What a build contains, apart from its own sources. */
export interface Built {
  /** Packages that are imported at run time. */
  readonly imports: ReadonlySet<string>;
  /** Folders of the packages in `node_modules` whose code is inside. */
  readonly inside: ReadonlySet<string>;
}

/** Builds the JavaScript of a package into `folder`. */
export async function buildJavaScript(description: PackageDescription, folder: string): Promise<Built> {
  const input: Record<string, string> = {};
  for (const [subpath, source] of Object.entries(description.entries))
    input[entryName(subpath)] = join(root, description.folder, source);
  // The program behind `npx openseat`.
  if (description.isServer) input.main = join(root, description.folder, "src/main.ts");
  const output = { dir: folder, ...(description.isForBrowsers && small) };
  const chunks = await bundle(description, input, { ...output, ...modules });
  if (description.isCommonJsToo) await bundle(description, input, { ...output, ...commonJs });
  return contentsOf(chunks);
}

/** Lines and the names of functions stay: Node prints them with an error that nobody caught. */
const small: OutputOptions = {
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
};

const modules: OutputOptions = {
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  assetFileNames: "[name]-[hash][extname]",
};

const commonJs: OutputOptions = {
  format: "cjs",
  exports: "named",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
};

async function bundle(
  { folder, platform, inside }: PackageDescription,
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
): Promise<readonly OutputChunk[]> {
  const options: BuildOptions = {
    cwd: join(root, folder),
    input,
    platform: platform === "node" ? "node" : "neutral",
    // A package inside brings its own dependencies along, so only imports of our sources can be left outside.
    external: (id, importer) =>
      isPackage(id) &&
      (importer === undefined || !importer.includes("node_modules")) &&
      !isInside(id, inside),
    resolve: { alias: { "whatwg-url": join(import.meta.dirname, "stand-ins/whatwg-url.ts") } },
    plugins: [computedModules(), sourceFiles()],
    output: { ...output, sourcemap: true, comments: { legal: true, annotation: true, jsdoc: false } },
    onLog(level, log, handle) {
      // A package that lacks a part must not be published.
      if (level === "warn" && isFatal(log.code)) throw new Error(log.message);
      // rolldown keeps those of entry points, such as "use client". A test looks for it.
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
    },
  };
  const built = await build(options);
  return built.output.filter((each) => each.type === "chunk");
}

function isFatal(code: string | undefined): boolean {
  return code === "UNRESOLVED_IMPORT" || code === "IMPORT_IS_UNDEFINED" || code === "MISSING_EXPORT";
}

function isInside(id: string, inside: readonly string[]): boolean {
  return inside.includes(packageOf(id));
}

function contentsOf(chunks: readonly OutputChunk[]): Built {
  const paths = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = paths.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return {
    imports: new Set(importsOf(chunks)),
    inside: new Set(folders.filter((each) => each !== undefined)),
  };
}
