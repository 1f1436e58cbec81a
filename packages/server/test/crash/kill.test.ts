import assert from "node:assert/strict";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { type Answer, type Client, eachOf, type Json, range } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";
import { KillAmidWork } from "./amid-work.ts";
import { assertReplays } from "./replays.ts";

/**
 * CRASH_KILLS says how often the server is killed (30 unless given; 300 for a long look), CRASH_SEED repeats a run's
 * choices. What the operating system does in between is its own, so a seed repeats the plan, not the outcome.
 */
const kills = Number(process.env.CRASH_KILLS ?? 30);
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** In one round. */
const answersMax = 300;

const people = range(32).map((index) => `person-${index}`);
const games = [
  { title: "Small", maxPlayers: 5, waitlist: false },
  { title: "Roomy", maxPlayers: 40, waitlist: false },
  { title: "With a line", maxPlayers: 8, waitlist: true },
  { title: "One seat and a line", maxPlayers: 1, waitlist: true },
];

/** A request that may have an effect, under a key of its own, and what came of it. */
interface Act {
  readonly type: "join" | "leave";
  readonly game: string;
  readonly person: string;
  readonly key: string;
  answer?: Answer;
}

/** What the answers say: who is in which game as which participant. */
class Ledger {
  readonly effects: Act[] = [];
  readonly unanswered = new Map<string, Act>();
  readonly #places = new Map<string, string>();
  readonly #participants = new Map<string, Set<string>>();

  placeOf(game: string, person: string): string | undefined {
    return this.#places.get(`${game} ${person}`);
  }

  /** Every participant there ever was in a game. */
  participantsOf(game: string): Set<string> {
    const found = this.#participants.get(game) ?? new Set();
    this.#participants.set(game, found);
    return found;
  }

  note(act: Act, answer: Answer): void {
    const place = `${act.game} ${act.person}`;
    if (answer.status !== 200) {
      const expected = act.type === "join" ? ["room.full"] : [];
      assert.ok(
        expected.includes(answer.body?.code),
        `${JSON.stringify(act)}: ${answer.status} ${answer.text}`,
      );
      return;
    }
    act.answer = answer;
    this.effects.push(act);
    if (act.type === "leave") this.#places.delete(place);
    else {
      const { participant } = answer.body.data;
      assert.equal(participant.userId, act.person);
      assert.ok(
        !this.participantsOf(act.game).has(participant.id),
        `a second join was given ${participant.id}`,
      );
      this.participantsOf(act.game).add(participant.id);
      this.#places.set(place, participant.id);
    }
  }
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const send = (client: Client, { type, game, person, key }: Act) =>
  type === "join" ? client.join(game, person, key) : client.leave(game, person, key);

test(`[LG3] [RM2] [RM3] [ID1] ${kills} times killed under load: what was acknowledged is there, once`, async (context) => {
  const random = randomOf(seed);
  const folder = tempFolder();
  const flags = ["--data", folder.path, ...issuerFlags];
  const ledger = new Ledger();
  const ids: string[] = [];
  let keys = 0;
  let server: ChildServer | undefined;

  /** One person who comes and goes until the server is gone. */
  async function comeAndGo(client: Client, person: string, killing: KillAmidWork): Promise<void> {
    for (;;) {
      const game = ids[Math.floor(random() * ids.length)];
      const type = ledger.placeOf(game, person) === undefined ? "join" : "leave";
      const act: Act = { type, game, person, key: `key-${++keys}` };
      ledger.unanswered.set(act.key, act);
      let answer: Answer;
      try {
        answer = await send(client, act);
      } catch {
        return;
      }
      ledger.unanswered.delete(act.key);
      ledger.note(act, answer);
      killing.answered();
    }
  }

  async function assertConsistent(client: Client): Promise<void> {
    for (const [index, game] of ids.entries()) {
      const shown = await client.participants(game);
      const { game: seen } = await client.look(game);
      const active = shown.filter(({ status }: Json) => status === "ACTIVE");
      const live = shown.filter(({ status }: Json) => status !== "LEFT");
      assert.ok(
        active.length <= games[index].maxPlayers,
        `${active.length} on ${games[index].maxPlayers} seats`,
      );
      assert.deepEqual(
        [seen.currentPlayers, seen.waiting, seen.status],
        [
          active.length,
          live.length - active.length,
          active.length === games[index].maxPlayers ? "FULL" : "OPEN",
        ],
      );
      const known = people.flatMap((person) => ledger.placeOf(game, person) ?? []);
      assert.deepEqual(live.map(({ id }: Json) => id).sort(), known.sort(), games[index].title);
      assert.deepEqual(
        shown.map(({ id }: Json) => id).sort(),
        [...ledger.participantsOf(game)].sort(),
        games[index].title,
      );
    }
  }

  try {
    for (const round of range(kills + 1)) {
      server = await ChildServer.start(flags);
      const client = server.client(64);
      if (round === 0) for (const game of games) ids.push(await client.newGame(game));
      // Whoever got no answer asks again with the same key; it takes effect now, or has taken effect before.
      const again = [...ledger.unanswered.values()];
      ledger.unanswered.clear();
      await eachOf(again, 48, async (act) => ledger.note(act, await send(client, act)));
      const recent = ledger.effects.slice(-120);
      const older = range(60).flatMap(
        () => ledger.effects[Math.floor(random() * ledger.effects.length)] ?? [],
      );
      await assertReplays([...new Set([...recent, ...older])], (act) => send(client, act));
      await assertConsistent(client);
      if (round === kills) {
        await assertReplays(ledger.effects, (act) => send(client, act));
        client.close();
        break;
      }
      const killing = new KillAmidWork(server, { answers: random() * answersMax, moment: random() });
      await Promise.all(people.map((person) => comeAndGo(client, person, killing)));
      await server.kill();
      client.close();
    }
    assert.ok(ledger.effects.length > kills * 5, `only ${ledger.effects.length} effects: there was no load`);
    context.diagnostic(`${ledger.effects.length} effects, ${keys} requests, seed ${seed}`);
  } catch (error) {
    throw new Error(`With CRASH_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await server?.kill();
    folder.remove();
  }
});
