import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root } from "../root.ts";
import { sourcesOf } from "../workspaces.ts";
import { withoutConstructors } from "./constructors.ts";
import { wireTypes } from "./wire-types.ts";

const protocol = join(root, "packages/protocol/src/index.ts");

/** The declarations of the sources and of what they import from this repository. Those of the protocol are written out. */
export class Declarations {
  readonly #program: ts.Program;
  readonly #schemas: Readonly<Record<string, unknown>>;
  readonly #transformers: ts.CustomTransformers;

  /** `inside` are the packages of this repository that are not left outside. */
  static async of(sources: readonly string[], inside: readonly string[]): Promise<Declarations> {
    const program = ts.createProgram([...sources, protocol], { ...options(), paths: pathsOf(inside) });
    const entries = sources.map((source) => program.getSourceFile(source)!);
    return new Declarations(program, entries, await import(pathToFileURL(protocol).href));
  }

  private constructor(
    program: ts.Program,
    entries: readonly ts.SourceFile[],
    schemas: Readonly<Record<string, unknown>>,
  ) {
    this.#program = program;
    this.#schemas = schemas;
    this.#transformers = { afterDeclarations: [withoutConstructors(program.getTypeChecker(), entries)] };
  }

  has(source: string): boolean {
    return this.#program.getSourceFile(source) !== undefined;
  }

  /** The declarations of one source. Only what is asked for is computed, which saves most of the server. */
  textOf(source: string): string {
    const file = this.#program.getSourceFile(source)!;
    if (source === protocol) return wireTypes(this.#program.getTypeChecker(), file, this.#schemas);
    const errors = this.#program.getDeclarationDiagnostics(file);
    if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, formatHost));
    let text: string | undefined;
    const keep = (_: string, written: string) => {
      text = written;
    };
    this.#program.emit(file, keep, undefined, true, this.#transformers);
    if (text === undefined) throw new Error(`${source} has no declarations.`);
    return text;
  }
}

/** Sources found through `node_modules` would get no declarations. */
function pathsOf(inside: readonly string[]): ts.MapLike<string[]> {
  const ours = inside.filter((name) => name.startsWith("@openseat/"));
  const each = ours.flatMap((name) => Object.entries(sourcesOf(name)));
  return Object.fromEntries(each.map(([id, source]) => [id, [join(root, source)]]));
}

function options(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const base = ts.parseJsonConfigFileContent({ ...config, files: [protocol] }, ts.sys, root).options;
  return {
    ...base,
    composite: false,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    jsx: ts.JsxEmit.ReactJSX,
    rootDir: root,
    outDir: join(root, "build"),
  };
}

const formatHost: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};
