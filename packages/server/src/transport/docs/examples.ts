import type { Schema } from "./api-document.ts";
import type { Operation } from "./operations.ts";

/** Stands for the address by which the reader came; the page is made once and this is filled in each time. */
export const originMark = "\u{e000}origin\u{e000}";

/** Where a name says more about a good example than its schema does. */
const wellKnown: Readonly<Record<string, unknown>> = {
  title: "Friday night game",
  maxPlayers: 4,
  name: "Ann",
  game: "demo",
  key: "join-1",
  token: "$TOKEN",
  id: 1,
  after: 41,
};

/** A request that works as it stands, once `$TOKEN` holds a token. */
export function curlFor({ method, path, access, parameters, body, answers }: Operation): string {
  const address = `${originMark}${path.replaceAll("{id}", "demo")}`;
  const isStream = path.endsWith("/events");
  const lines = [`curl ${isStream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}${address}`];
  if (access !== undefined && access !== "public") lines.push('-H "Authorization: Bearer $TOKEN"');
  if (parameters.some(({ name }) => name === "idempotency-key"))
    lines.push(`-H "Idempotency-Key: ${answers[0]?.status === "201" ? "make" : path.split("/").at(-1)}-1"`);
  if (body.fields.length > 0) {
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d '${JSON.stringify(exampleOf(body.schema))}'`);
  }
  return lines.join(" \\\n  ");
}

/** What has to be there; all of it when nothing has to. */
export function exampleOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name] ?? {})]));
}

function valueFor(name: string, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (wellKnown[name] !== undefined) return wellKnown[name];
  if (schema.format === "date-time") return "2030-01-01T20:00:00Z";
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  return name;
}
