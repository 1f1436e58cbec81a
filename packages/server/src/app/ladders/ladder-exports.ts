import type {
  LadderExportQuery,
  LadderMatch,
  LadderMatchList,
  LadderPlayer,
  RatingHistory,
  RatingStep,
  Standings,
} from "@openseat/protocol";
import type { TimeSlices } from "../../scheduling/time-slices.ts";
import { invalidInput } from "../invalid-input.ts";
import { type AsyncResult, mapped, refused } from "../result.ts";
import { csvRow } from "./import/csv.ts";
import type { LadderBook } from "./ladder-book.ts";

interface Table<Page, Item> {
  readonly itemsOf: (page: Page) => readonly Item[];
  readonly columns: readonly string[];
  readonly valuesOf: (item: Item) => (string | number | boolean | null)[];
}

interface AnyPage {
  readonly nextCursor: string | null;
}

type Format = LadderExportQuery["format"];
type PageAt<Page> = (cursor?: string) => AsyncResult<Page>;

/** Takes about 1 ms. */
const pageItems = 500;

/** LD11: page by page, so that a long ladder is never in memory as a whole. */
export class LadderExports {
  readonly #book: LadderBook;
  readonly #slices: TimeSlices;

  constructor(book: LadderBook, slices: TimeSlices) {
    this.#book = book;
    this.#slices = slices;
  }

  /** Matches come oldest first, a history newest first. */
  async text(id: string, query: LadderExportQuery): AsyncResult<AsyncGenerator<string>> {
    const { what, format, player } = query;
    const book = this.#book;
    const limit = pageItems;
    if (what === "standings")
      return this.#text(format, standingsTable, (cursor) => book.standings(id, { cursor, limit }));
    if (what === "matches")
      return this.#text(format, matchTable, (cursor) =>
        book.matches(id, { order: "oldest", beyond: numberIn(cursor), limit }),
      );
    if (player === undefined) return refused(invalidInput("query", "player", "is required for a history"));
    return this.#text(format, historyTable, (cursor) => book.history(id, player, numberIn(cursor), limit));
  }

  /** In time slices: standings come from memory without waiting, so other requests would starve until the last page. */
  async #text<Page extends AnyPage, Item>(
    format: Format,
    table: Table<Page, Item>,
    ask: PageAt<Page>,
  ): AsyncResult<AsyncGenerator<string>> {
    const pageAt: PageAt<Page> = (cursor) => this.#slices.run(() => ask(cursor));
    return mapped(await pageAt(), (first) => textOf(format, table, first, pageAt));
  }
}

function numberIn(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : Number(cursor);
}

async function* textOf<Page extends AnyPage, Item>(
  format: Format,
  { itemsOf, columns, valuesOf }: Table<Page, Item>,
  first: Page,
  pageAt: PageAt<Page>,
): AsyncGenerator<string> {
  const isCsv = format === "csv";
  yield isCsv ? csvRow(columns) : "[";
  let isFirst = true;
  for (let page: Page | undefined = first; page; page = await pageAfter(page, pageAt)) {
    const pieces = itemsOf(page).map((item) =>
      isCsv ? csvRow(valuesOf(item)) : `\n${JSON.stringify(item)}`,
    );
    if (pieces.length === 0) continue;
    yield (isFirst || isCsv ? "" : ",") + pieces.join(isCsv ? "" : ",");
    isFirst = false;
  }
  if (!isCsv) yield "\n]\n";
}

/** A response that has begun can no longer be refused, so it is cut off. */
async function pageAfter<Page extends AnyPage>(
  { nextCursor }: Page,
  pageAt: PageAt<Page>,
): Promise<Page | undefined> {
  if (nextCursor === null) return undefined;
  const found = await pageAt(nextCursor);
  if ("refusal" in found) throw new Error(found.refusal.message);
  return found.value;
}

const standingColumns = [
  ...(["rank", "userId", "name", "rating", "deviation", "provisional", "games"] as const),
  ...(["wins", "draws", "losses", "version", "enrolledAt"] as const),
];
const standingsTable = {
  itemsOf: ({ players }: Standings) => players,
  columns: standingColumns,
  valuesOf: (player: LadderPlayer) => standingColumns.map((name) => player[name]),
};

/** An import reads these columns by the same names. */
const matchTable = {
  itemsOf: ({ matches }: LadderMatchList) => matches,
  columns: [
    ...["match", "turn", "status", "at", "playerA", "playerB", "scoreA", "scoreB", "nameA", "nameB"],
    ...["beforeA", "afterA", "beforeB", "afterB", "reportedBy"],
  ],
  valuesOf: ({ id, turn, status, playedAt, reportedAt, players: [a, b], reportedBy }: LadderMatch) => [
    ...[id, turn, status, playedAt ?? reportedAt, a.userId, b.userId, a.score, b.score, a.name, b.name],
    ...[a.before, a.after, b.before, b.after, reportedBy],
  ],
};

const historyTable = {
  itemsOf: ({ history }: RatingHistory) => history,
  columns: [
    ...["match", "status", "at", "opponent", "opponentName", "score", "opponentScore", "before", "after"],
    ...["deviation", "recounted", "firstChange"],
  ],
  valuesOf: (step: RatingStep) => [
    ...[step.match, step.status, step.at, step.opponent.userId, step.opponent.name, step.score],
    ...[step.opponentScore, step.before, step.after, step.deviation, step.recounted, step.firstChange],
  ],
};
