import { isDeepStrictEqual } from "node:util";
import type { PlayerNumber } from "@openseat/kernel";
import type { HeadToHeadRecord, Log, MatchQuery, MatchRecord, StreamName } from "@openseat/server";
import type { Answer, Browse } from "../requests.ts";
import { must } from "../rule.ts";
import { countedOf, type Ladder, type LadderMatch, ratedFromScratch } from "./ladder.ts";

interface Past {
  readonly rooms: readonly (Ladder | undefined)[];
  /** What was known when the question came. */
  readonly floor: number;
}

/** LD11: a page is what it was at one moment since the question came: nothing of it half, nothing of it later. */
export function checkBrowsed({ rooms, floor }: Past, { stream, query }: Browse, answer: Answer): void {
  must(answer.type === "browsed", "LD11", `matches of ${stream}: answered with ${answer.type}`);
  const isTrue = rooms
    .slice(floor)
    .some((ladder) => isDeepStrictEqual(answer.records, ladder ? recordsOf(ladder, query) : []));
  must(isTrue, "LD11", `matches of ${stream}: told as they were at no time since version ${floor}`);
}

function recordsOf(ladder: Ladder, query: Browse["query"]): MatchRecord[] {
  const { player, status, order, beyond, limit } = query;
  // Those of one player are in the order in which they came to count.
  const all =
    player === undefined ? ladder.matches : ladder.order.map((number) => ladder.matches[number - 1]);
  const wanted = all.filter(({ number, turn, players, status: own }) => {
    const place = player === undefined ? number : turn!;
    if (beyond !== undefined && (order === "newest" ? place >= beyond : place <= beyond)) return false;
    if (player !== undefined) return players.includes(player);
    return status === undefined || own === status;
  });
  if (order === "newest") wanted.reverse();
  return wanted.slice(0, limit).map(recordOf);
}

function recordOf({ lapsesAt: _, countedAt: __, effect, firstChange, ...match }: LadderMatch): MatchRecord {
  const change = (which: 0 | 1) => ({
    before: effect!.before[which].rating,
    after: effect!.after[which].rating,
    deviation: effect!.after[which].deviation,
    firstChange: firstChange?.[which] ?? null,
  });
  return { ...match, changes: effect ? [change(0), change(1)] : null } as unknown as MatchRecord;
}

const everything = { order: "oldest", limit: Number.POSITIVE_INFINITY } as const;

/** LD2: in the end the rows of a ladder are those that follow from its entries, and its ratings those of its matches. */
export async function checkRecords(stream: StreamName, ladder: Ladder, store: Log): Promise<void> {
  const { marks } = ratedFromScratch(ladder);
  const had = ladder.players.map(({ mark }) => mark);
  must(
    isDeepStrictEqual(marks, had),
    "LD5",
    `${stream}: the ratings are not those of its matches in their order`,
  );
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
      `a row of ${stream} says ${JSON.stringify(record)} in place of ${JSON.stringify(expected[index])}`,
    );
  for (const { number } of ladder.players) await checkEncounters(stream, ladder, number, store);
  const named = await store.playersNamed(stream, "", Number.POSITIVE_INFINITY);
  const present = ladder.players.flatMap(({ number, leftAt }) => (leftAt === null ? [number] : []));
  must(
    isDeepStrictEqual(named.toSorted((a, b) => a - b) as number[], present),
    "LD2",
    `${stream}: ${named} are there`,
  );
}

/** Against each of the opponents of a player. */
async function checkEncounters(
  stream: StreamName,
  ladder: Ladder,
  player: number,
  store: Log,
): Promise<void> {
  const matches = countedOf(ladder, player).map(({ players, scores }) => {
    const own = players[0] === player ? 0 : 1;
    return { opponent: players[1 - own], points: scores[own], opponentPoints: scores[1 - own] };
  });
  for (const opponent of new Set(matches.map((match) => match.opponent))) {
    const between = matches.filter((match) => match.opponent === opponent);
    const sum = (count: (match: (typeof between)[number]) => number) =>
      between.reduce((total, match) => total + count(match), 0);
    const expected: HeadToHeadRecord = {
      wins: sum(({ points, opponentPoints }) => Number(points > opponentPoints)),
      draws: sum(({ points, opponentPoints }) => Number(points === opponentPoints)),
      losses: sum(({ points, opponentPoints }) => Number(points < opponentPoints)),
      points: sum(({ points }) => points),
      opponentPoints: sum(({ opponentPoints }) => opponentPoints),
    };
    const told = await store.headToHead(stream, [player as PlayerNumber, opponent as PlayerNumber]);
    must(
      isDeepStrictEqual(told, expected),
      "LD2",
      `${stream}: ${player} against ${opponent} is told wrongly`,
    );
  }
}
