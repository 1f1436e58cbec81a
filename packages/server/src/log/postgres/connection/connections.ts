import { LogUnavailable, LogUnusable } from "../../log.ts";
import type { Row } from "../../rows.ts";
import { statementsIn } from "../../statements.ts";
import { refusalOf, refusals } from "./failures.ts";
import { Primary } from "./primary.ts";
import type { Result, Session, SessionTerms, Statement } from "./session.ts";

const statement = statementsIn(new URL("../sql/session.sql", import.meta.url));

export const connectionLimits = {
  /** Connections for single statements, shared by all callers. */
  pooled: 3,
  connectMs: 3_000,
  answerMs: 5_000,
  statementMs: 4_000,
  /** How often to check whether an unavailable database is back. */
  probeMs: 250,
  /** Calls that may wait for an answer. Further ones are refused. */
  callsMax: 100_000,
};

export interface ConnectionTerms extends Partial<typeof connectionLimits> {
  readonly url: string;
  /** Called with the reason when the database cannot be used, and again only when the reason changes. */
  readonly onFailure?: (failure: LogUnavailable) => void;
  readonly onRecovered?: () => void;
}

/** Settings of the database, such as `lock_timeout`. */
type Settings = NonNullable<SessionTerms["settings"]>;

/** While the database is unavailable, every call is refused at once, until a background connection succeeds. */
export class Connections {
  readonly #terms: ConnectionTerms & typeof connectionLimits;
  readonly #primary: Primary;
  readonly #pool: Dedicated[];
  readonly #all = new Set<Session>();
  /** The server that all connections lead to. */
  #server: string | undefined;
  #failure: LogUnavailable | undefined;
  #end: LogUnavailable | undefined;
  #probe: NodeJS.Timeout | undefined;
  #calls = 0;

  constructor(terms: ConnectionTerms) {
    this.#terms = { ...connectionLimits, ...terms };
    this.#primary = new Primary(terms.url);
    this.#pool = Array.from({ length: this.#terms.pooled }, () => this.dedicated());
  }

  get failure(): LogUnavailable | undefined {
    return this.#end ?? this.#failure;
  }

  /** Uses the least busy connection. */
  query(text: string, values?: readonly unknown[]): Promise<Result> {
    return this.#use((session) => session.query(text, values));
  }

  async rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.query(text, values)).rows;
  }

  /** Runs a statement that locks rows and rolls back at once: a commit would wait for the disk. */
  async glance(statement: Statement): Promise<Result> {
    const statements = [{ text: "BEGIN" }, statement, { text: "ROLLBACK" }];
    const [, found] = await this.#use((session) => session.together(statements));
    return found;
  }

  async #use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.failure) throw this.failure;
    if (this.#calls >= this.#terms.callsMax)
      throw new LogUnavailable("Too many requests are waiting for the database.");
    this.#calls++;
    try {
      const chosen = this.#leastBusy();
      // No await if a session exists: calls made in the same tick would all choose the same idle connection.
      const session = chosen.present ?? (await chosen.session());
      return await within(this.#terms.answerMs, work(session));
    } finally {
      this.#calls--;
    }
  }

  /** A connection for one purpose. */
  dedicated(settings: Settings = {}): Dedicated {
    return new Dedicated(this, settings);
  }

  /** The caller has to close it. */
  async connect(terms: Partial<Omit<SessionTerms, "url">> = {}): Promise<Session> {
    if (this.failure) throw this.failure;
    let made: Session;
    try {
      made = await this.#primary.connect({
        ...{ ...this.#terms, ...terms },
        onFailure: (failure) => this.#heed(failure),
      });
    } catch (error) {
      // While other connections work, the database counts as available.
      if (error instanceof LogUnavailable && !this.#pool.some(({ present }) => present)) this.#stumble(error);
      throw error;
    }
    if (this.#end) {
      made.destroy();
      throw this.#end;
    }
    this.#moveTo(made.url);
    this.#all.add(made);
    made.onLost(() => this.#all.delete(made));
    return made;
  }

  /** Refuses all further calls, for example because the tables have become too new for this server. */
  refuse(reason: LogUnusable): void {
    this.#end ??= new LogUnavailable(reason.message, { cause: reason });
    clearTimeout(this.#probe);
  }

  async close(): Promise<void> {
    this.#end ??= new LogUnavailable("The log is closed.");
    clearTimeout(this.#probe);
    await Promise.all([...this.#all].map((session) => session.close()));
  }

  /** Connections to a former primary would read stale data and fail to write. */
  #moveTo(server: string): void {
    if (server === this.#server) return;
    this.#server = server;
    for (const session of [...this.#all]) if (session.url !== server) session.destroy();
  }

  #leastBusy(): Dedicated {
    return this.#pool.reduce((best, each) => (each.load < best.load ? each : best));
  }

  #heed(failure: LogUnavailable): void {
    const refusal = refusalOf(failure);
    if (refusal === refusals.readOnly || refusal === refusals.diskFull) this.#stumble(failure);
  }

  #stumble(failure: LogUnavailable): void {
    if (this.#end) return;
    const isNew = this.#failure?.detail !== failure.detail;
    if (!this.#failure) this.#probeLater();
    this.#failure = failure;
    if (isNew) this.#terms.onFailure?.(failure);
  }

  #probeLater(): void {
    this.#probe = setTimeout(() => void this.#tryToConnect(), this.#terms.probeMs);
  }

  async #tryToConnect(): Promise<void> {
    let found: Session | undefined;
    try {
      found = await this.#primary.connect(this.#terms);
      if (refusalOf(this.#failure) === refusals.diskFull) await assertRoom(found);
    } catch (error) {
      if (this.#end) return;
      if (error instanceof LogUnusable) return this.refuse(error);
      this.#stumble(error as LogUnavailable);
      return this.#probeLater();
    } finally {
      void found?.close();
    }
    if (this.#end) return;
    this.#moveTo(found.url);
    this.#failure = undefined;
    this.#terms.onRecovered?.();
  }
}

/** A connection for one purpose, created on first use and again after it broke. */
export class Dedicated {
  readonly #connections: Connections;
  readonly #settings: Settings;
  #session: Session | undefined;
  #connecting: Promise<Session> | undefined;
  #waiting = 0;

  constructor(connections: Connections, settings: Settings) {
    this.#connections = connections;
    this.#settings = settings;
  }

  get present(): Session | undefined {
    return this.#session?.isLost ? undefined : this.#session;
  }

  get load(): number {
    return this.#waiting + (this.present?.inFlight ?? 0);
  }

  /** Rejects at once while the database is unavailable. */
  async session(): Promise<Session> {
    if (this.#connections.failure) throw this.#connections.failure;
    if (this.present) return this.present;
    this.#connecting ??= this.#renew();
    this.#waiting++;
    try {
      return await this.#connecting;
    } finally {
      this.#waiting--;
    }
  }

  async #renew(): Promise<Session> {
    try {
      this.#session = await this.#connections.connect({ settings: this.#settings });
      return this.#session;
    } finally {
      this.#connecting = undefined;
    }
  }
}

/** Writes more than the free pages can hold, and rolls back. */
async function assertRoom(session: Session): Promise<void> {
  await session.together([{ text: "BEGIN" }, { text: statement("filling") }, { text: "ROLLBACK" }]);
}

/** The statements before it on the connection have their own timeouts, which could add up to too much. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LogUnavailable("The database took too long.")), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
