import { isDeepStrictEqual } from "node:util";
import type { CountOrder, PlayerNumber } from "@openseat/kernel";
import type { AppendingLog, LadderStore, MatchQuery, StoredMatch, StreamName } from "@openseat/server";
import type { Answer, Browse } from "../requests.ts";
import { must } from "../rule.ts";
import { type Ladder, type LadderMatch, ratedFromScratch } from "./ladder.ts";

interface Past {
  readonly rooms: readonly (Ladder | undefined)[];
  /** The version known when the question arrived. */
  readonly floor: number;
}

/** LD11: a page shows one single version that is not older than what was known when the question arrived. */
export function checkBrowsed({ rooms, floor }: Past, { stream, query }: Browse, answer: Answer): void {
  must(answer.type === "browsed", "LD11", `matches of ${stream}: answered with ${answer.type}`);
  const isTrue = rooms
    .slice(floor)
    .some((ladder) => isDeepStrictEqual(answer.records, ladder ? recordsOf(ladder, query) : []));
  must(isTrue, "LD11", `matches of ${stream}: the page matches no version since ${floor}`);
}

function recordsOf(ladder: Ladder, { status, order, beyond, limit }: Browse["query"]): StoredMatch[] {
  const wanted = ladder.matches.filter(({ number, status: own }) => {
    if (beyond !== undefined && (order === "newest" ? number >= beyond : number <= beyond)) return false;
    return status === undefined || own === status;
  });
  if (order === "newest") wanted.reverse();
  return wanted.slice(0, limit).map(recordOf);
}

function recordOf(played: LadderMatch): StoredMatch {
  const { lapsesAt: _, countedAt: __, disputes: ___, effect, firstChange, ...match } = played;
  const change = (which: 0 | 1) => ({
    before: effect!.before[which].rating,
    after: effect!.after[which].rating,
    deviation: effect!.after[which].deviation,
    firstChange: firstChange?.[which] ?? null,
  });
  return { ...match, changes: effect ? [change(0), change(1)] : null } as unknown as StoredMatch;
}

const everything = { order: "oldest", limit: Number.POSITIVE_INFINITY } as const;

/** LD2: at the end, the rows of a ladder follow from its entries, and its ratings from its matches. */
export async function checkRecords(
  stream: StreamName,
  ladder: Ladder,
  { ladders: store }: AppendingLog,
): Promise<void> {
  const { marks } = ratedFromScratch(ladder);
  const had = ladder.players.map(({ mark }) => mark);
  must(isDeepStrictEqual(marks, had), "LD5", `${stream}: the ratings differ from a full recount`);
  const query: MatchQuery = { stream, ...everything };
  const [stored, expected] = [await store.matches(query), recordsOf(ladder, query)];
  must(
    stored.length === expected.length,
    "LD2",
    `${stream} has ${stored.length} rows of ${expected.length} matches`,
  );
  for (const [index, record] of stored.entries())
    must(
      isDeepStrictEqual(record, expected[index]),
      "LD2",
      `a row of ${stream} is ${JSON.stringify(record)} instead of ${JSON.stringify(expected[index])}`,
    );
  for (const { number } of ladder.players) await checkPlayed(stream, ladder, number, store);
  const named = await store.playersNamed(stream, "", Number.POSITIVE_INFINITY);
  const present = ladder.players.flatMap(({ number, leftAt }) => (leftAt === null ? [number] : []));
  must(
    isDeepStrictEqual(named.toSorted((a, b) => a - b) as number[], present),
    "LD2",
    `${stream}: unexpected rows: ${named}`,
  );
}

/** A player's matches, newest first, in all and against each opponent. */
async function checkPlayed(
  stream: StreamName,
  ladder: Ladder,
  player: number,
  store: LadderStore,
): Promise<void> {
  const all = ladder.order.map((number) => ladder.matches[number - 1]).toReversed();
  const own = all.filter(({ players }) => players.includes(player));
  if (own.length === 0) return;
  const opponents = own.flatMap(({ players }) => players.filter((one) => one !== player));
  for (const opponent of [undefined, ...new Set(opponents)]) {
    const { matches, next } = await store.played({
      ...{ stream, player: player as PlayerNumber, from: own[0].turn as CountOrder },
      ...(opponent !== undefined && { opponent: opponent as PlayerNumber }),
      limit: Number.POSITIVE_INFINITY,
    });
    const expected = own.filter(({ players }) => opponent === undefined || players.includes(opponent));
    const isRight = next === null && isDeepStrictEqual(matches, expected.map(recordOf));
    must(isRight, "LD11", `${stream}: what ${player} played against ${opponent ?? "all"} is wrong`);
  }
}
