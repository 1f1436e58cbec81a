/** The part of JSON Schema that routes and messages use. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
}

/** Examples by field name, where the schema alone would give a poor one. Rooms are those of a new data folder. */
const wellKnown: Readonly<Record<string, unknown>> = {
  title: "Friday night game",
  maxPlayers: 4,
  name: "Ann",
  game: "demo",
  queue: "demo",
  arena: "tic-tac-toe",
  match: "3",
  move: "b2",
  winner: "X",
  key: "join-1",
  userId: "cleo",
  players: ["ann", "bob"],
  scores: [3, 1],
  matches: [{ players: ["ann", "bob"], scores: [3, 1], at: "2024-05-31" }],
  nickname: "Ann",
  throw: "rock",
  text: "nick Ann",
  ladder: "demo",
  to: "telegram",
  token: "…",
  id: 1,
  after: 41,
};

/** The required fields, or else the first one. Undefined for an optional body. */
export function exampleOf(given: Schema): Record<string, unknown> | undefined {
  if (given.anyOf?.some(({ type }) => type === "null")) return undefined;
  const { properties = {}, required = [] } = given.anyOf?.find(({ properties }) => properties) ?? given;
  const isAboutEither =
    properties.game && (properties.arena || properties.position) && !required.includes("game");
  const wanted = isAboutEither ? [...required, "game"] : required;
  const names = wanted.length > 0 ? wanted : Object.keys(properties).slice(0, 1);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name] ?? {})]));
}

function valueFor(name: string, given: Schema): unknown {
  const schema = given.anyOf?.find(({ type }) => type !== "null") ?? given;
  if (given.examples) return given.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (wellKnown[name] !== undefined) return wellKnown[name];
  if (schema.format === "date-time") return "2030-01-01T20:00:00Z";
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  return name;
}
