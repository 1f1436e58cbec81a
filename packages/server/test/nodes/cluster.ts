import { ChildServer, type Ended } from "../support/child-server.ts";
import { type Client, until } from "../support/http.ts";
import { freshDatabase, PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { Relay } from "../support/relay.ts";
import { secretsIn } from "../support/store.ts";
import { issuerFlags } from "../support/tokens.ts";

interface ClusterTerms {
  /** A dedicated PostgreSQL that is durable across a crash; otherwise the one that the tests of a process share. */
  readonly isCrashed?: boolean;
  /** A primary with its standby, which the test creates and stops. */
  readonly pair?: Pair;
  readonly flags?: readonly string[];
}

export interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Whether nodes get both addresses. Otherwise their relays act as a proxy to the primary. */
  readonly isNamed: boolean;
}

/** Several nodes on one PostgreSQL, each in its own process with its own relay. */
export class Cluster {
  readonly postgres: PostgresServer;
  /** The direct address, without a relay. */
  readonly url: string;
  readonly nodes: readonly Node[];
  readonly #end: () => Promise<void>;
  readonly #pair: Pair | undefined;

  private constructor(
    postgres: PostgresServer,
    url: string,
    nodes: readonly Node[],
    pair: Pair | undefined,
    end: () => Promise<void>,
  ) {
    this.postgres = postgres;
    this.url = url;
    this.nodes = nodes;
    this.#pair = pair;
    this.#end = end;
  }

  /** Starts all nodes at once on an empty database. */
  static async start(
    count: number,
    { isCrashed = false, pair, flags = [] }: ClusterTerms = {},
  ): Promise<Cluster> {
    const postgres = pair?.primary ?? (isCrashed ? await PostgresServer.start() : await sharedPostgres());
    const others = pair?.isNamed ? `,127.0.0.1:${pair.standby.port}` : "";
    const { url, drop } = await freshDatabase(postgres);
    const nodes = await Promise.all(
      Array.from({ length: count }, async () => {
        const relay = await Relay.start(postgres.port);
        const through = url.replace(`:${postgres.port}/`, `:${relay.port}${others}/`);
        return new Node(relay, through, [...issuerFlags, ...flags]);
      }),
    );
    const end = isCrashed ? () => postgres.stop() : pair ? async () => {} : drop;
    const cluster = new Cluster(postgres, url, nodes, pair, end);
    try {
      await Promise.all(nodes.map((node) => node.start()));
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** Kills the primary and promotes the standby. No node is restarted. */
  async failOver(): Promise<void> {
    const { standby, isNamed } = this.#pair!;
    await this.postgres.kill();
    await standby.promote();
    if (!isNamed) for (const { relay } of this.nodes) relay.lead(standby.port);
  }

  /** What the first node has created for all. */
  async keys(): Promise<{ readonly operatorKey: string; readonly serviceKey: string }> {
    return secretsIn(this.url);
  }

  /** Resolves when every node has received the answer to a heartbeat sent after this call. */
  async nextHeartbeats(): Promise<void> {
    const database = new URL(this.url).pathname.slice(1);
    // The first one may have been sent before. `told_until` belongs to a heartbeat that was answered.
    for (let heartbeat = 1; heartbeat <= 2; heartbeat++) {
      const [{ now }] = await this.postgres.run(
        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now",
      );
      const told = `SELECT count(*)::integer AS n FROM openseat.nodes WHERE told_until > ${now}`;
      await until("heartbeats of all nodes", async () => {
        const [{ n }] = await this.postgres.run(told, database);
        return n === this.nodes.length;
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    await this.#end();
  }
}

/** One node. Each start is another process at another address. */
export class Node {
  readonly relay: Relay;
  readonly #databaseUrl: string;
  readonly #flags: readonly string[];
  #server: ChildServer | undefined;
  #client: Client | undefined;
  /** The output of earlier processes. */
  #saidBefore = "";

  constructor(relay: Relay, databaseUrl: string, flags: readonly string[]) {
    this.relay = relay;
    this.#databaseUrl = databaseUrl;
    this.#flags = flags;
  }

  async start(more: readonly string[] = []): Promise<void> {
    const environment = { DATABASE_URL: this.#databaseUrl };
    this.#server = await ChildServer.start([...this.#flags, ...more], environment);
    this.#client = this.#server.client(256);
  }

  get url(): string {
    return this.#server!.url;
  }

  get client(): Client {
    return this.#client!;
  }

  get said(): string {
    return `${this.#saidBefore}${this.#server?.stdout}${this.#server?.stderr}`;
  }

  /** Simulates a power failure. */
  async kill(): Promise<void> {
    await this.#server?.kill();
    this.#leave();
  }

  /** Stops it like an operator. */
  async stop(): Promise<Ended> {
    const ended = await this.#server!.signal("SIGTERM");
    this.#leave();
    return ended;
  }

  /** Freezes the process, which does not notice. */
  freeze(): void {
    this.#server!.process.kill("SIGSTOP");
  }

  thaw(): void {
    this.#server!.process.kill("SIGCONT");
  }

  async close(): Promise<void> {
    await this.kill();
    await this.relay.close();
  }

  #leave(): void {
    this.#saidBefore = this.said;
    this.#client?.close();
  }
}
