import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root } from "../src/root.ts";
import { wireTypes } from "../src/types/wire-types.ts";

const protocol = join(root, "packages/protocol/src/index.ts");
const [written, comparison] = ["written.d.ts", "comparison.ts"].map((name) => join(root, "packages", name));
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Errors of the compiler in files that exist only here. */
function errorsIn(files: Readonly<Record<string, string>>): string[] {
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => files[path] ?? readFile(path);
  host.fileExists = (path) => path in files || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path in files
      ? ts.createSourceFile(path, files[path], options.target!, true)
      : getSourceFile.call(host, path, ...rest);
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

async function writtenTypes(): Promise<string> {
  const program = ts.createProgram([protocol], options);
  const schemas = await import(pathToFileURL(protocol).href);
  return wireTypes(program.getTypeChecker(), program.getSourceFile(protocol)!, schemas);
}

test("the types of the wire in packages are those of the schemas, in both directions", async () => {
  const text = await writtenTypes();
  const found = /\bany\b|\bStatic\b|\btypeof\b|^import /m.exec(text.replace(/\/\*.*?\*\//gs, ""));
  assert.equal(found, null);
  const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  assert.ok(names.length > 50, `${names.length} types`);
  const same = names.map(
    (name) =>
      `export const ${name}: Same<Written.${name}, Source.${name}> = true;\nexport const ${name}Back: Same<Source.${name}, Written.${name}> = true;`,
  );
  const compared = [
    'import type * as Source from "./protocol/src/index.ts";',
    'import type * as Written from "./written.d.ts";',
    "type Same<One, Other> = [One] extends [Other] ? true : false;",
    ...same,
  ].join("\n");
  assert.deepEqual(errorsIn({ [written]: text, [comparison]: compared }), []);
});

test("descriptions of the schemas are comments of the types", async () => {
  const text = await writtenTypes();
  assert.match(text, /\/\*\* Number of seats\. It never changes\. \*\/\n {2}maxPlayers: number;/);
});
