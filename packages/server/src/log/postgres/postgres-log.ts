import { commitStreamsMax } from "../commit.ts";
import { decodeEntry } from "../entry.ts";
import type { LadderStore } from "../ladder-store.ts";
import type { FlushObserver, Log, StoreSizes } from "../log.ts";
import type { Row } from "../rows.ts";
import { sharingLimits } from "../sharing.ts";
import { Connections, type ConnectionTerms } from "./connection/connections.ts";
import { assertNotPooledByTransaction } from "./connection/pooling.ts";
import { laddersOn } from "./ladder-tables.ts";
import { LockedTransactions, shards } from "./locked-transactions.ts";
import { outboxOn, outboxSizes } from "./outbox-table.ts";
import { PostgresSharing } from "./postgres-sharing.ts";
import { migrate } from "./schema.ts";
import { snapshotsOn } from "./snapshot-tables.ts";
import { streamsOn } from "./stream-tables.ts";

const migrationMs = 30 * 60_000;

export interface PostgresTerms extends Omit<ConnectionTerms, "url"> {
  /** Unique among nodes, and new with each start of the process. */
  readonly node: string;
  readonly onFlush?: FlushObserver;
  /** Called on opening with a sentence if tables were created or are newer. */
  readonly onChange?: (sentence: string) => void;
}

/** The log on PostgreSQL, which any number of nodes share. */
export interface PostgresLog extends Log {
  readonly ladders: LadderStore;
  readonly sharing: PostgresSharing;
  sizes(): Promise<StoreSizes>;
  /** For data stored beside the log, such as secrets. */
  query(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

export const PostgresLog = {
  /** Creates or migrates the tables. Rejects with `LogUnavailable` or `LogUnusable`. */
  async open(url: string, terms: PostgresTerms): Promise<PostgresLog> {
    let isOpen = false;
    const connections = new Connections({
      ...terms,
      url,
      onFailure: (failure) => isOpen && terms.onFailure?.(failure),
      onRecovered: () => isOpen && terms.onRecovered?.(),
    });
    try {
      const session = await connections.connect({ statementMs: 0, answerMs: migrationMs });
      await assertNotPooledByTransaction(session, () => connections.connect());
      await migrate(session, terms.onChange);
      await session.close();
    } catch (error) {
      await connections.close();
      throw error;
    }
    isOpen = true;
    return logOn(connections, terms);
  },
};

function logOn(connections: Connections, { node, onFlush }: PostgresTerms): PostgresLog {
  const sharing = new PostgresSharing(connections, node);
  const transactions = new LockedTransactions(connections, onFlush);
  return {
    ...{ shards, commitStreamsMax, dueLateMs: sharingLimits.heartbeatMs, outboxLateMs: 10_000 },
    ...streamsOn(connections),
    ...outboxOn(connections),
    ...snapshotsOn(connections),
    ladders: laddersOn(connections),
    sharing,
    get failure() {
      return connections.failure;
    },
    query: (text, values) => connections.rows(text, values),
    join: (roles) => roles.node(sharing),
    commit: (wanted, decide) => transactions.commit(wanted, decide),
    async sizes() {
      const [oldest] = await this.outbox(0, 1);
      const line = oldest && (await this.line(oldest.from, oldest.version));
      return {
        ...(await outboxSizes(connections)),
        walBytes: undefined,
        outboxOldestAt: line === undefined ? undefined : decodeEntry(line).at,
      };
    },
    async close() {
      sharing.close();
      await connections.close();
    },
  };
}
