import { isDeepStrictEqual } from "node:util";
import type { Both, LadderEvent } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { limits, oldestOfHeaviest } from "../limits.ts";
import { must } from "../rule.ts";
import {
  arePresent,
  counted,
  disputeOf,
  type EventOf,
  fileUnderWay,
  inStatus,
  type Ladder,
  type LadderMatch,
  opponentIn,
  playerCalled,
  presentCalled,
  ratedFromScratch,
  reporterIn,
  reportsOfOpponent,
  roleOf,
  touchedBy,
  withMatch,
} from "./ladder.ts";
import type { Mark } from "./ratings.ts";

type Played = Pick<LadderMatch, "players" | "scores" | "reporter"> & {
  playedAt?: number | null;
  origin?: string;
};

/** LD9: a match waits for the opponent's confirmation. */
export function report(ladder: Ladder, event: EventOf<"reported">, entry: Entry<LadderEvent>): Ladder {
  const { match, lapsesAt } = event;
  const { matches, settings, at } = ladder;
  const theirs = reportsOfOpponent(ladder, event);
  const disputed = theirs.find((each) => !disputeOf(ladder, each))?.number ?? null;
  const isToBeConfirmed = (settings.confirm || theirs.length > 0) && roleOf(entry.by) === "person";
  must(isToBeConfirmed, "LD9", `match ${match} needs confirmation but counts at once`);
  must(match === matches.length + 1, "LD2", `match ${match} after ${matches.length}`);
  checkPlayed(event, reportedIn(ladder, entry));
  must(
    !sameAs(theirs, event),
    "LD14",
    `match ${match} was reported before but is not confirmed by this report`,
  );
  const { disputes = null } = event;
  must(disputes === disputed, "LD14", `match ${match} disputes ${disputes} instead of ${disputed}`);
  const isOnTime = lapsesAt === at + settings.confirmWindowMs;
  must(isOnTime, "LD9", `${lapsesAt - at} ms for confirming a match`);
  const expected = givingWayTo(ladder, event);
  const recorded = entry.events.flatMap((each) => (each.type === "lapsed" ? [each.match as number] : []));
  must(
    isDeepStrictEqual(recorded, expected),
    "LM6",
    `${recorded} lapsed for match ${match} instead of ${expected}`,
  );
  return withNew(ladder, event, { lapsesAt, disputes });
}

/** LD14: the first of these reports with the same score. */
function sameAs(
  reports: readonly LadderMatch[],
  { players, scores }: Pick<Played, "players" | "scores">,
): LadderMatch | undefined {
  const swapped = [scores[1], scores[0]];
  return reports.find((report) =>
    isDeepStrictEqual([...report.scores], report.players[0] === players[0] ? [...scores] : swapped),
  );
}

/** LD14: the opponent's report that this one confirms. */
function repeatedBy(ladder: Ladder, entry: Entry<LadderEvent>): LadderMatch | undefined {
  if (!entry.command.startsWith("report ") || roleOf(entry.by) !== "person") return undefined;
  const played = reportedIn(ladder, entry);
  return sameAs(reportsOfOpponent(ladder, played), played);
}

/**
 * LM6: the report to drop when too many wait, for one opponent or in all: the oldest of the person with the most.
 */
function givingWayTo(ladder: Ladder, event: EventOf<"reported">): number[] {
  const waiting = inStatus(ladder, "pending");
  const asked = waiting.filter((match) => opponentIn(match) === opponentIn(event));
  const isCrowd = asked.length >= limits.pendingToOne;
  if (!isCrowd && waiting.length < limits.pending) return [];
  return [oldestOfHeaviest(isCrowd ? asked : waiting, reporterIn)!.number];
}

function withNew(ladder: Ladder, { players, scores, reporter }: Played, known: Partial<LadderMatch>): Ladder {
  const { matches, at } = ladder;
  const times = {
    reportedAt: at,
    playedAt: null,
    changedAt: at,
    lapsesAt: null,
    disputes: null,
    countedAt: null,
  };
  const match = { ...times, turn: null, effect: null, firstChange: null, status: "pending" } as const;
  const own = { number: matches.length + 1, players, scores, reporter };
  return { ...ladder, matches: [...matches, { ...match, ...own, ...known }] };
}

