import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { range, until } from "../support/http.ts";
import { startServer, tempFolder } from "../support/server.ts";
import { storedIn } from "../support/store.ts";
import { type Rates, randomOf } from "./telegram-faults.ts";
import { TelegramStandIn } from "./telegram-stand-in.ts";

/** CRASH_KILLS says how often the server is killed, CRASH_SEED repeats a run's choices. */
const kills = Number(process.env.CRASH_KILLS ?? 4);
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const rates: Rates = { drop: 5, lost: 3, limited: 2, broken: 3, slow: 20, repeat: 20, malformed: 5 };

/** A private chat has the id of the person. Each plays with a neighbour. */
const people = range(20).map((index) => 1_001 + index);
const neighbourOf = (person: number) => ((person - 1_001) % 2 === 0 ? person + 1 : person - 1);
const challengers = (talking: readonly number[]) => talking.filter((person) => neighbourOf(person) > person);
const blocker = 1_999;

/** The script of a person: commands for the directory, for the ladder, and for neither. No two consecutive replies are equal. */
const scriptOf = (person: number) => [
  "/start",
  `nick p${person}`,
  "help",
  "register",
  `throw rock @ghost${person}`,
  `/nick@OurBot q${person}`,
  "",
  "/history",
  "games",
  `what is ${person}?`,
  "match @nobody 3-1",
  "undo",
  `register nowhere${person}`,
  "help",
  `nick p${person}`,
];

/** What a person has read, without immediate repeats: delivery is at least once. */
function readBy(standIn: TelegramStandIn, person: number): string[] {
  const received = standIn.received(person);
  return received.filter((text, index) => text !== received[index - 1]);
}

/** Everyone sends their messages without waiting for replies; then they duel in pairs. */
async function converse(standIn: TelegramStandIn, talking: readonly number[]): Promise<void> {
  const random = randomOf(seed);
  const read = (person: number, count: number) =>
    until(`reply ${count} to ${person}`, () => readBy(standIn, person).length >= count);
  await Promise.all(
    talking.map(async (person) => {
      for (const text of scriptOf(person)) {
        standIn.say(person, person, text);
        await new Promise((resolve) => setTimeout(resolve, random() * 60));
      }
      await read(person, 15);
    }),
  );
  await Promise.all(
    challengers(talking).map(async (person) => {
      const other = neighbourOf(person);
      standIn.say(person, person, `throw rock @p${other}`);
      await read(other, 16);
      standIn.say(other, other, `throw paper @p${person}`);
      await Promise.all([read(person, 17), read(other, 17)]);
    }),
  );
}

const flagsFor = ({ token, url }: TelegramStandIn) => ["--telegram-token", token, "--telegram-api", url];

/** What each person reads without any fault. */
const expected = new Map<number, readonly string[]>();

before(async () => {
  const standIn = await TelegramStandIn.start();
  const server = await startServer(flagsFor(standIn));
  try {
    await converse(standIn, people);
  } finally {
    await server.stop();
    await standIn.stop();
  }
  for (const person of people) {
    const received = standIn.received(person);
    assert.equal(received.length, 17);
    assert.deepEqual(readBy(standIn, person), received, "no two consecutive texts are equal");
    expected.set(person, received);
  }
});

/** The waiting items and the dead letters of the server's outbox. */
async function outboxOf(folder: string): Promise<{ waiting: number; failures: unknown[] }> {
  const rows = await storedIn(folder, "SELECT failure FROM outbox");
  const failures = rows.map(({ failure }) => failure).filter((failure) => failure !== null);
  return { waiting: rows.length - failures.length, failures };
}

interface Plan {
  readonly talking: readonly number[];
  readonly killings: number;
  readonly flags: readonly string[];
}

/** The whole conversation over a Telegram with all its faults, while the server is killed repeatedly. */
async function throughCrashes({ talking, killings, flags }: Plan): Promise<TelegramStandIn> {
  const folder = tempFolder();
  const servers: ChildServer[] = [];
  const locate = (url: string) => url.replace("https://seat.test", servers.at(-1)!.url);
  const standIn = await TelegramStandIn.start({ seed, rates, locate });
  const start = async () => {
    const all = ["--data", folder.path, ...flagsFor(standIn), ...flags];
    servers.push(await ChildServer.start(all));
  };
  const received = () => talking.reduce((sum, person) => sum + standIn.received(person).length, 0);
  try {
    await start();
    standIn.message(blocker, blocker, {});
    standIn.blocked.add(blocker);
    for (const text of ["help", "games", "help"]) standIn.say(blocker, blocker, text);
    const talk = converse(standIn, talking);
    const killing = (async () => {
      for (const round of range(killings)) {
        const due = ((round + 1) * 17 * talking.length) / (killings + 0.5);
        await until(`${due} messages`, () => received() >= due);
        await servers.at(-1)!.kill();
        await start();
      }
    })();
    // Waits for both: a server started after a failure would outlive the test.
    await Promise.allSettled([talk, killing]);
    await Promise.all([talk, killing]);
    const isDone = async () => standIn.pending === 0 && (await outboxOf(folder.path)).waiting === 0;
    await until("an end of what waits", isDone);
    await servers.at(-1)!.signal("SIGTERM");
    const { failures } = await outboxOf(folder.path);
    assert.deepEqual(failures, Array(3).fill("403: Forbidden: bot was blocked by the user"));
    assert.deepEqual(standIn.received(blocker), []);
    for (const { stdout, stderr } of servers)
      assert.ok(!`${stdout}${stderr}`.includes(standIn.token), "the token is in the logs");
    return standIn;
  } catch (error) {
    const told = servers.map(({ stdout, stderr }) => `${stdout}${stderr}`.slice(-2_000));
    const read = talking.map((person) => `${person}: ${JSON.stringify(readBy(standIn, person))}`);
    const all = [`With CRASH_SEED=${seed}: ${(error as Error).message}`, ...told, ...read].join("\n");
    throw new Error(all, { cause: error });
  } finally {
    for (const server of servers) await server.kill();
    await standIn.stop();
    folder.remove();
  }
}

function assertAllRead(standIn: TelegramStandIn, talking: readonly number[]): number {
  for (const person of talking) assert.deepEqual(readBy(standIn, person), expected.get(person), `${person}`);
  const read = talking.reduce((sum, person) => sum + standIn.received(person).length, 0);
  return read - 17 * talking.length;
}

test(`[CH1] [CH7] [LG3] [AU4] ${kills} kills while ${people.length} people talk over a Telegram with every kind of fault: each reply is read, in the order of its chat`, async (context) => {
  const standIn = await throughCrashes({ talking: people, killings: kills, flags: [] });
  const again = assertAllRead(standIn, people);
  assert.deepEqual(standIn.callsOf("setWebhook"), []);
  context.diagnostic(`${17 * people.length} messages read, ${again} of them again; seed ${seed}`);
});

test("[CH1] [CH6] [CH7] [LG3] the same with a webhook", async (context) => {
  const talking = people.slice(0, 6);
  const flags = ["--telegram-webhook", "--public-url", "https://seat.test"];
  const standIn = await throughCrashes({ talking, killings: 2, flags });
  const again = assertAllRead(standIn, talking);
  assert.deepEqual(standIn.callsOf("getUpdates"), []);
  context.diagnostic(`${17 * talking.length} messages read, ${again} of them again; seed ${seed}`);
});
