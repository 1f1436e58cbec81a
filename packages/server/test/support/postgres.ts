// A real PostgreSQL for tests, from npm's binaries.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectionLimits } from "../../src/log/postgres/connection/connections.ts";
import { runFolder } from "./folder.ts";
import { waitMsMax } from "./patience.ts";
import { freePort } from "./ports.ts";
import { owner, programsFor } from "./postgres-programs.ts";

const user = "openseat";
export const postgresPassword = "not-a-secret";

/**
 * Servers in the tests' own process give PostgreSQL long timeouts: with the usual few seconds, everything under way fails when
 * the machine stalls. Servers in their own processes keep their limits.
 */
Object.assign(connectionLimits, { connectMs: waitMsMax, answerMs: waitMsMax, statementMs: waitMsMax });

export interface PostgresTerms {
  /** Off if nothing crashes, so that tests need not wait for the disk. */
  readonly fsync?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** One PostgreSQL server in its own folder. It ends with this process, however that ends. */
export class PostgresServer {
  /** Its port, which never changes. */
  port = 0;
  /** Its output. */
  said = "";
  readonly #folder: string;
  readonly #keeper: ChildProcess;
  #programs!: ReturnType<typeof programsFor>;
  readonly #terms: PostgresTerms;
  #process: ChildProcess | undefined;

