import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runCopy } from "../../src/copy/run-copy.ts";
import type { Json } from "../support/http.ts";
import { connectTo } from "../support/postgres.ts";

/** All contents of a store, table by table, queried directly and not through the copy's code. */
export type Content = Readonly<Record<string, readonly Json[]>>;

/** A column that only identifies the row. */
const places = ["id"];

export function contentOfFolder(folder: string): Content {
  const db = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  const content: Record<string, Json[]> = {};
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
    const columns = db.prepare("SELECT name FROM pragma_table_xinfo(?)").all(name!);
    const asked = columns.map((column) => String(column.name)).filter((column) => !places.includes(column));
    // Sorted by all columns: keys come first in every table.
    const order = asked.map((_, index) => index + 1).join(", ");
    const rows = db.prepare(`SELECT ${asked.join(", ")} FROM ${name} ORDER BY ${order}`).all();
    content[String(name)] = rows.map((row) => ({ ...row }));
  }
  db.close();
  for (const name of ["secrets", "signing-keys"]) {
    const path = join(folder, `${name}.json`);
    if (existsSync(path)) content[name] = [JSON.parse(readFileSync(path, "utf8"))];
  }
  return content;
}

/** Runs one query on a database. */
export async function queried(url: string, text: string, values: readonly unknown[] = []): Promise<Json[]> {
  const client = await connectTo(url, { options: "-c search_path=openseat" });
  try {
    return (await client.query(text, values as unknown[])).rows;
  } finally {
    await client.end();
  }
}

/** The outcome of `openseat copy` with these arguments. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function copied(from: string, to: string, signal?: AbortSignal): Promise<Ran> {
  return ran(["--from", from, "--to", to], signal);
}

export async function ran(args: readonly string[], signal?: AbortSignal): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const code = await runCopy(args, { stdout: output("stdout"), stderr: output("stderr"), signal });
  return { code, ...said };
}
