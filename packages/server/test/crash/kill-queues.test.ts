import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Client, eachOf, type Json, range, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";
import { type KeyedAct, KillRounds, killsOr } from "./rounds.ts";

const kills = killsOr(10);
const operatorKey = "operator_key_of_the_crash_test_of_queues";
const people = range(24).map((index) => `person-${index}`);
/** Leases longer than any round: a place can only expire because of the crash. */
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

interface Act extends KeyedAct {
  readonly kind: Kind;
  readonly queue: string;
  readonly person: string;
  /** The place id or token of the act. */
  readonly about: string;
  /** The newest ticket that anyone knew of when the act was first sent. */
  readonly newest: number;
}

interface Place {
  readonly id: string;
  readonly ticket: number;
  session?: string;
}

/** A model from the answers: who has which place, and what happened to all others. */
class Ledger {
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

  note(act: Act, answer: Answer): true {
    const { kind, queue, person } = act;
    const about = `${JSON.stringify(act)}: ${answer.status} ${answer.text}`;
    assert.equal(answer.status, kind === "enter" || kind === "claim" ? 201 : 200, about);
    const name = `${queue} ${person}`;
    if (kind === "enter") this.#noteEntered(name, act, answer.body.data.position);
    else if (kind === "claim") this.#places.get(name)!.session = answer.body.data.session.id;
    else {
      this.#places.delete(name);
      this.#ended.set(`${queue} ${kind}`, this.ended(queue, kind) + 1);
    }
    return true;
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

test(`[LG3] [LS4] [RM2] [ID1] ${kills} kills while people enter, claim and complete: nothing acknowledged is lost, and nobody expires`, async (context) => {
  const rounds = new KillRounds<Act>();
  const { random } = rounds;
  const ledger = new Ledger();

  /** This person's next act in a queue; undefined if they can only wait. */
  async function nextAct(client: Client, person: string): Promise<Act | undefined> {
    const queue = queues[Math.floor(random() * queues.length)].id;
    const place = ledger.placeOf(queue, person);
    const act = (kind: Kind, about: string): Act => {
      return { kind, queue, person, about, key: rounds.newKey(), newest: ledger.newestIn(queue) };
    };
    if (!place) return act("enter", "");
    if (place.session) return act(random() < 0.8 ? "complete" : "leave", place.session);
    if (random() < 0.1) return act("cancel", place.id);
    const { token } = await shown(client, place.id, person);
    return token === undefined ? undefined : act("claim", token);
  }

  async function assertConsistent(client: Client): Promise<void> {
    for (const { id: queue, maxActive } of queues) {
      const tickets = ledger.ticketsOf(queue).toSorted((a, b) => a - b);
      assert.deepEqual(
        tickets,
        range(tickets.length).map((index) => index + 1),
        "no ticket is missing",
      );
      // The rate admits people by itself while seats are free; after that nothing moves.
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

  await rounds.run(context, {
    ...{ kills, answersMax: 200, replaysMax: 120, send },
    flags: ["--operator-key", operatorKey],
    people: people.map((person) => (client) => nextAct(client, person)),
    note: (act, answer) => ledger.note(act, answer),
    async begin(client) {
      for (const body of queues)
        assert.equal((await client.post("/api/v1/queues", { token: operatorKey, body })).status, 201);
    },
    check: ({ client }) => assertConsistent(client),
  });
});
