import { assert, type Both, type Millis } from "../values.ts";
import type {
  Counted,
  Created,
  Enrolled,
  Expired,
  LadderEvent,
  Recount,
  Reported,
  Voided,
} from "./events.ts";
import { otherwise } from "./matches/recount.ts";
import { type Rating, scoreOf } from "./ratings/rating.ts";
import { type Ladder, newLadder, type PlayerNumber } from "./state.ts";

/** Applies events. The asserts catch a log that another version or a bug has made inconsistent. */
export function evolve(ladder: Ladder | undefined, event: LadderEvent, at: Millis): Ladder {
  if (event.type === "created") {
    assert(ladder === undefined, "a ladder was created twice");
    const { rating, settings, creator } = event;
    return newLadder({ rating, creator, createdAt: at }, settings);
  }
  assert(ladder !== undefined, "an event before the ladder was created");
  change(ladder, event, at);
  return ladder;
}

function change(ladder: Ladder, event: Exclude<LadderEvent, Created>, at: Millis): void {
  switch (event.type) {
    case "configured":
      ladder.settings = event.settings;
      break;
    case "enrolled":
      enrol(ladder, event, at);
      break;
    case "returned":
      ladder.players.return(event.player, event.name);
      ladder.standings.moved(event.player);
      break;
    case "left":
      ladder.players.leave(event.player, at);
      ladder.standings.moved(event.player);
      break;
    case "banned":
      assert(!ladder.banned.has(event.player), "a player was banned twice");
      ladder.banned.add(event.player);
      break;
    case "unbanned":
      assert(ladder.banned.delete(event.player), "a player was unbanned who was not banned");
      break;
    case "reported":
      report(ladder, event);
      break;
    case "counted":
      settle(ladder, event.match, "counted");
      count(ladder, event, at);
      break;
    case "declined":
    case "lapsed":
      settle(ladder, event.match, event.type);
      break;
    case "voided":
      takeBack(ladder, event);
      break;
    case "import-begun":
      ladder.imports.set(event.digest, { rows: event.rows.length, begunAt: at, done: 0, at });
      ladder.importing = { digest: event.digest, rows: event.rows };
      break;
    case "imported":
      goOnImporting(ladder, event.digest, event.done, at);
      break;
    case "received":
      ladder.sources.set(event.from, event.version);
      break;
    case "renamed":
      ladder.players.rename(event.player, event.name);
      break;
    case "answered":
      // Nothing to remember: the key of the entry has it.
      if (event.registered) ladder.registrations.set(event.registered.person, event.registered.heardAt);
      break;
    case "expired":
      end(ladder, event.reason, at);
      break;
    default:
      // Crash on an unknown event: skipping one from a newer server would leave wrong ratings.
      assert(false, "an event of an unknown type");
  }
}

function end(ladder: Ladder, reason: Expired["reason"], at: Millis): void {
  if (reason === "unused") assert(ladder.players.size === 0, "a ladder that was used expired");
  ladder.isClosed = reason === "ended_by_hand";
  ladder.endedAt = at;
}

function goOnImporting(ladder: Ladder, digest: string, done: number, at: Millis): void {
  const progress = ladder.imports.get(digest)!;
  // Replace the object: a snapshot that is being written still uses the old one.
  ladder.imports.set(digest, { ...progress, done, at });
  if (done === progress.rows) ladder.importing = undefined;
}

function enrol(ladder: Ladder, event: Enrolled, at: Millis): void {
  const { players, standings, terms } = ladder;
  if (!ladder.isClosed) ladder.endedAt = undefined;
  const { deviation, volatility } = terms.rating;
  const player = players.enrol(event.person, event.name, { rating: event.rating, deviation, volatility }, at);
  assert(player === event.player, "a player out of order");
  standings.enter(player);
}

function report({ statuses, pending, lapses }: Ladder, event: Reported): void {
  const { match, players, scores, reporter, lapsesAt, network, disputes } = event;
  const from = network === undefined ? {} : { network };
  const dispute = disputes === undefined ? {} : { disputes };
  statuses.set(match, "pending");
  pending.add(match, { players, scores, reporter, lapsesAt, ...from, ...dispute });
  lapses.add(match, lapsesAt);
}

/** Removes a match from the pending ones, whatever its outcome. */
function settle(
  ladder: Ladder,
  match: Counted["match"],
  status: "counted" | "voided" | "declined" | "lapsed",
): void {
  ladder.statuses.set(match, status);
  ladder.pending.delete(match);
  ladder.lapses.tidy(ladder.pending.size);
}

function count(ladder: Ladder, event: Counted, at: Millis): void {
  const { players, standings, counted } = ladder;
  const { match, reporter } = event;
  const [first, second] = event.players;
  const before: Both<Rating> = [players.contender(first), players.contender(second)];
  assert(
    before[0].rating === event.before[0] && before[1].rating === event.before[1],
    "a match was rated from other ratings than its players had",
  );
  const score = scoreOf(event.scores);
  counted.push({ match, players: event.players, score, points: event.scores, reporter, at, before });
  assert(counted.lastOrder === event.turn, "a match counted out of order");
  ladder.counting++;
  for (const which of [0, 1] as const) {
    const player = event.players[which];
    players.rate(player, {
      rating: event.before[which] + event.change[which],
      deviation: event.deviation?.[which] ?? 0,
      volatility: event.volatility?.[which] ?? 0,
    });
    players.tally(player, which === 0 ? score : 1 - score, 1);
    players.played(player, event.turn);
    // One player at a time: the order is searched by rating, so only one rating may have changed.
    standings.moved(player);
  }
}

/** LD8. */
function takeBack(ladder: Ladder, { match, recount }: Voided): void {
  const index = recount ? ladder.counted.find(match) : undefined;
  settle(ladder, match, "voided");
  if (!recount) return;
  assert(index !== undefined, "a match was voided that does not count");
  const { players, standings, counted } = ladder;
  const { score, players: both } = counted.get(index);
  const now = otherwise(ladder, index);
  counted.void(index);
  ladder.counting--;
  players.tally(both[0], score, -1);
  players.tally(both[1], 1 - score, -1);
  for (const [nth, order] of recount.turns.entries())
    rewrite(ladder, counted.indexAt(order), recount, nth, now);
  for (const [player, rating] of now) {
    players.rate(player, rating);
    standings.moved(player);
  }
}

/** The match at `later` with what its players had before it; writes what they have after it into `now`. */
function rewrite(
  { counted }: Ladder,
  later: number,
  { before, change, deviation, volatility }: Recount,
  nth: number,
  now: Map<PlayerNumber, Rating>,
): void {
  const { players, before: then } = counted.get(later);
  const own = players.map((player, which) => now.get(player) ?? then[which]);
  counted.setBefore(later, [
    { ...own[0], rating: before[2 * nth] },
    { ...own[1], rating: before[2 * nth + 1] },
  ]);
  for (const [which, player] of players.entries()) {
    const at = 2 * nth + which;
    now.set(player, {
      rating: before[at] + change[at],
      deviation: deviation?.[at] ?? 0,
      volatility: volatility?.[at] ?? 0,
    });
  }
}
