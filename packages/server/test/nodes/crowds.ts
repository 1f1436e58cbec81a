import assert from "node:assert/strict";
import type { Json } from "../support/http.ts";
import { type Chance, type People, pause } from "./people.ts";

/** People who join and leave until they are stopped. */
export interface Crowd {
  readonly people: People;
  readonly chance: Chance;
  isOver: boolean;
}

/** People in a game: `inside` have joined, `outside` have not. During a request, a person is in neither. */
export class GameCrowd {
  readonly #crowd: Crowd;
  readonly #path: string;
  readonly #inside: string[] = [];
  readonly #outside: string[];

  constructor(crowd: Crowd, game: string, everybody: readonly string[]) {
    this.#crowd = crowd;
    this.#path = `/api/v1/games/${game}`;
    this.#outside = [...everybody];
  }

  /** Adds this many people, this many at a time. */
  async fill(count: number, atOnce: number): Promise<void> {
    const join = async () => {
      while (this.#inside.length < count) await this.#join();
    };
    await Promise.all(Array.from({ length: atOnce }, join));
  }

  /** One person after another joins or leaves. */
  async comeAndGo(): Promise<void> {
    const { chance, people } = this.#crowd;
    while (!this.#crowd.isOver) {
      if (chance.next() < 0.55 && this.#outside.length > 0) await this.#join();
      else if (this.#inside.length > 0) await this.#leave();
      if (chance.next() < 0.2) await this.#look(people);
      await pause(chance.between(0, 60));
    }
  }

  async #join(): Promise<void> {
    const { people } = this.#crowd;
    const person = this.#taken(this.#outside);
    const { answer, isDoubtful } = await people.act("game", "join", person, `${this.#path}/join`);
    if (answer.status === 200) await this.#assertSeen(person, true);
    else assert.equal(answer.body.code, "room.full", answer.text);
    // Their state is unknown from here on.
    if (isDoubtful) return;
    (answer.status === 200 ? this.#inside : this.#outside).push(person);
  }

  async #leave(): Promise<void> {
    const { people } = this.#crowd;
    const person = this.#taken(this.#inside);
    const { answer } = await people.act("game", "leave", person, `${this.#path}/leave`);
    assert.equal(answer.status, 200, answer.text);
    await this.#assertSeen(person, false);
    this.#outside.push(person);
  }

  /** CL1: on every node. */
  async #assertSeen(person: string, isIn: boolean): Promise<void> {
    const { people, chance } = this.#crowd;
    if (chance.next() > 0.2) return;
    const { text, body } = await people.see(`${this.#path}/can-join`, person);
    assert.equal(body?.data?.isParticipant, isIn, `${person}: ${text}`);
  }

  async #look(people: People): Promise<void> {
    const { text, body } = await people.see(this.#path, "somebody");
    assert.ok(body?.data?.game, text);
    people.shown.push({ version: body.data.version, seated: body.data.game.currentPlayers });
  }

  #taken(from: string[]): string {
    const at = Math.floor(this.#crowd.chance.next() * from.length);
    const [person] = from.splice(at, 1);
    return person;
  }
}

/** What a person is going to do in a waiting room. */
const ways = [
  "goes in",
  "goes in",
  "goes in",
  "goes in",
  "goes in",
  "cancels",
  "falls silent",
  "never claims",
];

/** People in a waiting room: each enters once, waits with heartbeats, goes in and leaves. */
export class QueueCrowd {
  readonly #crowd: Crowd;
  readonly #queue: string;
  readonly #leaseMs: number;
  #visits = 0;

  constructor(crowd: Crowd, queue: string, leaseMs: number) {
    this.#crowd = crowd;
    this.#queue = queue;
    this.#leaseMs = leaseMs;
  }

  async comeAndGo(): Promise<void> {
    while (!this.#crowd.isOver) {
      await this.#visit(`visitor-${++this.#visits}`);
      await pause(this.#crowd.chance.between(0, 500));
    }
  }

  async #visit(person: string): Promise<void> {
    const { people, chance } = this.#crowd;
    const way = chance.of(ways);
    const path = `/api/v1/queues/${this.#queue}/positions`;
    const { answer } = await people.act("queue", "enter", person, path);
    assert.equal(answer.status, 201, answer.text);
    const { id } = answer.body.data.position;
    await this.#assertThere(id, person);
    if (way === "falls silent") return;
    const admitted = await this.#wait(
      id,
      person,
      way === "cancels" ? chance.between(1, 4) : Number.POSITIVE_INFINITY,
    );
    if (way === "cancels") await this.#end("cancel", `/api/v1/positions/${id}`, person, "DELETE");
    else if (admitted && way === "goes in") await this.#goIn(admitted, person);
  }

  /** Waits until admission or for this many heartbeats. Undefined if the person is not admitted, or the place is over. */
  async #wait(id: string, person: string, heartbeats: number): Promise<Json | undefined> {
    const { people, chance } = this.#crowd;
    // Some people send heartbeats just often enough.
    const everyMs = chance.next() < 0.3 ? this.#leaseMs * 0.75 : chance.between(800, 2_000);
    for (let sent = 0; sent < heartbeats && !this.#crowd.isOver; sent++) {
      const position = await people.heartbeat(id, person);
      if (position?.status !== "WAITING") return position;
      await pause(everyMs);
    }
    return undefined;
  }

  async #goIn({ token }: Json, person: string): Promise<void> {
    const { people, chance } = this.#crowd;
    // A claim may come too late if no node could be reached for long.
    if (token === undefined) return;
    const { answer } = await people.act("queue", "claim", person, "/api/v1/sessions", { body: { token } });
    if (answer.status !== 201) return this.#assertOver(answer.body?.code, answer.text);
    const { id } = answer.body.data.session;
    await pause(chance.between(100, 1_500));
    await this.#end("complete", `/api/v1/sessions/${id}/complete`, person, "POST");
  }

  async #end(kind: string, path: string, person: string, method: string): Promise<void> {
    const { answer } = await this.#crowd.people.act("queue", kind, person, path, { method });
    if (answer.status !== 200) this.#assertOver(answer.body?.code, answer.text);
  }

  #assertOver(code: string, text: string): void {
    assert.ok(["place.over", "token.expired"].includes(code), text);
  }

  /** CL1: whichever node is asked about the place. */
  async #assertThere(id: string, person: string): Promise<void> {
    const { people, chance } = this.#crowd;
    if (chance.next() > 0.3) return;
    const { status, text } = await people.see(`/api/v1/positions/${id}`, person);
    assert.ok(status === 200 || status === 410, `${id} is not there: ${text}`);
  }
}
