import { isDeepStrictEqual } from "node:util";
import type { ArenaEvent, Ended } from "@openseat/kernel";
import type { MatchResult, Replay } from "@openseat/protocol";
import type { Entry } from "@openseat/server";
import type { Answer, Recall } from "../requests.ts";
import { must } from "../rule.ts";
import type { Arena } from "./arena.ts";
import { newTable } from "./tables.ts";
import { resultOf, sightShown } from "./view.ts";

/** Matches per page. */
export const recalledMax = 5;

interface Past {
  readonly rooms: readonly (Arena | undefined)[];
  readonly entries: readonly Entry<ArenaEvent>[];
  /** The version known when the question arrived. */
  readonly floor: number;
}

interface Finished {
  readonly ended: Ended;
  readonly at: Entry["at"];
  readonly version: number;
}

function endIn({ events, at, version }: Entry<ArenaEvent>): Finished[] {
  return events.flatMap((event) => (event.type === "ended" ? [{ ended: event, at, version }] : []));
}

/** MT4: past matches are returned as they were played. */
export function checkRecall(past: Past, { match, stream }: Recall, answer: Answer): void {
  const about = match === undefined ? `matches of ${stream}` : `match ${match} of ${stream}`;
  if (answer.type === "refused") {
    const isTrue = obstaclesToRecalling(past, match).includes(answer.refusal.code);
    must(isTrue, "MT4", `${about}: refused with ${answer.refusal.code}`);
  } else {
    must(answer.type === "recalled", "MT4", `${about}: answered with something else`);
    const isTrue = match === undefined ? isPage(past, answer.data) : isMatch(past, match, answer.data);
    must(isTrue, "MT4", `${about}: the answer differs from what was played`);
  }
}

/** Every refusal that was valid at some version since the question arrived. */
function obstaclesToRecalling({ rooms, entries, floor }: Past, match: number | undefined): string[] {
  const isNone = floor === 0 ? ["room.not-found"] : [];
  if (match === undefined) return isNone;
  const isStarted = entries[match - 1]?.events.some(({ type }) => type === "started");
  if (!isStarted || match > floor) isNone.push("match.not-found");
  const wasRunning = rooms.some((room, version) => version >= floor && room?.match?.id === match);
  return wasRunning ? [...isNone, "match.running"] : isNone;
}

function isPage({ rooms, entries, floor }: Past, data: unknown): boolean {
  const { matches, nextCursor } = data as { matches: MatchResult[]; nextCursor: string | null };
  const labels = rooms.at(-1)?.terms.labels ?? [];
  const all = entries.flatMap(endIn);
  const known = all.filter(({ version }) => version <= floor).length;
  for (let count = known; count <= all.length; count++) {
    const newest = all.slice(0, count).reverse();
    const page = newest.slice(0, recalledMax).map((each) => resultOf(labels, each));
    const next = newest.at(recalledMax)?.version;
    if (isDeepStrictEqual(matches, page) && nextCursor === (next === undefined ? null : String(next)))
      return true;
  }
  return false;
}

function isMatch({ rooms, entries }: Past, id: number, data: unknown): boolean {
  const { match, start, moves } = data as Replay;
  const { terms } = rooms[id]!;
  const started = entries[id - 1].events.find((event) => event.type === "started");
  const finished = entries.flatMap(endIn).find(({ ended }) => ended.match === id);
  if (!started || !finished) return false;
  let table = terms.game === null ? null : newTable(terms.game, started.seed, terms.options);
  const isStart = isDeepStrictEqual(sightShown(start), table?.sight(undefined) ?? null);
  const played = entries.slice(id, finished.version).flatMap(({ events, at }) =>
    events.flatMap((event) => {
      if (event.type !== "moved" || !table) return [];
      table = table.play(event.seat, event.move);
      const label = terms.labels[event.seat];
      return [{ label, move: event.move, at: new Date(at).toISOString(), sight: table.sight(undefined) }];
    }),
  );
  const shownMoves = moves.map((move) => ({ ...move, sight: sightShown(move.sight) }));
  return (
    isStart &&
    isDeepStrictEqual(shownMoves, played) &&
    isDeepStrictEqual(match, resultOf(terms.labels, finished))
  );
}