/** LD2: a match counts, with all effects on both players. */
export function count(ladder: Ladder, event: EventOf<"counted">, entry: Entry<LadderEvent>): Ladder {
  const { match, players, before } = event;
  const turn = ladder.order.length + 1;
  must(event.turn === turn, "LD5", `match ${match} counted at position ${event.turn} instead of ${turn}`);
  const [word] = entry.command.split(" ", 1);
  const repeated = repeatedBy(ladder, entry);
  const isNew = word !== "confirm" && !repeated;
  const confirmed = repeated?.number ?? Number(entry.command.slice("confirm ".length));
  const expected = isNew ? ladder.matches.length + 1 : confirmed;
  must(match === expected, repeated ? "LD14" : "LD2", `match ${match} counted instead of ${expected}`);
  // Imported matches also count for players who have left.
  if (isNew && event.reporter !== "import")
    must(
      arePresent(ladder, players),
      "LD6",
      `match ${match} of players ${players}, who are not in the ladder`,
    );
  const isBanned = players.some((player) => ladder.players[player - 1].banned);
  must(!isBanned || event.reporter === "import", "LD13", `match ${match} of a player who is banned`);
  if (word === "report" && isNew) checkReport(ladder, event, entry);
  if (!isNew) checkConfirmed(ladder, match, entry);
  // deliveries.ts checks results from other streams against those streams.
  if (word === "deliver") must(event.reporter === "source", "LD12", `match ${match} by ${event.reporter}`);
  else checkPlayed(event, isNew ? playedBy(ladder, word, match, entry) : ladder.matches[match - 1]);
  const had = players.map((player) => ladder.players[player - 1].mark.rating);
  must(
    isDeepStrictEqual(had, [...before]),
    "LD5",
    `match ${match} was rated from ${before}, but they had ${had}`,
  );
  const { playedAt = null } = event;
  const reported = isNew ? withNew(ladder, event, { playedAt }) : ladder;
  return counted(reported, match, marksAfter(event));
}

function checkReport(ladder: Ladder, event: EventOf<"counted">, { by }: Entry<LadderEvent>): void {
  const isDisputed = roleOf(by) === "person" && reportsOfOpponent(ladder, event).length > 0;
  must(!isDisputed, "LD14", `match ${event.match} counts, but the opponent reported another score`);
  const isTrusted = !ladder.settings.confirm || roleOf(by) !== "person";
  must(isTrusted, "LD9", `match ${event.match} counts on the report of ${by} alone`);
}

function checkConfirmed(ladder: Ladder, number: number, { by, events }: Entry<LadderEvent>): void {
  const other = disputeOf(ladder, ladder.matches[number - 1]);
  const isSettled = !other || events.some((each) => each.type === "declined" && each.match === other.number);
  must(isSettled, "LD14", `match ${number} counts, but report ${other?.number} of it still waits`);
  const { status, players, reporter } = ladder.matches[number - 1];
  must(status === "pending", "LD9", `match ${number} was confirmed but is ${status}`);
  const opponent = ladder.players[players[reporter === "first" ? 1 : 0] - 1].person;
  must(opponent === by, "LD9", `${by} confirmed match ${number} instead of ${opponent}`);
}

function playedBy(ladder: Ladder, word: string, match: number, entry: Entry<LadderEvent>): Played {
  if (word === "report") return reportedIn(ladder, entry);
  must(word === "tick" && fileUnderWay(ladder) !== undefined, "LD9", `match ${match} counts by a ${word}`);
  return nextRow(ladder, entry, match);
}

/** The players and the result, according to the reporter's command. */
function reportedIn(ladder: Ladder, { by, command }: Entry<LadderEvent>): Played {
  const [, first, second, ...scores] = command.split(" ");
  const both = [first, second].map((person) => presentCalled(ladder, person)?.number ?? 0);
  must(
    first !== second && !both.includes(0),
    "LD6",
    `${first} and ${second} have not both been in the ladder`,
  );
  const role = roleOf(by);
  const reporter = role === "person" ? (by === first ? "first" : "second") : role;
  must(reporter !== "second" || by === second, "AU2", `${by} reported a match of ${first} and ${second}`);
  return {
    players: both as unknown as Both<number>,
    scores: scores.map(Number) as unknown as Both<number>,
    reporter,
  };
}

/** The first row of the current import that is not counted yet. */
function nextRow(ladder: Ladder, { events }: Entry<LadderEvent>, match: number): Played {
  const { digest, rows, done } = fileUnderWay(ladder)!;
  const counted = events.flatMap((event) => (event.type === "counted" ? [event.match as number] : []));
  const row = done + counted.indexOf(match);
  must(row < rows.length, "LD5", `a row after the last of ${digest} was counted`);
  const { players, scores, at } = rows[row];
  // Imported matches do not bring players back: those who left are rated anyway.
  const both = players.map((person) => playerCalled(ladder, person)?.number) as unknown as Both<number>;
  checkNewcomers(events, match, rows[row]);
  const origin = `import/${digest}#${row + 1}`;
  return { players: both, scores, reporter: "import", origin, ...(at !== null && { playedAt: at }) };
}

/** A newcomer must be one of the two players, under the name that came with the match. */
export function checkNewcomers(
  events: readonly LadderEvent[],
  match: number,
  { players, names }: { readonly players: Both<string>; readonly names: Both<string> },
): void {
  const index = events.findIndex((event) => event.type === "counted" && event.match === match);
  const isName = (event: LadderEvent) => event.type === "enrolled" || event.type === "returned";
  const first = events.slice(0, index).findLastIndex((event) => !isName(event)) + 1;
  for (const event of events.slice(first, index)) {
    const isRight =
      event.type === "enrolled"
        ? names[players.indexOf(event.person)] === event.name
        : event.type === "returned" && names.includes(event.name);
    must(isRight, "LD2", `${JSON.stringify(event)} before match ${match} of ${players}`);
  }
}

