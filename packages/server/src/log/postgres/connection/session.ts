import { Socket } from "node:net";
import pg from "pg";
import { LogUnavailable, LogUnusable } from "../../log.ts";
import type { Row } from "../../rows.ts";
import { statementsIn } from "../../statements.ts";
import { refusals, unavailable } from "./failures.ts";

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
}

export interface Result {
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
  /** A failed transaction answers COMMIT with ROLLBACK. */
  readonly command: string;
}

export interface SessionTerms {
  readonly url: string;
  readonly connectMs: number;
  /** The connection is closed if there is no answer for this long. */
  readonly answerMs: number;
  /** 0 means no limit. */
  readonly statementMs: number;
  /** Further settings, such as `lock_timeout`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onFailure?: (failure: LogUnavailable) => void;
}

/** Older versions lack required features or have reached their end of life. */
const postgresMin = 14;

const settings = {
  search_path: "openseat",
  // Plan once instead of with each of the first five executions, which would cost more than the statement itself. Tables are
  // empty at that time, so forbid plans that scan whole tables.
  ...{ plan_cache_mode: "force_generic_plan", enable_seqscan: "off", enable_bitmapscan: "off", jit: "off" },
  // Detects a node that disappears silently, even on an idle connection.
  ...{ tcp_keepalives_idle: "10", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" },
  client_min_messages: "warning",
} as const;

/** LG2: committed data is on the disk, whatever the database's default is. */
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
    // Omit the cause: its message contains the whole address with the password.
    throw new LogUnusable(
      (error as NodeJS.ErrnoException).syscall === "open"
        ? "A file in the database URL (sslcert, sslkey, sslrootcert) cannot be read."
        : "The database URL is invalid. It should look like postgres://user:password@host:5432/name.",
    );
  }
}

/** PostgreSQL cannot store the null character. It is replaced in stored values and in search texts. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return Array.isArray(value) ? value.map(storable) : value;
}

function lastOf(result: pg.QueryResult | pg.QueryResult[]): Result {
  return Array.isArray(result) ? result.at(-1)! : result;
}

/** One connection. Statements are sent at once and answered in order. */
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
    const [{ version, readonly, backend }] = await this.rows(`${set.join(";")};${opening}`);
    if (version < postgresMin * 10_000) {
      throw new LogUnusable(
        `Openseat needs PostgreSQL ${postgresMin} or newer; this one is ${Math.floor(version / 10_000)}.`,
      );
    }
    if (readonly) throw Object.assign(new Error("read-only"), { code: refusals.readOnly });
    this.#isPooled = backend !== (this.#client as { readonly processID?: number }).processID;
  }

  /** Includes the password. */
  get url(): string {
    return this.#terms.url;
  }

  /** A pooler initially tells its clients a made-up process number. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Called once, or at once if the connection is already lost. */
  onLost(callback: () => void): void {
    if (this.#isLost) callback();
    else this.#onLost.push(callback);
  }

  onNotification(callback: (payload: string) => void): void {
    this.#client.on("notification", ({ payload }) => callback(payload ?? ""));
  }

  async rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.query(text, values)).rows;
  }

  /** A statement with `values` is prepared once per connection and text, so there must be few texts. */
  async query(text: string, values?: readonly unknown[]): Promise<Result> {
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

  /** Uses one round trip. Rejects with the first failure after all have been answered. */
  async together(statements: readonly Statement[]): Promise<Result[]> {
    this.#socket.cork();
    const asked = statements.map(({ text, values }) => this.query(text, values));
    this.#socket.uncork();
    const answers = await Promise.allSettled(asked);
    return answers.map((answer) => {
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    });
  }

  /** Nobody else may use the connection until the transaction ends. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.query("BEGIN");
    try {
      const done = await work();
      await this.commit();
      return done;
    } catch (error) {
      await this.query("ROLLBACK").catch(() => this.destroy());
      throw error;
    }
  }

  /** Sends the last statements of a transaction and COMMIT in one round trip. */
  async commit(statements: readonly Statement[] = []): Promise<Result[]> {
    const answers = await this.together([...statements, { text: "COMMIT" }]);
    const { command } = answers.pop()!;
    if (command !== "COMMIT") throw new LogUnavailable("The database has rolled the transaction back.");
    return answers;
  }

  /** Closes the connection after all statements have been answered. */
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
    // Count ticks instead of time: a suspended process has not waited.
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
