import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import {
  arenaDecider,
  conversationDecider,
  type Decider,
  directoryDecider,
  gameDecider,
  ladderDecider,
  queueDecider,
} from "@openseat/kernel";
import { pino } from "pino";
import { type StartOptions, startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { encodeSnapshot } from "../../src/host/stream/snapshot-format.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import type { Log, StreamName } from "../../src/log/log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { TwilioStandIn } from "../chat/twilio-stand-in.ts";
import { tempFolder } from "../support/folder.ts";
import { type Call, Client, type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { connectTo, freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import { issuerFlags } from "../support/tokens.ts";

const written = join(import.meta.dirname, "written-by-0.1.0");
const files = ["openseat.db", "head.json", "secrets.json", "signing-keys.json"];

interface Written {
  /** When the older version stopped. */
  readonly at: number;
  readonly asked: readonly { readonly path: string; readonly call: Call; readonly told: Json }[];
  readonly streams: Readonly<Record<StreamName, Json>>;
}

const deciders: Readonly<Record<string, Decider<unknown, never, never>>> = {
  game: gameDecider as never,
  queue: queueDecider as never,
  arena: arenaDecider as never,
  ladder: ladderDecider as never,
  directory: directoryDecider as never,
  conversation: conversationDecider as never,
};

function told(name: "folder" | "database"): Written {
  return JSON.parse(readFileSync(join(written, `${name}.json`), "utf8"));
}

/** A copy of the folder, because a server writes to it. */
function oldFolder(): ReturnType<typeof tempFolder> {
  const folder = tempFolder();
  for (const file of files) cpSync(join(written, file), join(folder.path, file));
  return folder;
}

/** The version, hash and state of every stream, replayed by the kernel. */
async function streamsIn(log: Log, names: readonly string[]): Promise<Json> {
  const streams: Json = {};
  for (const name of names as readonly StreamName[]) {
    const { evolve, snapshots } = deciders[name.split("/")[0]];
    let state: unknown;
    for (const { lines } of await log.read(name, 0, 1_000_000))
      for (const { events, at, version } of lines.map((line) => decodeEntry<never>(line)) as Entry<never>[])
        for (const event of events) state = evolve(state, event, at, version);
    const digest = createHash("sha256");
    for (const part of encodeSnapshot(snapshots.save(state))) digest.update(part);
    const { version, hash } = (await log.head(name))!;
    streams[name] = { version, hash, state: digest.digest("hex") };
  }
  return streams;
}

describe("a data folder that an older version wrote", () => {
  const { at, asked, streams } = told("folder");
  const folder = oldFolder();
  after(() => folder.remove());

  test("[LG1] [LG4] every stream has the same version, hash and state", async () => {
    const log = await SqliteLog.open(folder.path);
    const found = await streamsIn(log, Object.keys(streams)).finally(() => log.close());
    assert.deepEqual(found, streams);
  });

  test("[ID1] a server on it gives the answers that the older version gave", async () => {
    // Use the clock of that time: places in lines and keys would have expired today.
    const clock = skewedClock();
    clock.skip(at - Date.now());
    const twilio = await TwilioStandIn.start();
    const { accountSid, authToken, number, url } = twilio;
    const sms = ["--twilio-account-sid", accountSid, "--twilio-auth-token", authToken, "--sms-from", number];
    const flags = ["--public-url", "https://play.example.com", "--twilio-api", url, ...sms];
    try {
      await serving(["--data", folder.path, ...flags], { clock }, async (client) => {
        for (const { path, call, told } of asked) {
          const { status, headers, body, text } = await client.call(path, call);
          const replayed = headers["idempotent-replayed"];
          const answer = { status, ...(replayed !== undefined && { replayed }), body: body ?? text };
          assert.deepEqual(withoutMessage(answer), withoutMessage(told), path);
        }
        await until("the message that was on its way", () => twilio.sent.length > 0);
      });
    } finally {
      await twilio.stop();
    }
  });
});

/** Runs a server during `work`. */
async function serving(
  flags: readonly string[],
  options: StartOptions,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const config = loadConfig(["--port", "0", "--no-demo", ...issuerFlags, ...flags], {});
  const server = await startOpenseat(config, pino({ level: "silent" }), options);
  const client = new Client(server.url);
  try {
    await work(client);
  } finally {
    client.close();
    await server.stop();
  }
}

/** Texts for people may change between versions. */
function withoutMessage({ body, ...answer }: Json): Json {
  if (typeof body !== "object") return { ...answer, body };
  const { message, ...rest } = body;
  return { ...answer, body: rest };
}

const onPostgres = testsNeeding(missingPostgres);

onPostgres.describe("a PostgreSQL database that an older version wrote", () => {
  const { streams } = told("database");
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  onPostgres.before(async () => {
    database = await freshDatabase();
    const client = await connectTo(database.url);
    await client.query(readFileSync(join(written, "database.sql"), "utf8"));
    await client.end();
  });
  onPostgres.after(() => database?.drop());

  onPostgres.test("[LG1] [LG4] every stream has the same version, hash and state", async () => {
    const log = await PostgresLog.open(database.url, { node: "a test" });
    const found = await streamsIn(log, Object.keys(streams)).finally(() => log.close());
    assert.deepEqual(found, streams);
  });

  onPostgres.test("[LD3] a server on it shows the ladder as the older version did", async () => {
    const timeless = told("folder").asked.filter(({ path }) => /^\/api\/v1\/ladders\//.test(path));
    assert.ok(timeless.length >= 6);
    await serving(["--database-url", database.url], {}, async (client) => {
      for (const { path, call, told } of timeless) {
        const { status, body, text } = await client.call(path, call);
        assert.deepEqual(withoutMessage({ status, body: body ?? text }), withoutMessage(told), path);
      }
    });
  });
});