function checkPlayed(event: EventOf<"reported" | "counted">, expected: Played): void {
  const whole = ({ players, scores, reporter, playedAt, origin }: Played) => ({
    ...{ players: [...players], scores: [...scores], reporter },
    ...{ playedAt: playedAt || null, origin: origin ?? null },
  });
  const [recorded, wanted] = [whole(event), whole(expected)].map((each) => JSON.stringify(each));
  must(recorded === wanted, "LD2", `match ${event.match} was ${recorded} instead of ${wanted}`);
}

/** Both ratings after the event. */
function marksAfter({ before, change, deviation, volatility }: EventOf<"counted">): Both<Mark> {
  const mark = (which: 0 | 1): Mark => ({
    rating: before[which] + change[which],
    deviation: deviation?.[which] ?? null,
    volatility: volatility?.[which] ?? null,
  });
  return [mark(0), mark(1)];
}

/** LD8: the match no longer counts, and the history shows that it was voided. */
export function takeBack(ladder: Ladder, event: EventOf<"voided">, entry: Entry<LadderEvent>): Ladder {
  const { match: number, recount } = event;
  const match = ladder.matches[number - 1];
  must(entry.command === `void ${number}`, "LD8", `match ${number} was voided by a ${entry.command}`);
  must(
    match?.status === "counted" || match?.status === "pending",
    "LD8",
    `match ${number} was ${match?.status}`,
  );
  checkMayVoid(ladder, match, entry);
  const isSame = isDeepStrictEqual([...event.players], [...match.players]);
  must(isSame, "LD8", `match ${number} was voided as one of ${event.players}`);
  const voided = withMatch(ladder, number, { status: "voided", changedAt: ladder.at });
  must((recount === null) === (match.status === "pending"), "LD8", `match ${number} was ${match.status}`);
  return recount ? recounted(voided, match, ladder, recount) : voided;
}

function checkMayVoid(ladder: Ladder, match: LadderMatch, { by, at }: Entry<LadderEvent>): void {
  if (roleOf(by) === "operator" || by === ladder.terms.creator) return;
  must(
    isReporter(ladder, match, by),
    "LD8",
    `${by} voided match ${match.number}, which another person reported`,
  );
  const over = at - (match.countedAt ?? at) - ladder.settings.undoWindowMs;
  must(over <= 0, "LD8", `match ${match.number} was voided ${over} ms after the deadline`);
}

export function isReporter({ players }: Ladder, match: LadderMatch, by: string): boolean {
  if (roleOf(by) === "service") return match.reporter === "service";
  const which = match.reporter === "first" ? 0 : 1;
  return ["first", "second"].includes(match.reporter) && players[match.players[which] - 1].person === by;
}

type Recount = NonNullable<EventOf<"voided">["recount"]>;

/** The recounted later matches must equal a full recount from the start. */
function recounted(voided: Ladder, match: LadderMatch, before: Ladder, recount: Recount): Ladder {
  const touched = touchedBy(before, match);
  const numbers = touched.matches.map(({ number }) => number);
  const recounted = recount.turns.map((turn) => before.order[turn - 1]);
  const isWhole = isDeepStrictEqual(recounted, numbers);
  must(isWhole, "LD8", `${recounted} were recounted without match ${match.number} instead of ${numbers}`);
  let ladder = voided;
  for (const [nth, { number, effect, firstChange, players }] of touched.matches.entries()) {
    const recorded = recount.players.slice(2 * nth, 2 * nth + 2);
    must(
      isDeepStrictEqual(recorded as number[], [...players]),
      "LD8",
      `match ${number} was recounted for ${recorded}`,
    );
    const [a, b] = [0, 1].map((which) => effect!.after[which].rating - effect!.before[which].rating);
    const after = marksAfter(rowOf(recount, nth));
    ladder = withMatch(ladder, number, { effect: { ...effect!, after }, firstChange: firstChange ?? [a, b] });
  }
  const { marks, effects } = ratedFromScratch(ladder);
  for (const [nth, number] of numbers.entries()) {
    const had = effects.get(number)!.before.map(({ rating }) => rating);
    const recorded = recount.before.slice(2 * nth, 2 * nth + 2);
    must(
      isDeepStrictEqual(recorded, had),
      "LD8",
      `match ${number} was recounted from ${recorded}, but they had ${had}`,
    );
  }
  return {
    ...ladder,
    matches: ladder.matches.map((each) => ({ ...each, effect: effects.get(each.number) ?? each.effect })),
    players: ladder.players.map((player, index) => ({
      ...player,
      mark: marks[index],
      version: player.version + Number(touched.players.has(player.number)),
    })),
  };
}

/** One match of a recount, in the form of an event. */
function rowOf({ before, change, deviation, volatility }: Recount, nth: number): EventOf<"counted"> {
  const own = (values: readonly number[]) => values.slice(2 * nth, 2 * nth + 2);
  const more = deviation && volatility && { deviation: own(deviation), volatility: own(volatility) };
  return { before: own(before), change: own(change), ...more } as unknown as EventOf<"counted">;
}
