import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../../src/log/log.ts";
import { PostgresLog } from "../../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../../src/log/sqlite/sqlite-log.ts";
import { contentOfFolder, copied, queried } from "../../copy/stores.ts";
import { Town } from "../../copy/town.ts";
import { tempFolder } from "../../support/folder.ts";
import { type Client, type Json, range } from "../../support/http.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { tokenOf } from "../../support/tokens.ts";
import { streamsIn } from "../streams.ts";
import { dataFiles } from "../written.ts";
import { dumpOf } from "./dump.ts";

/** Writes a data folder and a database with rooms of every kind into a new folder, and what this version makes of them. */
export async function record(folder: string, version: string): Promise<void> {
  const [home, database] = [tempFolder(), await freshDatabase()];
  // A recording that is not complete must not look like one.
  const unfinished = `${folder}.unfinished`;
  const write = (name: string, text: string) => writeFileSync(join(unfinished, name), text);
  const writeJson = (name: string, content: Json) => write(name, `${JSON.stringify(content, null, 2)}\n`);
  mkdirSync(unfinished);
  const town = await Town.found(home.path);
  try {
    const at = Date.now();
    // What is in a write-ahead log would be missing.
    assert.ok(!readdirSync(home.path).includes("openseat.db-wal"));
    for (const file of dataFiles) cpSync(join(home.path, file), join(unfinished, file));
    const names = contentOfFolder(home.path)
      .streams.map(({ name }) => name)
      .sort();
    const streams = await readWith(await SqliteLog.open(home.path), names);
    writeJson("folder.json", { at, asked: town.asked, streams });

    const { code, stderr } = await copied(`sqlite:${home.path}`, database.url);
    assert.equal(code, 0, stderr);
    await town.serve(["--database-url", database.url], liveOn);
    const named = (await queried(database.url, "SELECT name FROM streams")).map(({ name }) => name).sort();
    const log = await PostgresLog.open(database.url, { node: "the recorder" });
    writeJson("database.json", { streams: await readWith(log, named) });
    write("database.sql", await dumpOf(database.url));
    write("README.md", readme(version));
    renameSync(unfinished, folder);
  } finally {
    await town.close();
    await database.drop();
    home.remove();
  }
}

function readWith(log: Log, names: readonly string[]): Promise<Json> {
  return streamsIn(log, names).finally(() => log.close());
}

/** A few entries that a server wrote, and not the copy. */
async function liveOn(client: Client): Promise<void> {
  const game = await client.newGame({ title: "On PostgreSQL", maxPlayers: 2, waitlist: true });
  for (const person of range(3)) {
    const { status } = await client.post(`/api/v1/games/${game}/join`, { token: tokenOf(`p${person}`) });
    assert.equal(status, 200);
  }
}

function readme(version: string): string {
  return `# Data written by Openseat ${version}

A data folder (\`${dataFiles.join("`, `")}\`) and a PostgreSQL database (\`database.sql\`), with
rooms of every kind, messages, a dead letter and a message still on its way. \`folder.json\` and \`database.json\` say what that version
made of them: the answers it gave, and the version, hash and SHA-256 of the state of every stream. The secrets are used nowhere else.

Never write these files anew: they show that later versions open what earlier versions wrote.
`;
}
