import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

const importPattern = /^import [^;]*? from "(\.{1,2}\/[\w/-]+\.ts)";\n/gms;

/**
 * The modules of `browser/` as one plain script, imported modules first. All names share one scope; a test checks for
 * duplicates.
 */
export function browserScript(): string {
  const parts = new Map<string, string>();
  function gather(address: URL): void {
    if (parts.has(address.href)) return;
    parts.set(address.href, "");
    const source = readFileSync(address, "utf8");
    for (const [statement, imported] of source.matchAll(importPattern))
      if (!statement.startsWith("import type ")) gather(new URL(imported, address));
    parts.delete(address.href);
    parts.set(address.href, plain(source.replace(importPattern, "")));
  }
  gather(new URL("./browser/script.ts", import.meta.url));
  return `(()=>{"use strict";\n${[...parts.values()].join("")}})();\n`;
}

/** JavaScript without types, comments or indentation, because crowds download it when the server is busiest. */
function plain(source: string): string {
  return withoutTypes(source)
    .replace(/^export /gm, "")
    .replace(/^\s*\/\*\*.*?\*\/$/gms, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/ {2,}/g, " ")
    .replace(/^\s+/gm, "");
}

/** Suppresses Node's warning that this function is experimental: the tests would notice a change. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
