/** As both kinds of store have them: whole numbers up to 2^53, doubles, texts, bytes. */
type ColumnType = "integer" | "real" | "text" | "bytes";
export type Value = number | string | Uint8Array | null;
/** The values of the columns, in their order. */
export type Row = readonly Value[];

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Whole numbers that tell rows apart; rows are read in their order. */
  readonly key: readonly string[];
  /** What is not so is left behind. */
  readonly only?: string;
  /** The same, where several nodes write. */
  readonly onlyInPostgres?: string;
}

export const streamsTable = {
  name: "streams",
  columns: {
    number: "integer",
    name: "text",
    kind: "text",
    version: "integer",
    hash: "text",
    due: "integer",
    status: "text",
    summary: "text",
    creator: "text",
  },
  key: ["number"],
  // A row that somebody has locked before there was an entry is no stream yet; in SQLite it would refuse the first one.
  only: "version > 0",
} as const satisfies Table;

export const batchesTable = {
  name: "batches",
  columns: { stream: "integer", first: "integer", count: "integer", lines: "text", hash: "text" },
  key: ["stream", "first"],
} as const satisfies Table;

const snapshotsTable: Table = {
  name: "snapshots",
  columns: { stream: "integer", version: "integer", hash: "text" },
  key: ["stream"],
};

/** Parts of the snapshot that counts. Others are of one that was replaced, or never finished. */
const ofSnapshot =
  "EXISTS (SELECT 1 FROM snapshots AS head WHERE head.stream = snapshot_parts.stream AND head.version = snapshot_parts.version";

const snapshotPartsTable: Table = {
  name: "snapshot_parts",
  columns: { stream: "integer", version: "integer", part: "integer", bytes: "bytes" },
  key: ["stream", "version", "part"],
  only: `${ofSnapshot})`,
  // Two nodes may have saved it at once.
  onlyInPostgres: `${ofSnapshot} AND head.saving = snapshot_parts.saving)`,
};

const playersTable: Table = {
  name: "players",
  columns: {
    ladder: "integer",
    number: "integer",
    person: "text",
    name: "text",
    rating: "real",
    deviation: "real",
    volatility: "real",
    wins: "integer",
    draws: "integer",
    losses: "integer",
    version: "integer",
    enrolled_at: "integer",
    left_at: "integer",
  },
  key: ["ladder", "number"],
};

const matchesTable: Table = {
  name: "matches",
  columns: {
    ladder: "integer",
    number: "integer",
    key: "text",
    turn: "integer",
    status: "text",
    first: "integer",
    second: "integer",
    first_score: "integer",
    second_score: "integer",
    reporter: "text",
    reported_at: "integer",
    played_at: "integer",
    changed_at: "integer",
  },
  key: ["ladder", "number"],
};

const ratingHistoryTable: Table = {
  name: "rating_history",
  columns: {
    ladder: "integer",
    turn: "integer",
    player: "integer",
    match: "integer",
    previous: "integer",
    opponent: "integer",
    before: "real",
    after: "real",
    deviation: "real",
    volatility: "real",
    first_change: "real",
  },
  key: ["ladder", "turn", "player"],
};

const outboxTable: Table = {
  name: "outbox",
  columns: {
    number: "integer",
    source: "integer",
    version: "integer",
    target: "text",
    body: "text",
    failure: "text",
    failed_at: "integer",
  },
  key: ["number"],
};

/** All that a log is made of. Streams first: the others refer to them. */
export const tables: readonly Table[] = [
  streamsTable,
  batchesTable,
  snapshotsTable,
  snapshotPartsTable,
  playersTable,
  matchesTable,
  ratingHistoryTable,
  outboxTable,
];
