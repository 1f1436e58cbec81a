import type { OutputAsset, OutputChunk } from "rolldown";

/** The packages that a build imports. */
export function importsOf(output: readonly (OutputAsset | OutputChunk)[]): readonly string[] {
  const chunks = output.filter((each) => each.type === "chunk");
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  return imported.filter((id) => !own.has(id) && isPackage(id)).map(packageOf);
}

/** Not a file, and not a part of Node. */
export function isPackage(id: string): boolean {
  return /^@?[a-z]/.test(id) && !id.startsWith("node:");
}

/** `@openseat/protocol/friendly-names` belongs to `@openseat/protocol`. */
export function packageOf(id: string): string {
  return id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
}
