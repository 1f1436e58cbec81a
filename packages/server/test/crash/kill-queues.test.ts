import assert from "node:assert/strict";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { type Answer, type Client, eachOf, type Json, range, until } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { secretsOf } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { KillAmidWork } from "./amid-work.ts";
import { assertReplays } from "./replays.ts";

/** As in kill.test.ts: how often, and a seed that repeats a run's choices. */
const kills = Number(process.env.CRASH_KILLS ?? 10);
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** In one round. */
const answersMax = 200;

const people = range(24).map((index) => `person-${index}`);
/** Leases that no round is long enough for: whoever expires was expired by the crash. */
const leases = {
  heartbeatTimeoutSeconds: 60,
  sessionTimeoutSeconds: 60,
  claimTimeoutSeconds: 3_600,
  sessionDurationSeconds: 86_400,
};
const queues = [
  { id: "seats", title: "Seats alone", maxActive: 4, ...leases },
  { id: "rate", title: "A rate too", maxActive: 6, rate: 40, burst: 2, ...leases },
];

type Kind = "enter" | "claim" | "complete" | "cancel" | "leave";

/** A request that has an effect, under a key of its own, and what came of it. */
interface Act {
  readonly kind: Kind;
  readonly queue: string;
  readonly person: string;
  readonly key: string;
  /** The id or the token that it is about. */
  readonly about: string;
  /** The newest ticket that anyone had been told of when it was first sent. */
  readonly newest: number;
  answer?: Answer;
}

interface Place {
  readonly id: string;
  readonly ticket: number;
  session?: string;
}

/** What the answers say: who has which place, and what has come of all the others. */
class Ledger {
  readonly effects: Act[] = [];
  readonly unanswered = new Map<string, Act>();
  readonly #places = new Map<string, Place>();
  readonly #tickets = new Map<string, number[]>(queues.map(({ id }) => [id, []]));
  readonly #ended = new Map<string, number>();

  placeOf(queue: string, person: string): Place | undefined {
    return this.#places.get(`${queue} ${person}`);
  }

  ticketsOf(queue: string): number[] {
    return this.#tickets.get(queue)!;
  }

  newestIn(queue: string): number {
    return Math.max(0, ...this.ticketsOf(queue));
  }

  ended(queue: string, kind: Kind): number {
    return this.#ended.get(`${queue} ${kind}`) ?? 0;
  }

  note(act: Act, answer: Answer): void {
    const { kind, queue, person } = act;
    const about = `${JSON.stringify(act)}: ${answer.status} ${answer.text}`;
    assert.equal(answer.status, kind === "enter" || kind === "claim" ? 201 : 200, about);
    act.answer = answer;
    this.effects.push(act);
    const name = `${queue} ${person}`;
    if (kind === "enter") this.#noteEntered(name, act, answer.body.data.position);
    else if (kind === "claim") this.#places.get(name)!.session = answer.body.data.session.id;
    else {
      this.#places.delete(name);
      this.#ended.set(`${queue} ${kind}`, this.ended(queue, kind) + 1);
    }
  }

  #noteEntered(name: string, { queue, newest }: Act, { id }: Json): void {
    const ticket = Number.parseInt(/-([0-9a-z]+)-.{16}$/.exec(id)![1], 36);
    const tickets = this.ticketsOf(queue);
    assert.ok(!tickets.includes(ticket), `the ticket ${ticket} was given twice`);
    assert.ok(ticket > newest, `the ticket ${ticket} to one who came after ${newest} had been told`);
    tickets.push(ticket);
    this.#places.set(name, { id, ticket });
  }
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function send(client: Client, { kind, queue, person, key, about }: Act): Promise<Answer> {
  const token = tokenOf(person);
  switch (kind) {
    case "enter":
      return client.post(`/api/v1/queues/${queue}/positions`, { token, key });
    case "claim":
      return client.post("/api/v1/sessions", { token, key, body: { token: about } });
    case "complete":
      return client.post(`/api/v1/sessions/${about}/complete`, { token, key });
    case "cancel":
      return client.call(`/api/v1/positions/${about}`, { method: "DELETE", token, key });
    case "leave":
      return client.call(`/api/v1/sessions/${about}`, { method: "DELETE", token, key });
  }
}

async function shown(client: Client, id: string, person: string): Promise<Json> {
  const answer = await client.get(`/api/v1/positions/${id}`, { token: tokenOf(person) });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.position;
}

