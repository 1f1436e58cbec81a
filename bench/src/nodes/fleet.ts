import { type LogCounters, newSecret, Openseat } from "../openseat-server.ts";
import type { Crowd } from "../persons.ts";
import { ByRoomLoad } from "./by-room-load.ts";
import { SpreadLoad } from "./spread-load.ts";

/** Nodes on one database, started one after the other. */
export class Fleet {
  readonly databaseUrl: string;
  readonly nodes: readonly Openseat[];

  constructor(program: string, databaseUrl: string, count: number) {
    const shared = { databaseUrl, secret: newSecret(), operatorKey: newSecret() };
    this.databaseUrl = databaseUrl;
    this.nodes = Array.from({ length: count }, () => new Openseat(program, shared));
  }

  async start(): Promise<void> {
    for (const node of this.nodes) await node.start();
  }

  /** Creates the rooms, and places people. */
  get first(): Openseat {
    return this.nodes[0];
  }

  get crowd(): Crowd {
    return this.first.crowd;
  }

  get pids(): readonly number[] {
    return this.nodes.map(({ pid }) => pid);
  }

  /** Loads the first nodes. */
  load(connections: number, nodes = this.nodes.length): SpreadLoad {
    return new SpreadLoad(
      this.nodes.slice(0, nodes).map(({ address }) => address),
      connections,
    );
  }

  loadByRoom(connections: number): ByRoomLoad {
    return new ByRoomLoad(
      this.nodes.map(({ address }) => address),
      connections,
    );
  }

  async logCounters(): Promise<LogCounters> {
    const all = await Promise.all(this.nodes.map((node) => node.logCounters()));
    return {
      flushes: all.reduce((sum, { flushes }) => sum + flushes, 0),
      entries: all.reduce((sum, { entries }) => sum + entries, 0),
    };
  }

  /** The last output of a node that ended by itself; undefined while all run. */
  get lastWords(): string | undefined {
    return this.nodes.map(({ lastWords }) => lastWords).find((words) => words !== undefined);
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
  }
}
