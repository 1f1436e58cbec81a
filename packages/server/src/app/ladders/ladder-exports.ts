import type { Refusal } from "@openseat/kernel";
import type { LadderMatch, LadderPlayer, RatingStep } from "@openseat/protocol";
import type { TimeSlices } from "../../time-slices.ts";
import { csvRow } from "./import/csv.ts";
import type { LadderBook } from "./ladder-book.ts";

export type ExportWanted = { readonly id: string; readonly format: "csv" | "json" } & (
  | { readonly what: "standings" | "matches" }
  | { readonly what: "history"; readonly player: string }
);

/** A table as it is taken out: the names of its columns, and its rows a page at a time. */
interface Table<Item> {
  readonly columns: readonly string[];
  readonly valuesOf: (item: Item) => (string | number | boolean | null)[];
  readonly pages: AsyncGenerator<readonly Item[]>;
}

/** Takes about 1 ms. */
const pageItems = 500;

/** LD11: all of it, a page at a time: a long ladder is never held whole. Matches are the oldest first, a history the newest. */
export class LadderExports {
  readonly #book: LadderBook;
  readonly #slices: TimeSlices;

  constructor(book: LadderBook, slices: TimeSlices) {
    this.#book = book;
    this.#slices = slices;
  }

  /** The text in pieces; a refusal when there is nothing of the kind. */
  async text(wanted: ExportWanted): Promise<AsyncGenerator<string> | { refusal: Refusal }> {
    const { id } = wanted;
    const probe =
      wanted.what === "history"
        ? await this.#book.historyPage(id, wanted.player, undefined, 1)
        : await this.#book.standingsPage(id, undefined, 1);
    if ("refusal" in probe) return probe;
    const { format } = wanted;
    switch (wanted.what) {
      case "standings":
        return textOf({ ...standingsTable, pages: this.#paced(this.#standings(id)) }, format);
      case "matches":
        return textOf({ ...matchTable, pages: this.#paced(this.#matches(id)) }, format);
      case "history":
        return textOf({ ...historyTable, pages: this.#paced(this.#history(id, wanted.player)) }, format);
    }
  }

  /** Standings come from memory, without waiting for anything: without pauses, nobody else is served until the last page. */
  async *#paced<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
    for (;;) {
      const page = await this.#slices.run(() => pages.next());
      if (page.done) return;
      yield page.value;
    }
  }

  async *#standings(id: string): AsyncGenerator<LadderPlayer[]> {
    let cursor: Parameters<LadderBook["standingsPage"]>[1];
    for (;;) {
      const { players, last } = foundIn(await this.#book.standingsPage(id, cursor, pageItems));
      if (!last) return;
      yield players;
      cursor = last;
    }
  }

  #matches(id: string): AsyncGenerator<readonly LadderMatch[]> {
    return pagesOf((beyond) => this.#book.matchPage(id, { order: "oldest", beyond, limit: pageItems }));
  }

  #history(id: string, player: string): AsyncGenerator<readonly RatingStep[]> {
    return pagesOf((from) => this.#book.historyPage(id, player, from, pageItems));
  }
}

async function* pagesOf<Item>(
  ask: (
    beyond: number | undefined,
  ) => Promise<{ value: { items: readonly Item[]; nextCursor: string | null } } | { refusal: Refusal }>,
): AsyncGenerator<readonly Item[]> {
  let beyond: number | undefined;
  for (;;) {
    const { items, nextCursor } = foundIn(await ask(beyond));
    yield items;
    if (nextCursor === null) return;
    beyond = Number(nextCursor);
  }
}

/** In the middle of an answer nothing can be refused any more: it breaks off, and whoever reads it sees that it did. */
function foundIn<Value>(found: { value: Value } | { refusal: Refusal }): Value {
  if ("refusal" in found) throw new Error(found.refusal.message);
  return found.value;
}

async function* textOf<Item>(
  { columns, valuesOf, pages }: Table<Item>,
  format: "csv" | "json",
): AsyncGenerator<string> {
  const isCsv = format === "csv";
  yield isCsv ? csvRow(columns) : "[";
  let isFirst = true;
  for await (const page of pages) {
    const pieces = page.map((item) => (isCsv ? csvRow(valuesOf(item)) : `\n${JSON.stringify(item)}`));
    if (pieces.length === 0) continue;
    yield (isFirst || isCsv ? "" : ",") + pieces.join(isCsv ? "" : ",");
    isFirst = false;
  }
  if (!isCsv) yield "\n]\n";
}

const standingsTable = {
  columns: [
    ...["rank", "userId", "name", "rating", "deviation", "provisional", "games", "wins", "draws", "losses"],
    ...["version", "enrolledAt"],
  ],
  valuesOf: (player: LadderPlayer) => [
    ...[player.rank, player.userId, player.name, player.rating, player.deviation, player.provisional],
    ...[player.games, player.wins, player.draws, player.losses, player.version, player.enrolledAt],
  ],
};

/** The columns that an import reads are among them, by the same names. */
const matchTable = {
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
  columns: [
    ...["match", "status", "at", "opponent", "opponentName", "score", "opponentScore", "before", "after"],
    ...["deviation", "recounted", "firstChange"],
  ],
  valuesOf: (step: RatingStep) => [
    ...[step.match, step.status, step.at, step.opponent.userId, step.opponent.name, step.score],
    ...[step.opponentScore, step.before, step.after, step.deviation, step.recounted, step.firstChange],
  ],
};
