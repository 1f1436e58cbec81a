import type { Decision } from "../../decider.ts";
import type { Refusal } from "../../refusals.ts";
import type { Both, Millis, PersonId } from "../../values.ts";
import type { Asker, Confirm, Decline, Deliver, Report, Result, VoidMatch } from "../commands.ts";
import type { LadderEvent } from "../events.ts";
import { ladderLimits } from "../limits.ts";
import { hasRoomFor, isBanned } from "../questions.ts";
import {
  ladderFull,
  ladderMatchNotFound,
  playerBanned,
  playerNotFound,
  samePlayer,
  settledMatch,
  wornOut,
} from "../refusals.ts";
import type { Ladder, MatchNumber, PendingMatch, PlayerNumber, Reporter } from "../state.ts";
import { hasScoreOf, reporterIn } from "./pending-matches.ts";
import { dependentsOf, recountWithout } from "./recount.ts";
import { Tally } from "./tally.ts";

type LadderDecision = Decision<LadderEvent>;

const refuse = (refusal: Refusal): LadderDecision => ({ refusal });

/** LD1, LD6. The host makes a report happen once, by its idempotency key. */
export function report(ladder: Ladder, { result, asker, network }: Report, now: Millis): LadderDecision {
  const players = playersOf(ladder, result.players);
  if ("refusal" in players) return players;
  const reporter = reporterOf(result.players, asker);
  if (!reporter) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the players of a match can report it.",
    });
  }
  if (ladder.statuses.size >= ladderLimits.matchesMax) return refuse(wornOut);
  const { scores } = result;
  const played = { players: players.both, scores, reporter };
  if (asker.role === "person") {
    const other = ladder.pending.reportOfOpponent(played);
    if (other !== undefined && hasScoreOf(ladder.pending.get(other)!, played))
      return { events: confirmed(ladder, other) };
    // Even if confirmation was turned off since: repeating a report must not decide a dispute.
    if (ladder.settings.confirm || ladder.pending.hasReportOfOpponent(played)) {
      const from = network === undefined ? {} : { network };
      const dispute = other === undefined ? {} : { disputes: other };
      return awaitConfirmation(ladder, { ...played, ...from, ...dispute }, now);
    }
  }
  const tally = new Tally(ladder);
  tally.count(played);
  return { events: tally.events };
}

/**
 * LD9, LM6: the match counts once the opponent confirms it. At the limits, a report from the heaviest network lapses.
 */
function awaitConfirmation(
  { pending, statuses, settings }: Ladder,
  played: Omit<PendingMatch, "lapsesAt">,
  now: Millis,
): LadderDecision {
  const { pendingOfOneMax, pendingOfPairMax } = ladderLimits;
  if (pending.reportedBy(reporterIn(played)).size >= pendingOfOneMax)
    return refuse(tooManyPending(`${pendingOfOneMax} of your reports are waiting for confirmation.`));
  if (pending.ofPair(played) >= pendingOfPairMax)
    return refuse(
      tooManyPending(`${pendingOfPairMax} of your reports are waiting for this opponent to confirm.`),
    );
  const match = (statuses.size + 1) as MatchNumber;
  const lapsesAt = (now + settings.confirmWindowMs) as Millis;
  const reported: LadderEvent = { type: "reported", match, ...played, lapsesAt };
  const lapsing = pending.evictedFor(played);
  return { events: lapsing === undefined ? [reported] : [reported, { type: "lapsed", match: lapsing }] };
}

function tooManyPending(what: string): Refusal {
  return {
    code: "limit.pending",
    message: `${what} Wait for an answer, or undo one first.`,
    retryable: true,
    retryAfterSeconds: 60,
  };
}

function playersOf(
  { players, banned }: Ladder,
  [first, second]: Both<PersonId>,
): { both: Both<PlayerNumber> } | { refusal: Refusal } {
  if (first === second) return { refusal: samePlayer(first) };
  const both = [players.find(first), players.find(second)] as const;
  for (const [which, person] of [first, second].entries()) {
    const player = both[which];
    if (player !== undefined && banned.has(player)) return { refusal: playerBanned(person) };
    if (player === undefined || !players.isPresent(player)) return { refusal: playerNotFound(person) };
  }
  return { both: both as Both<PlayerNumber> };
}

function reporterOf([first, second]: Both<PersonId>, { by, role }: Asker): Reporter | undefined {
  if (role !== "person") return role;
  if (by === first) return "first";
  return by === second ? "second" : undefined;
}

export function confirm(ladder: Ladder, { match, by }: Confirm): LadderDecision {
  const found = pendingFor(ladder, match, by);
  return "refusal" in found ? found : { events: confirmed(ladder, match) };
}

/** LD14: of two reports of one match, only one counts. */
function confirmed(ladder: Ladder, match: MatchNumber): readonly LadderEvent[] {
  const { pending } = ladder;
  const tally = new Tally(ladder);
  tally.count(pending.get(match)!, match);
  const other = pending.disputeOf(match);
  return other === undefined ? tally.events : [...tally.events, { type: "declined", match: other }];
}

export function decline(ladder: Ladder, { match, by }: Decline): LadderDecision {
  const found = pendingFor(ladder, match, by);
  if ("refusal" in found) return found;
  return { events: [{ type: "declined", match }] };
}