  private constructor(folder: string, terms: PostgresTerms) {
    this.#folder = folder;
    this.#terms = terms;
    this.#keeper = spawn("sh", ["-c", keeping, "keeper", folder], {
      ...{ ...owner(), ...apart },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#keeper.on("error", () => {});
    letGo(this.#keeper);
  }

  static async start(terms: PostgresTerms = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(runFolder ?? tmpdir(), "openseat-postgres-"));
    const server = new PostgresServer(folder, terms);
    try {
      server.give(folder);
      server.#programs = programsFor(folder);
      server.#initialise();
      await server.#startSomewhere();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** A standby that follows this server through `port`, which may be a relay's. */
  async standby(port: number, name: string): Promise<PostgresServer> {
    const folder = mkdtempSync(join(runFolder ?? tmpdir(), "openseat-standby-"));
    const standby = new PostgresServer(folder, this.#terms);
    try {
      standby.give(standby.#folder);
      standby.#programs = programsFor(standby.#folder);
      await baseBackup(this.url(), standby.#data);
      const followed = `host=127.0.0.1 port=${port} user=${user} password=${postgresPassword} application_name=${name}`;
      const settings = `primary_conninfo = '${followed}'\nrecovery_target_timeline = 'latest'\n`;
      standby.#write("postgresql.auto.conf", settings);
      standby.#write("standby.signal", "");
      await standby.#startSomewhere();
    } catch (error) {
      await standby.stop();
      throw error;
    }
    return standby;
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#data, file), text);
    this.give(join(this.#data, file));
  }

  /** Waits until this standby has everything that the primary had at the time of the call. */
  async untilReplayed(primary: PostgresServer): Promise<void> {
    const [{ written }] = await primary.run("SELECT pg_current_wal_insert_lsn() AS written");
    const deadline = performance.now() + waitMsMax;
    for (;;) {
      const [{ ok }] = await this.run(`SELECT pg_last_wal_replay_lsn() >= '${written}' AS ok`);
      if (ok) return;
      if (performance.now() > deadline) throw new Error("The standby does not follow.");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Promotes a standby to primary. */
  async promote(): Promise<void> {
    await this.run("SELECT pg_promote()");
  }

  /** PostgreSQL cannot choose a port itself, and another process may take the free one meanwhile. */
  async #startSomewhere(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.port = await freePort();
      try {
        return await this.restart();
      } catch (error) {
        if (attempt === 5 || !(error as Error).message.includes("Is another postmaster already running"))
          throw error;
      }
    }
  }

  url(database = "postgres", password = postgresPassword): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Restarts it on the same data and port. */
  async restart(): Promise<void> {
    const { fsync = true, settings = {} } = this.#terms;
    const given = {
      ...{ listen_addresses: "127.0.0.1", port: String(this.port), unix_socket_directories: "" },
      // Keep its shared memory in its folder, so that it is deleted too.
      ...{ dynamic_shared_memory_type: "mmap", max_connections: "200" },
      ...{ fsync: fsync ? "on" : "off", full_page_writes: fsync ? "on" : "off" },
      ...settings,
    };
    const args = Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const started = spawn(this.#programs.postgres, ["-D", this.#data, ...args], {
      ...{ ...owner(), ...apart },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    await this.#untilReady(started);
    letGo(started);
  }

  #untilReady(started: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      started.once("error", reject);
      started.once("exit", () => reject(new Error(`PostgreSQL ended while starting: ${this.said}`)));
      started.stderr!.setEncoding("utf8").on("data", (text: string) => {
        this.said = (this.said + text).slice(-100_000);
        if (/ready to accept (read-only )?connections/.test(text)) resolve();
      });
    });
  }

  /** Simulates a power failure, except that the machine's memory is kept. */
  async kill(): Promise<void> {
    const ending = this.#process;
    const { pid } = ending ?? {};
    if (!ending || pid === undefined || hasEnded(ending)) return;
    const ended = endOf(ending);
    // Stop it first: otherwise it would create processes while they are counted.
    process.kill(pid, "SIGSTOP");
    const children = childrenOf(pid);
    for (const each of [pid, ...children]) endHard(each);
    await ended;
    const deadline = performance.now() + waitMsMax;
    while (children.some(isAlive)) {
      if (performance.now() > deadline) throw new Error("The processes of PostgreSQL do not end.");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Stops it and deletes its data. */
  async stop(): Promise<void> {
    const ending = this.#process;
    if (ending && !hasEnded(ending)) {
      const ended = endOf(ending);
      ending.kill("SIGINT");
      await ended;
    }
    if (hasEnded(this.#keeper)) return;
    const gone = endOf(this.#keeper);
    this.#keeper.stdin!.end();
    await gone;
  }

  /** Makes a folder writable for it. */
  give(folder: string): void {
    const { uid, gid } = owner();
    if (uid !== undefined) chownSync(folder, uid, gid!);
  }

  /** Runs with a superuser's rights. */
  async run(text: string, database?: string): Promise<Record<string, unknown>[]> {
    const client = await connectTo(this.url(database));
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  #initialise(): void {
    if (template && existsSync(template)) {
      copyFolder(template, this.#data);
      return;
    }
    const secret = join(this.#folder, "password");
    writeFileSync(secret, postgresPassword);
    chmodSync(secret, 0o644);
    const args = ["--pgdata", this.#data, "--username", user, "--pwfile", secret, "--auth", "password"];
    // Do not compare by bytes, so that queries without an explicit collation are found.
    const locale = [
      "--encoding",
      "UTF8",
      "--locale",
      "C",
      "--locale-provider",
      "icu",
      "--icu-locale",
      "en-US",
    ];
    execFileSync(this.#programs.initdb, [...args, ...locale, "--no-sync"], {
      ...owner(),
      stdio: "pipe",
      cwd: "/",
    });
    if (template) keepAsTemplate(this.#data, template);
  }
}

/** A new cluster without any server yet: copied for each cluster of a test run, because `initdb` takes much longer. */
const template = runFolder && join(runFolder, "postgres");

function keepAsTemplate(data: string, kept: string): void {
  const copy = `${kept}-${process.pid}`;
  copyFolder(data, copy);
  try {
    renameSync(copy, kept);
  } catch {
    // Another process was faster.
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyFolder(from: string, to: string): void {
  execFileSync("cp", ["-Rp", from, to], { cwd: "/", stdio: "pipe" });
}

/** A test's own connection. When its server is killed, the query under way fails, but not the whole process. */
export async function connectTo(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...config });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Does what `pg_basebackup` does, which npm lacks: copies a running server's data with the WAL that completes it. */
export async function baseBackup(url: string, to: string): Promise<void> {
  const client = await connectTo(url);
  try {
    const [{ data_directory: data }] = (await client.query("SHOW data_directory")).rows;
    // Start and stop must be in one session.
    await client.query("SELECT pg_backup_start('a copy', true)");
    copyFolder(data, to);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    copyFolder(join(data, "pg_wal"), to);
    rmSync(join(to, "postmaster.pid"));
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
    const { uid, gid } = owner();
    if (uid !== undefined) chownSync(join(to, "backup_label"), uid, gid!);
  } finally {
    await client.end();
  }
}

/** A server that all tests of this process share, created on first use. Its data does not survive a crash. */
let shared: Promise<PostgresServer> | undefined;
let databases = 0;

export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start({ fsync: false });
  return shared;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A new empty database. */
export async function freshDatabase(server?: PostgresServer): Promise<FreshDatabase> {
  const home = server ?? (await sharedPostgres());
  const name = `test_${process.pid}_${++databases}`;
  // Copying the files of an empty database takes half as long as writing it to the WAL.
  await home.run(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  return {
    url: home.url(name),
    drop: async () => void (await home.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** Waits until its parent process is gone, however it ended; then stops PostgreSQL and deletes its folder. */
const keeping = `
  cat > /dev/null
  pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
  if [ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null; then
    tries=0
    while [ -e "$1/data/postmaster.pid" ] && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
  fi
  rm -rf "$1"`;

/** Ctrl-C in a terminal is for the tests: it must not reach this process, which cleans up after them. */
const apart = {
  ...{ detached: true, env: { PATH: process.env.PATH, LC_ALL: "C" } },
  // The user that PostgreSQL runs as may have no access to the tests' folder.
  cwd: "/",
} as const;

/** A child process that does not keep this process alive. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as { unref?(): void } | null)?.unref?.();
}

/** A process that waits for the child's end must stay alive. */
function endOf(child: ChildProcess): Promise<unknown> {
  child.ref();
  return once(child, "exit");
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function childrenOf(pid: number): number[] {
  if (process.platform !== "linux") {
    const listed = execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" }).split("\n");
    return listed
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([id, of]) => (of === pid ? [id] : []));
  }
  return readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) && parentOf(name) === pid ? [Number(name)] : [],
  );
}

function parentOf(pid: string): number {
  return Number(statOf(pid)?.[1]);
}

/** The process state, then its parent: the fields after the program's name in brackets, which may contain anything. */
function statOf(pid: number | string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  } catch {
    return undefined;
  }
}

function endHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited by itself meanwhile.
  }
}

function isAlive(pid: number): boolean {
  // An exited process stays listed until its parent has reaped it, which may take seconds here.
  if (process.platform === "linux") return ![undefined, "Z"].includes(statOf(pid)?.[0]);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
