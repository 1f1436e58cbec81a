import { DatabaseSecrets } from "../../config/database-secrets.ts";
import { LogUnavailable } from "../../log/log.ts";
import { refusalOf, refusals } from "../../log/postgres/connection/failures.ts";
import { assertNotPooledByTransaction } from "../../log/postgres/connection/pooling.ts";
import { Primary } from "../../log/postgres/connection/primary.ts";
import type { Session } from "../../log/postgres/connection/session.ts";
import { CopyRefused, type End } from "../ends.ts";
import type { Row, Table } from "../tables.ts";
import { readRows } from "./postgres-rows.ts";

/** A page can take long on slow disks with large tables. */
const answerMs = 10 * 60_000;

/** Running nodes have sent a heartbeat within this time. */
const quietMs = 5_000;

/** A database at either end of a copy, on one connection. */
export abstract class PostgresEnd implements End {
  readonly shown: string;
  readonly secrets: DatabaseSecrets;
  protected readonly session: Session;

  protected constructor(session: Session, url: string) {
    this.session = session;
    this.shown = shownUrl(url);
    this.secrets = new DatabaseSecrets((text, values) => session.rows(text, values));
  }

  pages(table: Table): AsyncIterable<readonly Row[]> {
    return readRows(this.session, table);
  }

  async lastOutgoing(): Promise<number> {
    const text = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM outbox_number_seq";
    const [{ number }] = await this.session.rows(text);
    return number;
  }

  /** Heartbeats are compared with the database's clock, which nodes use too. */
  protected async assertNoNodes(): Promise<void> {
    const nodes = await this.session.rows(
      `SELECT name FROM nodes WHERE beaten_at > extract(epoch FROM clock_timestamp()) * 1000 - ${quietMs}`,
    );
    if (nodes.length === 0) return;
    const names = nodes.map(({ name }) => name).join(", ");
    throw new CopyRefused(
      `${this.shown} is in use by ${names}. Please stop all servers on it first; after a crash it takes ${quietMs / 1000} s to be noticed.`,
    );
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/** Unlike in a server, tables are full, and the other end may be slow. */
const settings = {
  ...{ enable_seqscan: "on", plan_cache_mode: "auto" },
  ...{ lock_timeout: "5s", idle_in_transaction_session_timeout: "0" },
} as const;

/** `signal` cancels all waiting for the database. */
export async function connect(
  url: string,
  signal: AbortSignal | undefined,
  own: Readonly<Record<string, string>> = {},
): Promise<Session> {
  const terms = { connectMs: 10_000, answerMs, statementMs: 0, settings: { ...settings, ...own } };
  const primary = new Primary(url);
  const session = await primary.connect(terms).catch((error: Error) => {
    if (!(error instanceof LogUnavailable)) throw error;
    const why = error.detail.replace("DATABASE_URL", "its address");
    throw new CopyRefused(`${shownUrl(url)}: ${why}`, { cause: error });
  });
  // A hanging statement must not delay Ctrl-C.
  signal?.addEventListener("abort", () => session.destroy());
  try {
    await assertNotPooledByTransaction(session, () => primary.connect(terms));
  } catch (error) {
    session.destroy();
    throw error;
  }
  return session;
}

/** Hides the password and the parameters, which may contain it too. */
function shownUrl(url: string): string {
  const [, scheme, user = "", rest] = /^(\w+:\/\/)(?:([^:@/?#]*)[^/?#]*@)?([^?#]*)/.exec(url)!;
  return `${scheme}${user}${user && "@"}${rest}`;
}

export function refusedWhenLocked(sentence: string): (error: unknown) => never {
  return (error) => {
    throw refusalOf(error) === refusals.lockTimeout ? new CopyRefused(sentence, { cause: error }) : error;
  };
}
