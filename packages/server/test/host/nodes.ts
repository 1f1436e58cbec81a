import assert from "node:assert/strict";
import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import type { Clock } from "../../src/clock.ts";
import type { Committed } from "../../src/host/commit/committed.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import { LogUnavailable, type StreamName } from "../../src/log/log.ts";
import { MemoryCluster, openPassage } from "../../src/log/memory/memory-cluster.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";
import { type Clocked, type ClockedCommand, type ClockedEvent, clockedDecider } from "./clocked-room.ts";
import { type LeasedEvent, type LeasedRoom, leasedDecider, windowMs } from "./leased-room.ts";

type NodeOptions = Partial<Omit<HostOptions, "log" | "clock">>;

/** Several hosts on one log, and a clock that the test holds in its hand. */
export class Nodes {
  readonly clock = new TestClock();
  /** How far the time of the nodes is ahead of the store's, as after that was set back (CK1). */
  aheadMs = 0;
  readonly store = new MemoryLog();
  readonly #passage = openPassage(this.clock);
  readonly #dead = new Set<string>();
  /** How long a message of a node takes to the store, or back. */
  delayMs: (node: string, what: string) => number = () => 0;
  /** Whether a message is lost on its way. */
  isLost: (node: string, what: string) => boolean = () => false;
  readonly cluster = new MemoryCluster(this.store, {
    ...this.#passage,
    pass: async (node, what) => {
      if (this.#dead.has(node)) await new Promise(() => {});
      const ms = this.delayMs(node, what);
      if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
      await this.#passage.pass(node, what);
      if (this.isLost(node, what)) throw new LogUnavailable("The connection is lost.");
    },
  });
  #started = 0;

  /** One more of them; it is there when this resolves. */
  async start(options: NodeOptions = {}): Promise<OneNode> {
    const name = `node-${++this.#started}`;
    const node = new OneNode(name, this, options);
    await answered(node.host.start(), `the start of ${name}`);
    return node;
  }

  /** As by `kill -9`: nothing that it says arrives any more, and nothing reaches it. */
  kill(name: string): void {
    this.#dead.add(name);
    this.cluster.crash(name);
  }

  async entries<Event>(stream: StreamName): Promise<Entry<Event>[]> {
    const batches = await this.store.read(stream, 0, 1_000_000);
    return batches.flatMap(({ lines }) => lines.map((line) => decodeEntry<Event>(line)));
  }

  /** The tickets that expired in a leased room, in order. */
  async lapsed(id: string): Promise<number[]> {
    const entries = await this.entries<LeasedEvent>(`room/${id}`);
    return entries.flatMap(({ events: [event] }) => (event.type === "lapse" ? event.tickets : []));
  }
}

function timeOf(nodes: Nodes): Clock {
  const { clock } = nodes;
  return {
    now: () => (clock.now() + nodes.aheadMs) as Millis,
    wall: () => clock.wall(),
    elapsed: () => clock.elapsed(),
    soon: (run) => clock.soon(run),
    after: (ms, run) => clock.after(ms, run),
  };
}

/** One host among others, of games and of rooms in which people have to be heard of. */
export class OneNode {
  readonly name: string;
  readonly host: Host;
  readonly games;
  readonly rooms;
  readonly clocked;
  readonly committed: Committed<unknown>[] = [];
  readonly doubted: (StreamName | undefined)[] = [];
  readonly errors: unknown[] = [];
  readonly #nodes: Nodes;

  constructor(name: string, nodes: Nodes, options: NodeOptions) {
    this.name = name;
    this.#nodes = nodes;
    this.host = new Host({
      deciders: { game: gameDecider, room: leasedDecider, clocked: clockedDecider },
      onCommit: (committed) => this.committed.push(committed),
      onDoubt: (stream) => this.doubted.push(stream),
      onError: (error) => this.errors.push(error),
      ...options,
      log: nodes.cluster.node(name),
      clock: timeOf(nodes),
    });
    this.games = this.host.streams<GameRoom, GameCommand, GameEvent>("game");
    this.clocked = this.host.streams<Clocked, ClockedCommand, ClockedEvent>("clocked");
    this.rooms = this.host.streams<LeasedRoom, LeasedEvent, LeasedEvent>("room");
  }

  create(id: string, { seats = 10, endsIn = 0 } = {}) {
    const endsAt = endsIn > 0 ? ((this.#nodes.clock.now() + endsIn) as Millis) : null;
    const command = {
      type: "create",
      title: "Chess",
      seats,
      waitlist: false,
      endsAt,
      creator: "carol",
    } as const;
    return answered(this.games.ask(id, { command, by: "carol" }));
  }

  join(id: string, name: string, key?: string) {
    return this.games.ask(id, { command: { type: "join", person: name as PersonId }, by: name, key });
  }

  async seated(id: string): Promise<number | undefined> {
    const found = await answered(this.games.read(id, (room) => room?.seated));
    assert.ok("value" in found, `not read: ${JSON.stringify(found)}`);
    return found.value;
  }

  /** A leased room with so many people in it. */
  async crowded(id: string, people: number): Promise<void> {
    const ask = (command: LeasedEvent) => answered(this.rooms.ask(id, { command, by: "ann" }));
    await ask({ type: "open", windowMs, graceMs: 0, lapsesMax: 1_000, due: null });
    for (let person = 0; person < people; person++) await ask({ type: "enter" });
  }

  heard(id: string, ticket: number): void {
    this.rooms.heard(id, ticket);
  }

  crash(): void {
    this.#nodes.kill(this.name);
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.#nodes.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}