test(`[LG3] [LS4] [RM2] [ID1] ${kills} times killed while people enter, claim and complete: nothing acknowledged is lost, and nobody expires`, async (context) => {
  const random = randomOf(seed);
  const folder = tempFolder();
  const ledger = new Ledger();
  let keys = 0;
  let server: ChildServer | undefined;

  /** What this person would do next about a queue; undefined while there is nothing to do but wait. */
  async function nextAct(client: Client, queue: string, person: string): Promise<Act | undefined> {
    const place = ledger.placeOf(queue, person);
    const act = (kind: Kind, about: string): Act => {
      return { kind, queue, person, about, key: `key-${++keys}`, newest: ledger.newestIn(queue) };
    };
    if (!place) return act("enter", "");
    if (place.session) return act(random() < 0.8 ? "complete" : "leave", place.session);
    if (random() < 0.1) return act("cancel", place.id);
    const { token } = await shown(client, place.id, person);
    return token === undefined ? undefined : act("claim", token);
  }

  /** One person who comes and goes until the server is gone. */
  async function comeAndGo(client: Client, person: string, killing: KillAmidWork): Promise<void> {
    for (;;) {
      const queue = queues[Math.floor(random() * queues.length)].id;
      let act: Act | undefined;
      let answer: Answer;
      try {
        act = await nextAct(client, queue, person);
        if (!act) continue;
        ledger.unanswered.set(act.key, act);
        answer = await send(client, act);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
      ledger.unanswered.delete(act.key);
      ledger.note(act, answer);
      killing.answered();
    }
  }

  async function assertConsistent(client: Client): Promise<void> {
    for (const { id: queue, maxActive } of queues) {
      const tickets = ledger.ticketsOf(queue).toSorted((a, b) => a - b);
      assert.deepEqual(
        tickets,
        range(tickets.length).map((index) => index + 1),
        "no ticket is missing",
      );
      // The rate lets people in by itself, while there are seats: then nothing moves any more.
      const stats = await until("the line to stand still", async () => {
        const { stats } = (await client.get(`/api/v1/queues/${queue}/stats`)).body.data;
        return (stats.waiting === 0 || stats.admitted + stats.active >= maxActive) && stats;
      });
      assert.equal(stats.expired, 0, "nobody expired");
      assert.ok(stats.admitted + stats.active <= maxActive, JSON.stringify(stats));
      assert.deepEqual(
        [stats.entered, stats.completed, stats.left],
        [
          tickets.length,
          ledger.ended(queue, "complete"),
          ledger.ended(queue, "cancel") + ledger.ended(queue, "leave"),
        ],
      );
      const live = people.flatMap((person) => {
        const place = ledger.placeOf(queue, person);
        return place ? [{ person, ...place }] : [];
      });
      live.sort((a, b) => a.ticket - b.ticket);
      assert.equal(stats.waiting + stats.admitted + stats.active, live.length);
      const seen = await eachOf(live, 24, ({ id, person }) => shown(client, id, person));
      for (const [index, { status }] of seen.entries())
        assert.equal(
          status === "ACTIVE",
          live[index].session !== undefined,
          `${live[index].id} is ${status}`,
        );
      assert.deepEqual(
        seen.flatMap(({ status, position }) => (status === "WAITING" ? [position] : [])),
        range(stats.waiting).map((index) => index + 1),
        "in the order of their tickets",
      );
    }
  }

  try {
    for (const round of range(kills + 1)) {
      server = await ChildServer.start(["--data", folder.path, ...issuerFlags]);
      const client = server.client(64);
      if (round === 0) {
        const { operatorKey: token } = await secretsOf(folder.path);
        for (const body of queues)
          assert.equal((await client.post("/api/v1/queues", { token, body })).status, 201);
      }
      // Whoever got no answer asks again with the same key; it takes effect now, or has taken effect before.
      const again = [...ledger.unanswered.values()];
      ledger.unanswered.clear();
      await eachOf(again, 48, async (act) => ledger.note(act, await send(client, act)));
      await assertReplays(ledger.effects.slice(round === kills ? 0 : -120), (act) => send(client, act));
      await assertConsistent(client);
      if (round === kills) {
        client.close();
        break;
      }
      const killing = new KillAmidWork(server, { answers: random() * answersMax, moment: random() });
      await Promise.all(people.map((person) => comeAndGo(client, person, killing)));
      await server.kill();
      client.close();
    }
    assert.ok(ledger.effects.length > kills * 5, `only ${ledger.effects.length} effects: there was no load`);
    context.diagnostic(`${ledger.effects.length} effects, ${keys} keys, seed ${seed}`);
  } catch (error) {
    throw new Error(`With CRASH_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await server?.kill();
    folder.remove();
  }
});