/** The pending match, if this person may confirm or decline it. */
function pendingFor(
  ladder: Ladder,
  match: MatchNumber,
  by: string,
): { pending: PendingMatch } | { refusal: Refusal } {
  const status = ladder.statuses.get(match);
  if (status === undefined) return { refusal: ladderMatchNotFound };
  if (status !== "pending") return { refusal: settledMatch[status] };
  const pending = ladder.pending.get(match)!;
  const [first, second] = pending.players;
  const opponent = pending.reporter === "first" ? second : first;
  if (ladder.players.personOf(opponent) === by) return { pending };
  return {
    refusal: {
      code: "auth.forbidden",
      message: "Only the opponent of the player who reported this match can confirm or decline it.",
    },
  };
}

/** LD8. */
export function voidMatch(ladder: Ladder, { match, asker }: VoidMatch, now: Millis): LadderDecision {
  const status = ladder.statuses.get(match);
  if (status === undefined) return refuse(ladderMatchNotFound);
  if (status === "pending") {
    const pending = ladder.pending.get(match)!;
    if (!mayVoid(ladder, pending, asker)) return refuse(notTheirs);
    return { events: [{ type: "voided", match, players: pending.players, recount: null }] };
  }
  if (status !== "counted") return refuse(settledMatch[status]);
  const index = ladder.counted.find(match);
  if (index === undefined) {
    return refuse({
      code: "match.too-old",
      message: `More than ${ladderLimits.recountMax} matches have counted since this one, so it can no longer be voided.`,
    });
  }
  const played = ladder.counted.get(index);
  if (!mayVoid(ladder, played, asker)) return refuse(notTheirs);
  const isHurried = asker.role !== "operator" && !isMaker(ladder, asker);
  if (isHurried && now - played.at > ladder.settings.undoWindowMs) {
    return refuse({
      code: "undo.over",
      message: "The time to undo this match is over. Ask the organiser of the ladder to void it.",
      data: { undoneUntilAt: played.at + ladder.settings.undoWindowMs },
    });
  }
  if (asker.role !== "operator" && ladder.counted.size - 1 - index > ladderLimits.ownRecountMax) {
    return refuse({
      code: "match.too-old",
      message: `More than ${ladderLimits.ownRecountMax} matches have counted since this one. Ask the people who run this site to void it.`,
    });
  }
  const { ownRecountedMax } = ladderLimits;
  if (asker.role !== "operator" && dependentsOf(ladder, index, ownRecountedMax) > ownRecountedMax) {
    return refuse({
      code: "match.too-old",
      message: `More than ${ownRecountedMax} later matches depend on this one. Ask the people who run this site to void it.`,
    });
  }
  const recount = recountWithout(ladder, index);
  return { events: [{ type: "voided", match, players: played.players, recount }] };
}

const notTheirs: Refusal = {
  code: "auth.forbidden",
  message: "Only the person who reported this match or the organiser of the ladder can void it.",
};

function mayVoid(
  ladder: Ladder,
  { players: both, reporter }: Pick<PendingMatch, "players" | "reporter">,
  asker: Asker,
): boolean {
  const { by, role } = asker;
  if (role === "operator" || isMaker(ladder, asker)) return true;
  if (role === "service") return reporter === "service";
  const { players } = ladder;
  if (reporter === "first") return players.personOf(both[0]) === by;
  return reporter === "second" && players.personOf(both[1]) === by;
}

function isMaker({ terms }: Ladder, { by }: Asker): boolean {
  return by === terms.creator;
}

/** LD12: a stream's deliveries arrive in order, so its latest version says which of them have been counted. */
export function deliver(ladder: Ladder, { from, deliveries }: Deliver): LadderDecision {
  const received = ladder.sources.get(from);
  const fresh = deliveries.filter(({ version }) => received === undefined || version > received);
  const last = fresh.at(-1);
  if (!last) return refuse({ code: "delivery.repeated", message: "This was already counted." });
  const isNew = received === undefined && ladder.sources.size >= ladderLimits.sourcesMax;
  if (isNew || ladder.statuses.size + fresh.length > ladderLimits.matchesMax) return refuse(wornOut);
  // LD12: a duel also counts on a ladder that has since ended unused, because both players were told that it would.
  const { duels, open } = ladder.settings;
  const counts = (duel: true | undefined) => !ladder.isClosed && (!duel || (duels === true && open));
  // LD13: a result must not bring back a player who is banned.
  const isAllowed = (person: PersonId) => !isBanned(ladder, ladder.players.find(person));
  const isCounted = ({ players, duel }: Result & { readonly duel?: true }) =>
    counts(duel) && players.every(isAllowed);
  const results = fresh.filter((delivery) => "players" in delivery).filter(isCounted);
  if (!hasRoomFor(ladder, results)) return refuse(ladderFull);
  const tally = new Tally(ladder);
  for (const delivery of fresh) {
    const isStale = (person: PersonId) => delivery.version < (ladder.registrations.get(person) ?? 0);
    if ("named" in delivery) {
      if (!isStale(delivery.named[0])) tally.rename(...delivery.named);
    } else if ("gone" in delivery) {
      if (!isStale(delivery.gone)) tally.forget(delivery.gone);
    } else if (isCounted(delivery)) {
      const players = tally.playersOf(delivery, delivery.names, "now");
      const origin = `${from}#${delivery.version}`;
      tally.count({ players, scores: delivery.scores, reporter: "source", origin });
    }
  }
  return { events: [...tally.events, { type: "received", from, version: last.version }] };
}
