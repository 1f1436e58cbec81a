import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isDatabaseUrl } from "../log/postgres/connection/database-url.ts";
import { CopyRefused, type Source, type Target } from "./ends.ts";
import { PostgresSource } from "./postgres/postgres-source.ts";
import { PostgresTarget } from "./postgres/postgres-target.ts";
import { SqliteSource } from "./sqlite/sqlite-source.ts";
import { SqliteTarget } from "./sqlite/sqlite-target.ts";

export type Address =
  | { readonly kind: "sqlite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

export function addressFrom(text: string): Address | undefined {
  const [, folder] = /^sqlite:(.+)$/.exec(text) ?? [];
  if (folder !== undefined) return { kind: "sqlite", folder: resolve(folder) };
  return isDatabaseUrl(text) ? { kind: "postgres", url: text } : undefined;
}

/** Opens both ends for the copy. Rejects with `CopyRefused` if one cannot be used. */
export async function openEnds(
  from: Address,
  to: Address,
  signal: AbortSignal | undefined,
): Promise<{ source: Source; target: Target }> {
  assertNotSameFolder(from, to);
  const source = await (from.kind === "sqlite"
    ? SqliteSource.open(from.folder)
    : PostgresSource.open(from.url, signal));
  try {
    const target = await (to.kind === "sqlite"
      ? SqliteTarget.open(to.folder)
      : PostgresTarget.open(to.url, signal, source));
    return { source, target };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Compares inodes, because one folder may have several paths. */
function assertNotSameFolder(from: Address, to: Address): void {
  if (from.kind !== "sqlite" || to.kind !== "sqlite") return;
  const [a, b] = [from, to].map(({ folder }) => statSync(folder, { throwIfNoEntry: false }));
  if (a && b && a.dev === b.dev && a.ino === b.ino)
    throw new CopyRefused(`${from.folder} and ${to.folder} are the same folder.`);
}
