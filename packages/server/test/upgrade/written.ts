import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamName } from "../../src/log/log.ts";
import { type TempFolder, tempFolder } from "../support/folder.ts";
import type { Answer, Call, Json } from "../support/http.ts";
import { connectTo, type FreshDatabase, freshDatabase } from "../support/postgres.ts";

/** A request, and the answer of the version that wrote the data. */
export interface Asked {
  readonly path: string;
  readonly call: Call;
  readonly told: Told;
}

export interface Told {
  readonly status: number;
  readonly replayed?: string;
  readonly body: Json;
}

type Streams = Readonly<Record<StreamName, Json>>;

/** The files of a data folder. */
export const dataFiles = ["openseat.db", "head.json", "secrets.json", "signing-keys.json"];

/** What a release wrote, and what it made of that. `record/` writes it. */
export class Written {
  readonly version: string;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.version = path.split("written-by-")[1];
  }

  /** `at` is when the release stopped. */
  get folder(): { readonly at: number; readonly asked: readonly Asked[]; readonly streams: Streams } {
    return this.#json("folder");
  }

  get database(): { readonly streams: Streams } {
    return this.#json("database");
  }

  /** What was asked of ladders and arenas. These answers do not depend on the time. */
  get timeless(): readonly Asked[] {
    return this.folder.asked.filter(({ path }) => /^\/api\/v1\/(?:ladders|arenas)\//.test(path));
  }

  /** A copy of the data folder, because a server writes to it. */
  copyFolder(parent?: string): TempFolder {
    const folder = tempFolder(parent);
    for (const file of dataFiles) cpSync(join(this.#path, file), join(folder.path, file));
    return folder;
  }

  /** The database. */
  get sql(): string {
    return readFileSync(join(this.#path, "database.sql"), "utf8");
  }

  async restoreDatabase(): Promise<FreshDatabase> {
    const database = await freshDatabase();
    const client = await connectTo(database.url);
    await client.query(this.sql);
    await client.end();
    return database;
  }

  #json(name: string): Json {
    return JSON.parse(readFileSync(join(this.#path, `${name}.json`), "utf8"));
  }
}

/** The data of each release that recorded some. */
export const releases: readonly Written[] = globSync("written-by-*", { cwd: import.meta.dirname })
  .sort()
  .map((name) => new Written(join(import.meta.dirname, name)));

export function toldBy({ status, headers, body, text }: Answer): Told {
  const replayed = headers["idempotent-replayed"] as string | undefined;
  return { status, ...(replayed !== undefined && { replayed }), body: body ?? text };
}

/** Texts for people may change between versions. */
export function withoutMessage({ body, ...answer }: Told): Told {
  if (typeof body !== "object") return { ...answer, body };
  const { message, ...rest } = body;
  return { ...answer, body: rest };
}
