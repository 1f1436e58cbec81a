import assert from "node:assert/strict";
import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Millis,
  type PersonId,
} from "@openseat/kernel";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import { LogUnavailable, type StreamName } from "../../src/log/log.ts";
import { MemoryCluster, openNetwork } from "../../src/log/memory/memory-cluster.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";
import { type Clocked, type ClockedCommand, type ClockedEvent, clockedDecider } from "./clocked-room.ts";

type NodeOptions = Partial<Omit<HostOptions, "log" | "clock">>;

/** Several hosts on one log, with a clock that the test controls. */
export class Nodes {
  readonly clock = new TestClock();
  readonly store = new MemoryLog();
  readonly #network = openNetwork(this.clock);
  readonly #dead = new Set<string>();
  /** Whether a message is lost on its way. */
  isLost: (node: string, what: string) => boolean = () => false;
  readonly cluster = new MemoryCluster(this.store, {
    ...this.#network,
    pass: async (node, what) => {
      if (this.#dead.has(node)) await new Promise(() => {});
      await this.#network.pass(node, what);
      if (this.isLost(node, what)) throw new LogUnavailable("The connection is lost.");
    },
  });
  #started = 0;

  /** Starts one more node; resolves when it is ready. */
  async start(options: NodeOptions = {}): Promise<OneNode> {
    const name = `node-${++this.#started}`;
    const node = new OneNode(name, this, options);
    await answered(node.host.start(), `the start of ${name}`);
    return node;
  }

  /** Simulates `kill -9`: nothing reaches the node, and nothing that it sends arrives. */
  kill(name: string): void {
    this.#dead.add(name);
    this.cluster.crash(name);
  }

  async entries<Event>(stream: StreamName): Promise<Entry<Event>[]> {
    const batches = await this.store.read(stream, 0, 1_000_000);
    return batches.flatMap(({ lines }) => lines.map((line) => decodeEntry<Event>(line)));
  }
}

/** One of several hosts, with games and rooms whose clock runs. */
export class OneNode {
  readonly name: string;
  readonly host: Host;
  readonly games;
  readonly clocked;
  readonly errors: unknown[] = [];
  readonly #nodes: Nodes;

  constructor(name: string, nodes: Nodes, options: NodeOptions) {
    this.name = name;
    this.#nodes = nodes;
    this.host = new Host({
      deciders: { game: gameDecider, clocked: clockedDecider },
      onError: (error) => this.errors.push(error),
      ...options,
      log: nodes.cluster.node(name),
      clock: nodes.clock,
    });
    this.games = this.host.streams<GameRoom, GameCommand, GameEvent>("game");
    this.clocked = this.host.streams<Clocked, ClockedCommand, ClockedEvent>("clocked");
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
