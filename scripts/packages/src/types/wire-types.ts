import ts from "typescript";
import { docComment } from "./doc-comment.ts";

/** The part of a schema that says what its fields mean. */
interface Schema {
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Schemas = Readonly<Record<string, unknown>>;

/**
 * The types of the wire as a module that imports nothing. In the sources they are computed from schemas, and people who install a
 * package would need the schema library, and its types would have to pass their compiler's checks.
 */
export function wireTypes(checker: ts.TypeChecker, source: ts.SourceFile, schemas: Schemas): string {
  const exported = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source)!)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.TypeAlias);
  const printer = new TypePrinter(checker, source);
  for (const symbol of exported) printer.name(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
  return exported
    .map((symbol) => {
      const schema = schemas[symbol.name] as Schema | undefined;
      const said = ts.displayPartsToString(symbol.getDocumentationComment(checker));
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      return docComment(said || schema?.description) + printer.declaration(symbol.name, type, schema);
    })
    .join("\n");
}

/** Prints types in full, but those with a name by it. */
class TypePrinter {
  readonly #checker: ts.TypeChecker;
  readonly #source: ts.SourceFile;
  readonly #names = new Map<ts.Type, string>();

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker;
    this.#source = source;
  }

  name(type: ts.Type, name: string): void {
    if (isObject(type) || type.isUnion()) this.#names.set(type, name);
  }

  declaration(name: string, type: ts.Type, schema: Schema | undefined): string {
    const text = this.#inFull(type, schema);
    return text.startsWith("{") && !type.isUnion()
      ? `export interface ${name} ${text}\n`
      : `export type ${name} = ${text};\n`;
  }

  #print(type: ts.Type, schema: Schema | undefined): string {
    return this.#names.get(type) ?? this.#inFull(type, schema);
  }

  #inFull(type: ts.Type, schema: Schema | undefined): string {
    if (type.isUnion()) return this.#union(type.types, schema);
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
      const text = this.#print(item, schema?.items);
      return item.isUnion() && !this.#names.has(item) ? `(${text})[]` : `${text}[]`;
    }
    if (isObject(type)) return this.#object(type, schema);
    const plain = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;
    const empty = ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Unknown;
    const text = this.#checker.typeToString(type);
    // Also stops at `any`: a type that cannot be computed would otherwise be published as one that allows everything.
    if (!(type.flags & (plain | empty))) throw new Error(`The type ${text} cannot be printed.`);
    return text;
  }

  #union(types: readonly ts.Type[], schema: Schema | undefined): string {
    const texts = types.map((type) => this.#print(type, this.#memberOf(type, schema)));
    // The checker splits `boolean` into two literals.
    const both = texts.includes("true") && texts.includes("false");
    const joined = both ? [...texts.filter((text) => text !== "true" && text !== "false"), "boolean"] : texts;
    const isLast = (text: string) => text === "null" || text === "undefined";
    return [...joined.filter((text) => !isLast(text)), ...joined.filter(isLast)].join(" | ");
  }

  /** The schema of one of several objects: the one with the same literal in the same field. */
  #memberOf(type: ts.Type, schema: Schema | undefined): Schema | undefined {
    const members = schema?.anyOf ?? [];
    if (!isObject(type)) return undefined;
    if (members.filter(({ properties }) => properties).length === 1)
      return members.find(({ properties }) => properties);
    return members.find(({ properties = {} }) =>
      Object.entries(properties).some(([field, { const: value }]) => {
        const property = value !== undefined && type.getProperty(field);
        if (!property) return false;
        const its = this.#checker.getTypeOfSymbolAtLocation(property, this.#source);
        return its.isStringLiteral() && its.value === value;
      }),
    );
  }

  #object(type: ts.Type, schema: Schema | undefined): string {
    const lines = this.#checker.getIndexInfosOfType(type).map(({ keyType, type: value }) => {
      return `[key: ${this.#checker.typeToString(keyType)}]: ${this.#print(value, undefined)};`;
    });
    const order = Object.keys(schema?.properties ?? {});
    // The checker's own order differs from run to run of the compiler.
    const properties = this.#checker
      .getPropertiesOfType(type)
      .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    for (const property of properties) {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const its = this.#checker.getTypeOfSymbolAtLocation(property, this.#source);
      const about = schema?.properties?.[property.name];
      const value = isOptional ? this.#withoutUndefined(its, about) : this.#print(its, about);
      const key = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
      lines.push(`${docComment(about?.description)}${key}${isOptional ? "?" : ""}: ${value};`);
    }
    return lines.length === 0 ? "{}" : `{\n${indented(lines.join("\n"))}\n}`;
  }

  /** The checker adds `undefined` to the types of optional fields. */
  #withoutUndefined(type: ts.Type, schema: Schema | undefined): string {
    if (!type.isUnion() || this.#names.has(type)) return this.#print(type, schema);
    const rest = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const whole = [...this.#names].find(
      ([{ flags }, name]) => flags & ts.TypeFlags.Union && name === type.aliasSymbol?.name,
    );
    if (whole) return whole[1];
    return rest.length === 1 ? this.#print(rest[0], schema) : this.#union(rest, schema);
  }
}

function isObject(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
