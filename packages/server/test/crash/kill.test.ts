import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Client, type Json, range } from "../support/http.ts";
import { type KeyedAct, KillRounds, killsOr } from "./rounds.ts";

const kills = killsOr(30);
const people = range(32).map((index) => `person-${index}`);
const games = [
  { title: "Small", maxPlayers: 5, waitlist: false },
  { title: "Roomy", maxPlayers: 40, waitlist: false },
  { title: "With a line", maxPlayers: 8, waitlist: true },
  { title: "One seat and a line", maxPlayers: 1, waitlist: true },
];

interface Act extends KeyedAct {
  readonly type: "join" | "leave";
  readonly game: string;
  readonly person: string;
}

/** A model from the answers: who is in which game as which participant. */
class Ledger {
  readonly #places = new Map<string, string>();
  readonly #participants = new Map<string, Set<string>>();

  placeOf(game: string, person: string): string | undefined {
    return this.#places.get(`${game} ${person}`);
  }

  /** All participants that a game ever had. */
  participantsOf(game: string): Set<string> {
    const found = this.#participants.get(game) ?? new Set();
    this.#participants.set(game, found);
    return found;
  }

  note({ type, game, person }: Act, answer: Answer): boolean {
    if (answer.status !== 200) {
      assert.deepEqual([type, answer.body?.code], ["join", "room.full"], answer.text);
      return false;
    }
    const place = `${game} ${person}`;
    this.#places.delete(place);
    if (type === "leave") return true;
    const { id, userId } = answer.body.data.participant;
    assert.equal(userId, person);
    assert.ok(!this.participantsOf(game).has(id), `a second join was given ${id}`);
    this.participantsOf(game).add(id);
    this.#places.set(place, id);
    return true;
  }
}

test(`[LG3] [RM2] [RM3] [ID1] ${kills} kills under load: everything acknowledged is there exactly once`, async (context) => {
  const rounds = new KillRounds<Act>();
  const ledger = new Ledger();
  const ids: string[] = [];

  function nextOf(person: string): Act {
    const game = ids[Math.floor(rounds.random() * ids.length)];
    const type = ledger.placeOf(game, person) === undefined ? "join" : "leave";
    return { type, game, person, key: rounds.newKey() };
  }

  async function assertConsistent(client: Client): Promise<void> {
    for (const [index, game] of ids.entries()) {
      const { title, maxPlayers } = games[index];
      const shown = await client.participants(game);
      const { game: seen } = await client.look(game);
      const active = shown.filter(({ status }: Json) => status === "ACTIVE").length;
      const live = shown.filter(({ status }: Json) => status !== "LEFT");
      assert.ok(active <= maxPlayers, `${active} on ${maxPlayers} seats`);
      assert.deepEqual(
        [seen.currentPlayers, seen.waiting, seen.status],
        [active, live.length - active, active === maxPlayers ? "FULL" : "OPEN"],
      );
      const known = people.flatMap((person) => ledger.placeOf(game, person) ?? []);
      const idsOf = (list: readonly Json[]) => list.map(({ id }) => id).sort();
      assert.deepEqual(idsOf(live), known.sort(), title);
      assert.deepEqual(idsOf(shown), [...ledger.participantsOf(game)].sort(), title);
    }
  }

  await rounds.run(context, {
    ...{ kills, answersMax: 300, replaysMax: 150 },
    people: people.map((person) => () => nextOf(person)),
    send: (client, { type, game, person, key }) => client[type](game, person, key),
    note: (act, answer) => ledger.note(act, answer),
    async begin(client) {
      for (const game of games) ids.push(await client.newGame(game));
    },
    check: ({ client }) => assertConsistent(client),
  });
});
