import type { Schema } from "./api-document.ts";
import { withoutNull } from "./fields.ts";
import type { Operation } from "./operations.ts";

/** Stands for the address by which the reader came; the page is made once and this is filled in each time. */
export const originMark = "\u{e000}origin\u{e000}";

/** Where a name says more about a good example than its schema does. */
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
  player: "ann",
  opponent: "bob",
  import: "5f0c1e7a92b84d36a1f0e8c4b7d25963",
  players: ["ann", "bob"],
  scores: [3, 1],
  matches: [{ players: ["ann", "bob"], scores: [3, 1], at: "2024-05-31" }],
  search: "An",
  nickname: "Ann",
  throw: "rock",
  text: "nick Ann",
  ladder: "demo",
  number: "1",
  to: "telegram",
  confirmWindowSeconds: 86_400,
  undoWindowSeconds: 3_600,
  token: "$TOKEN",
  id: 1,
  after: 41,
};

/** A request that works as it stands, once `$TOKEN` holds a token. */
export function curlFor(operation: Operation): string {
  const { method, path, access, parameters, body, answers } = operation;
  const address = `${originMark}${pathFor(path)}`;
  const isStream = path.endsWith("/events");
  const asked = `${address}${queryFor(operation)}`;
  const target = asked === address ? address : `"${asked}"`; // a shell would take the & for its own
  const lines = [`curl ${isStream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}${target}`];
  if (access !== undefined && access !== "public") lines.push('-H "Authorization: Bearer $TOKEN"');
  if (parameters.some(({ name }) => name === "idempotency-key"))
    lines.push(
      `-H "Idempotency-Key: ${answers[0]?.status === "201" ? "make" : address.split("/").at(-1)}-1"`,
    );
  if (body.fields.length > 0) {
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d '${JSON.stringify(exampleOf(body.schema))}'`);
  }
  return lines.join(" \\\n  ");
}

const idsByNoun: Readonly<Record<string, unknown>> = {
  arenas: wellKnown.arena,
  duels: "1",
  conversations: "me",
};

/** About rooms that a server with a new data folder has. */
function pathFor(path: string): string {
  const id = idsByNoun[path.split("/")[3]] ?? wellKnown.game;
  return path
    .replaceAll("{id}", String(id))
    .replace(/\{(\w+)\}/g, (part, name) => String(wellKnown[name] ?? part));
}

/** What has to be asked for. */
function queryFor({ parameters }: Operation): string {
  const needed = parameters.filter(({ in: where, required }) => where === "query" && required);
  const query = needed.map(({ name, schema }) => `${name}=${valueFor(name, schema)}`);
  return query.length === 0 ? "" : `?${query.join("&")}`;
}

/** What has to be there; all of it when nothing has to. Of two kinds of things that it may be about, one. */
export function exampleOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const isAboutEither =
    properties.game && (properties.arena || properties.position) && !required.includes("game");
  const wanted = isAboutEither ? [...required, "game"] : required;
  const names = wanted.length > 0 ? wanted : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name] ?? {})]));
}

function valueFor(name: string, given: Schema): unknown {
  const schema = withoutNull(given, (same) => same);
  if (given.examples) return given.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (wellKnown[name] !== undefined) return wellKnown[name];
  if (schema.format === "date-time") return "2030-01-01T20:00:00Z";
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  return name;
}
