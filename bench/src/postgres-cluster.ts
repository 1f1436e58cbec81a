import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { owner, programsFor } from "../../packages/server/test/support/postgres-programs.ts";
import { freePort } from "./children.ts";

const user = "postgres";
const password = "bench";
const firstDatabase = "postgres";

/** PostgreSQL settings that decide whether acknowledged data survives a crash. */
export type Durability = {
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
};

/** Columns to select as `Durability`. */
export const durabilityColumns = `
  current_setting('server_version') AS version,
  current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit"`;

/**
 * Its own PostgreSQL with default settings, apart from the connection limit. As root it runs as another user, who
 * must own its folder.
 */
export class PostgresCluster {
  readonly #process: ChildProcess;
  readonly #data: string;
  readonly #port: number;

  private constructor(started: ChildProcess, data: string, port: number) {
    this.#process = started;
    this.#data = data;
    this.#port = port;
  }

  /** Stores its data in this existing folder, which is removed when it stops. */
  static async start(folder: string): Promise<PostgresCluster> {
    const programs = programsFor(folder);
    const data = join(folder, "data");
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password);
    // As root, PostgreSQL runs as another user, who must read this file.
    chmodSync(passwordFile, 0o644);
    const terms = [`--username=${user}`, `--pwfile=${passwordFile}`, "--auth=password", "--lc-messages=C"];
    execFileSync(programs.initdb, [`--pgdata=${data}`, ...terms], { ...asOwner(), stdio: "pipe" });
    const port = await freePort();
    // Over TCP from another process, as usual. Its own socket goes to a folder where no other PostgreSQL looks.
    const settings = ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-k", folder];
    const started = spawn(programs.postgres, ["-D", data, "-p", String(port), ...settings], {
      ...asOwner(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    await readiness(started);
    return new PostgresCluster(started, data, port);
  }

  url(database = firstDatabase): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.#port}/${database}`;
  }

  async createDatabase(name: string): Promise<string> {
    const client = new pg.Client({ connectionString: this.url() });
    await client.connect();
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    await client.end();
    return this.url(name);
  }

  /** A pool with all connections already open, so that none is opened during a slice. */
  async newPool(max: number): Promise<pg.Pool> {
    const made = new pg.Pool({ connectionString: this.url(), max, idleTimeoutMillis: 0 });
    // Idle connections break when PostgreSQL stops first, which is not an error.
    made.on("error", () => {});
    const clients = await Promise.all(Array.from({ length: max }, () => made.connect()));
    for (const client of clients) client.release();
    return made;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGINT");
      await ended;
    }
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** The user that runs its programs. They start in a folder that this user may enter. */
function asOwner(): { readonly uid?: number; readonly gid?: number; readonly cwd: string } {
  return { ...owner(), cwd: "/" };
}

/** Waits until it accepts connections, and keeps reading its output, because a full pipe would block it. */
function readiness(started: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    started.once("error", reject);
    started.once("exit", () => reject(new Error(`PostgreSQL ended while starting: ${said}`)));
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
      if (said.includes("ready to accept connections")) resolve();
    });
  });
}
