import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationEvent, DirectoryEvent, LadderEvent } from "@openseat/kernel";
import { entriesAfter } from "../../src/host/stream/entries.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { StreamName } from "../../src/log/log.ts";
import { ChildServer } from "../support/child-server.ts";
import { type Client, eachOf, type Json, range, until } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { openLogOf, storedIn } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { type Cast, Deliveries, sayOne } from "./chat-deliveries.ts";
import { assertOnce, type Written } from "./chat-once.ts";
import { type Message, names, scriptOf } from "./chat-script.ts";
import { randomOf } from "./telegram-faults.ts";

/** CRASH_KILLS says how often the server is killed, CRASH_SEED makes another conversation. */
const kills = Number(process.env.CRASH_KILLS ?? 12);
const seed = Number(process.env.CRASH_SEED ?? 8812);
const people = 12;
const messages = 500;
const serviceKey = "service_key_of_the_crash_test_of_chats";

/** Half of them are guests of the server; a service speaks for the others. */
async function castOf(client: Client): Promise<Cast> {
  const guests = await eachOf(range(people / 2), 2, async () => {
    const { body } = await client.post("/api/v1/guests");
    return [body.data.person.id, body.data.token] as const;
  });
  const others = range(people / 2).map((index) => [`p${index}`, tokenOf(`p${index}`)] as const);
  const [ids, tokens] = [
    [...guests, ...others].map(([id]) => id),
    [...guests, ...others].map(([, token]) => token),
  ];
  return { ids, tokens, serviceKey, isGuest: (who) => who < guests.length };
}

/**
 * Kills the server during work, with the kills spread over all deliveries. Every other kill comes when a duel that counts has
 * ended, so that its result is on its way to the ladder.
 */
async function untilKilled(
  server: ChildServer,
  deliveries: Deliveries,
  share: number,
  chance: () => number,
): Promise<void> {
  const [from, delayMs, isPicky] = [share * (0.4 + 0.6 * chance()), chance() * 4, chance() < 0.5];
  let sent = 0;
  const kill = () => void setTimeout(() => server.process.kill("SIGKILL"), delayMs);
  await deliveries.run(server.url, {
    sending(count) {
      sent += count;
      if (sent >= (isPicky ? 2 * share : from)) kill();
    },
    answered(replies) {
      if (sent >= from && replies.some((reply) => reply.includes("counts on the ladder"))) kill();
    },
  });
  await server.kill();
}

interface Outcome {
  readonly cast: Cast;
  readonly deliveries: Deliveries;
  readonly shown: Shown;
}

/**
 * Delivers everything while the server is killed repeatedly, and then each message once more. The server is stopped afterwards.
 */
async function deliverAll(folder: string, script: readonly Message[]): Promise<Outcome> {
  const chance = randomOf(seed + 1);
  const flags = ["--data", folder, "--service-key", serviceKey, ...issuerFlags];
  let server = await ChildServer.start(flags);
  try {
    const first = server.client();
    const cast = await castOf(first);
    first.close();
    const deliveries = new Deliveries(script, cast, chance);
    for (const round of range(kills)) {
      await untilKilled(server, deliveries, deliveries.left / (kills - round + 1), chance);
      server = await ChildServer.start(flags);
    }
    await deliveries.run(server.url);
    const client = server.client(8);
    await eachOf(script, 8, async (message) =>
      deliveries.check(message, await sayOne(client, cast, message)),
    );
    const outbox = () => storedIn(folder, "SELECT number FROM outbox");
    await until("an empty outbox", async () => (await outbox()).length === 0);
    const shown = await look(client, cast);
    client.close();
    await server.signal("SIGTERM");
    return { cast, deliveries, shown };
  } finally {
    await server.kill();
  }
}

/** What the server shows in the end. */
interface Shown {
  /** The owner of a name, by spelling. */
  readonly owners: ReadonlyMap<string, string | undefined>;
  /** By the id of a duel: its end, as each player sees it. */
  readonly duels: ReadonlyMap<string, readonly Json[]>;
}

async function look(client: Client, { tokens }: Cast): Promise<Shown> {
  const spellings = names.flat();
  const called = await eachOf(spellings, 8, async (name) => {
    const { body } = await client.get(`/api/v1/people/called/${encodeURIComponent(name)}`);
    return [name, body.data?.person.userId] as const;
  });
  const duels = await eachOf(tokens, 8, async (token) => {
    const { body } = await client.get("/api/v1/duels", { token });
    return body.data.finished;
  });
  return { owners: new Map(called), duels: Map.groupBy(duels.flat(), ({ id }) => id) };
}

async function written(folder: string, { ids }: Cast): Promise<Written> {
  const log = await openLogOf(folder);
  const all = async <Event>(stream: StreamName) => {
    const entries: Entry<Event>[] = [];
    for await (const entry of entriesAfter<Event>(log, stream, 0)) entries.push(entry);
    return entries;
  };
  try {
    const conversations = new Map<string, Entry<ConversationEvent>[]>();
    for (const id of ids) conversations.set(id, await all<ConversationEvent>(`conversation/${id}`));
    const [directory, ladder] = [
      await all<DirectoryEvent>("directory/main"),
      await all<LadderEvent>("ladder/chat"),
    ];
    return { directory, ladder, conversations };
  } finally {
    await log.close();
  }
}

/** NM1: in any spelling, a name belongs to at most one person. */
function assertNamesUnique({ owners }: Shown): void {
  for (const spellings of names)
    assert.equal(new Set(spellings.map((spelling) => owners.get(spelling))).size, 1, spellings[0]);
  const owned = names.flatMap(([spelling]) => owners.get(spelling) ?? []);
  assert.equal(new Set(owned).size, owned.length, owned.join());
}

/** CH4: both players see the same result, each from their side. */
function assertResultsAgree({ duels }: Shown): void {
  const mirrored = { won: "lost", lost: "won", draw: "draw" } as const;
  let seenByBoth = 0;
  for (const [id, [one, other]] of duels) {
    if (other === undefined) continue;
    seenByBoth++;
    assert.deepEqual([one.status, one.ladder, one.at], [other.status, other.ladder, other.at], id);
    assert.deepEqual([one.yourThrow, one.opponentThrow], [other.opponentThrow, other.yourThrow], id);
    if (one.status === "FINISHED") assert.equal(one.result, mirrored[other.result as "won"], id);
  }
  assert.ok(seenByBoth > 20, `only ${seenByBoth} duels are shown to both`);
}

test(`[CH1] [CH2] [CH4] [CH7] [NM1] [LG3] ${messages} messages of ${people} people, each delivered 1 to 5 times over 8 connections, with ${kills} kills in between: as if each had arrived once (seed ${seed})`, async (context) => {
  const folder = tempFolder();
  try {
    const script = scriptOf(seed, people, messages);
    const { cast, deliveries, shown } = await deliverAll(folder.path, script);
    const replies = script.map(
      ({ id, by }) => [`web ${cast.ids[by]} ${id}`, deliveries.replies.get(id)!] as const,
    );
    assertOnce(new Map(replies), await written(folder.path, cast));
    assertNamesUnique(shown);
    assertResultsAgree(shown);
    context.diagnostic(`${deliveries.answered} deliveries answered, ${deliveries.lost} lost`);
  } finally {
    folder.remove();
  }
});
