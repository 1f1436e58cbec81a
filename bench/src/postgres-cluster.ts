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

/** A PostgreSQL of its own, as it comes but for how many may connect. As root it runs as another user, who must own its folder. */
export class PostgresCluster {
  readonly #process: ChildProcess;
  readonly #data: string;
  readonly #port: number;

  private constructor(started: ChildProcess, data: string, port: number) {
    this.#process = started;
    this.#data = data;
    this.#port = port;
  }

  /** Its data are in this folder, which has to be there, and go when it stops. */
  static async start(folder: string): Promise<PostgresCluster> {
    const programs = programsFor(folder);
    const data = join(folder, "data");
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password);
    // Its user is another one than ours when we are root.
    chmodSync(passwordFile, 0o644);
    const terms = [`--username=${user}`, `--pwfile=${passwordFile}`, "--auth=password", "--lc-messages=C"];
    execFileSync(programs.initdb, [`--pgdata=${data}`, ...terms], { ...asOwner(), stdio: "pipe" });
    const port = await freePort();
    // As most have it: over TCP, from another process. Its own socket goes where no other PostgreSQL looks for one.
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

  /** A pool with all its connections open, so that none is opened in a slice. */
  async newPool(max: number): Promise<pg.Pool> {
    const made = new pg.Pool({ connectionString: this.url(), max, idleTimeoutMillis: 0 });
    // When PostgreSQL ends first, resting connections break: that is no reason to end in trouble.
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

/** Whose rights its programs have. They start in a folder that this user can enter. */
function asOwner(): { readonly uid?: number; readonly gid?: number; readonly cwd: string } {
  return { ...owner(), cwd: "/" };
}

/** Waits until it takes connections, and goes on reading what it prints: it would stop at a full pipe. */
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
