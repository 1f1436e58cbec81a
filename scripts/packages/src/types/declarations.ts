import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root } from "../root.ts";
import { wireTypes } from "./wire-types.ts";

const protocol = join(root, "packages/protocol/src/index.ts");

/**
 * Writes the declarations of the sources and everything that they import from this repository below `folder`, at their paths in
 * the repository. Those of the protocol are written out.
 */
export async function writeDeclarations(sources: readonly string[], folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const program = ts.createProgram([...sources, protocol], optionsFor(folder));
  const errors = ts.getPreEmitDiagnostics(program);
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, formatHost));
  const { emitSkipped } = program.emit(undefined, undefined, undefined, true);
  if (emitSkipped) throw new Error("The declarations could not be written.");
  const schemas = await import(pathToFileURL(protocol).href);
  const text = wireTypes(program.getTypeChecker(), program.getSourceFile(protocol)!, schemas);
  const path = join(folder, "packages/protocol/src/index.d.ts");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function optionsFor(outDir: string): ts.CompilerOptions {
  const path = join(root, "tsconfig.base.json");
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [protocol] }, ts.sys, root);
  return {
    ...options,
    composite: false,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    jsx: ts.JsxEmit.ReactJSX,
    rootDir: root,
    outDir,
  };
}

const formatHost: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};
