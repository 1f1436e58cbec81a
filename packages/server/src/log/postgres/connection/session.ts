import { Socket } from "node:net";
import pg from "pg";
import { LogUnavailable, LogUnusable } from "../../log.ts";
import type { Row } from "../../rows.ts";
import { statementsIn } from "../../statements.ts";
import { refusals, unavailable } from "./failures.ts";

/** With `values` it is prepared once per connection, by its text, so texts must be few. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
}

export interface Result {
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
  /** A failed transaction is answered with ROLLBACK for COMMIT. */
  readonly command: string;
}

export interface SessionTerms {
  readonly url: string;
  readonly connectMs: number;
  /** Without an answer for this long, the connection is given up. */
  readonly answerMs: number;
  /** 0 for no limit. */
  readonly statementMs: number;
  /** Further settings, such as `lock_timeout`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onFailure?: (failure: LogUnavailable) => void;
}

/** Older ones lack what is used here, or have reached their end of life. */
const postgresMin = 14;

const settings = {
  search_path: "openseat",
  // A plan is made once, not with each of the first five: that would cost more than the statement itself. But the tables
  // are empty then, so it has to be kept from reading them from end to end, or all that an index finds.
  ...{ plan_cache_mode: "force_generic_plan", enable_seqscan: "off", enable_bitmapscan: "off", jit: "off" },
  // A node that disappears silently is noticed even if its connection is idle.
  ...{ tcp_keepalives_idle: "10", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" },
  client_min_messages: "warning",
} as const;

/** LG2: what is committed is on the disk, whatever the default of the database is. */
const opening = statementsIn(new URL("../sql/session.sql", import.meta.url))("opening");

const answerTicks = 4;

const typed: pg.CustomTypesConfig = {
  // Versions, numbers and times stay far below 2^53.
  getTypeParser: ((oid: number, format: "text") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `openseat_${names.size + 1}`;
  names.set(text, name);
  return name;
}

function clientOf({ url, connectMs }: SessionTerms, socket: Socket): pg.Client {
  try {
    return new pg.Client({
      connectionString: url,
      stream: () => socket,
      ...{ pipeline: true, types: typed, application_name: "openseat", connectionTimeoutMillis: connectMs },
      ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    });
  } catch (error) {
    // Without the cause: its message contains the whole address with the password.
    throw new LogUnusable(
      (error as NodeJS.ErrnoException).syscall === "open"
        ? "A file that the address of the database names (sslcert, sslkey, sslrootcert) cannot be read."
        : "The address of the database cannot be read. It should be like postgres://user:password@host:5432/name.",
    );
  }
}

/** PostgreSQL cannot store the character zero. It is replaced, in what is stored and in what is searched for. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return Array.isArray(value) ? value.map(storable) : value;
}

function lastOf(result: pg.QueryResult | pg.QueryResult[]): Result {
  return Array.isArray(result) ? result.at(-1)! : result;
}

/** One connection. Statements are sent at once, and answered in their order. */
export class Session {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #terms: SessionTerms;
  #inFlight = 0;
  #silentTicks = 0;
  #watch: NodeJS.Timeout | undefined;
  #isLost = false;
  #isPooled = false;
  readonly #onLost: (() => void)[] = [];

  private constructor(client: pg.Client, socket: Socket, terms: SessionTerms) {
    this.#client = client;
    this.#socket = socket;
    this.#terms = terms;
    client.on("error", () => this.#lose());
    client.on("end", () => this.#lose());
  }

  static async connect(terms: SessionTerms): Promise<Session> {
    const { statementMs, settings } = terms;
    const socket = new Socket();
    const client = clientOf(terms, socket);
    const session = new Session(client, socket, terms);
    try {
      await client.connect();
      await session.#begin({ ...settings, statement_timeout: String(statementMs) });
    } catch (error) {
      session.destroy();
      throw error instanceof LogUnusable ? error : unavailable(error);
    }
    return session;
  }

  async #begin(own: Readonly<Record<string, string>>): Promise<void> {
    const set = Object.entries({ ...settings, ...own }).map(([name, value]) => `SET ${name} = '${value}'`);
    const [{ version, readonly, backend }] = (await this.query({ text: `${set.join(";")};${opening}` })).rows;
    if (version < postgresMin * 10_000) {
      throw new LogUnusable(
        `Openseat needs PostgreSQL ${postgresMin} or newer; this one is ${Math.floor(version / 10_000)}.`,
      );
    }
    if (readonly) throw Object.assign(new Error("read-only"), { code: refusals.readOnly });
    this.#isPooled = backend !== (this.#client as { readonly processID?: number }).processID;
  }

  /** With the password. */
  get url(): string {
    return this.#terms.url;
  }

  /** A pooler makes up the process number that it tells a client at first. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Called once; at once when the connection is lost already. */
  onLost(callback: () => void): void {
    if (this.#isLost) callback();
    else this.#onLost.push(callback);
  }

  onNotification(callback: (payload: string) => void): void {
    this.#client.on("notification", ({ payload }) => callback(payload ?? ""));
  }

  async query({ text, values }: Statement): Promise<Result> {
    this.#inFlight++;
    this.#watch ??= setInterval(() => this.#tick(), this.#terms.answerMs / answerTicks);
    try {
      if (values === undefined) return lastOf(await this.#client.query(text));
      return await this.#client.query({ name: nameOf(text), text, values: values.map(storable) });
    } catch (error) {
      const failure = unavailable(error);
      this.#terms.onFailure?.(failure);
      throw failure;
    } finally {
      this.#silentTicks = 0;
      if (--this.#inFlight === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      }
    }
  }

  /** In one round trip. Rejects with the first failure, when all have been answered. */
  async together(statements: readonly Statement[]): Promise<Result[]> {
    this.#socket.cork();
    const asked = statements.map((statement) => this.query(statement));
    this.#socket.uncork();
    const answers = await Promise.allSettled(asked);
    return answers.map((answer) => {
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    });
  }

  /** Nobody else may use the connection until it is over. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.query({ text: "BEGIN" });
    try {
      const done = await work();
      await this.commit();
      return done;
    } catch (error) {
      await this.query({ text: "ROLLBACK" }).catch(() => this.destroy());
      throw error;
    }
  }

  /** The last statements of a transaction and COMMIT, in one round trip. */
  async commit(statements: readonly Statement[] = []): Promise<Result[]> {
    const answers = await this.together([...statements, { text: "COMMIT" }]);
    const { command } = answers.pop()!;
    if (command !== "COMMIT") throw new LogUnavailable("The database has taken the transaction back.");
    return answers;
  }

  /** Ends after all statements have been answered. */
  async close(): Promise<void> {
    if (this.#isLost) return;
    const ended = new Promise<void>((resolve) => this.onLost(resolve));
    void this.#client.end().catch(() => {});
    const giveUp = setTimeout(() => this.destroy(), this.#terms.answerMs);
    await ended;
    clearTimeout(giveUp);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#lose();
  }

  #tick(): void {
    // Counted in ticks, not in time: a process that stalled has not waited.
    if (++this.#silentTicks < answerTicks) return;
    this.#lose();
    this.#socket.destroy(new Error("it does not answer"));
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const callback of this.#onLost.splice(0)) callback();
  }
}
