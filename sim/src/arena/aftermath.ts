import { isDeepStrictEqual } from "node:util";
import type { ArenaEvent, Ended } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { limits } from "../limits.ts";
import { must } from "../rule.ts";
import type { Arena } from "./arena.ts";

/** A person on a seat or in the line, reduced to what decides who is next. */
interface Participant {
  readonly person: string;
  readonly ticket: number;
  readonly streak: number;
  readonly timeouts: number;
  /** Order in which players took their seats; 0 in the line. */
  readonly seating: number;
}

/** AR9: a player leaves after this many timeouts in a row. */
const timeoutsMax = 2;
/** A match that reaches this many moves is a draw. */
const movesMax = 10_000;

/** The expected effect of a command on an arena, computed from the specification alone. */
class Aftermath {
  readonly seats: (Participant | null)[];
  readonly line: Participant[];
  readonly left: [ticket: number, reason: string][] = [];
  result: Pick<Ended, "winner" | "reason"> | undefined;
  isStart = false;
  /** The rule that demands this effect. */
  rule = "AR3";
  readonly #arena: Arena;
  #seatings: number;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#seatings = arena.seatings;
    this.seats = [...arena.seats];
    this.line = arena.line.map((waiting) => ({ ...waiting, streak: 0, seating: 0 }));
  }

  get players(): Participant[] {
    return this.seats.filter((player) => player !== null);
  }

  /** AR5, AR6, AR7: the game ended, or a service reported its result. */
  decided(winner: number | null, reason: Ended["reason"]): void {
    const { drawRule } = this.#arena.settings;
    this.#end(winner, reason);
    if (winner === null) {
      this.rule = "AR6";
      const longestFirst = this.players.sort((a, b) => a.seating - b.seating);
      const leaving = { "longest-leaves": 1, rematch: 0, "both-leave": longestFirst.length }[drawRule];
      this.#toTheBack(longestFirst.slice(0, leaving), "completed");
      return;
    }
    this.rule = "AR5";
    const losers = this.players.filter((player) => player !== this.seats[winner]);
    this.#retire(winner);
    this.#toTheBack(losers, "lost");
  }

  /** AR10: a draw. After too many unreported matches in a row, the players leave. */
  unreported(): void {
    if (this.#arena.unreported + 1 < limits.unreported) {
      this.decided(null, "unreported");
      return;
    }
    this.rule = "AR10";
    const { players } = this;
    this.#end(null, "unreported");
    for (const player of players) this.#standUp(player, "forfeited");
  }

  /** AR4, AR8, AR9: a player ended the match by leaving, going silent or running out of time. */
  brokenOff(
    offenders: readonly Participant[],
    reason: "left" | "resigned" | "disconnected" | "move-timeout",
  ): void {
    this.rule = { left: "AR4", resigned: "AR4", disconnected: "AR8", "move-timeout": "AR9" }[reason];
    const isOffender = (player: Participant) => offenders.some(({ ticket }) => ticket === player.ticket);
    const others = this.players.filter((player) => !isOffender(player));
    if (this.#arena.match) {
      const winner = others.length === 1 ? this.seats.indexOf(others[0]) : null;
      this.#end(winner, reason);
      if (winner !== null) this.#retire(winner);
    }
    const late = offenders.map((each) => ({ ...each, timeouts: each.timeouts + 1 }));
    const gone = late.filter(
      ({ timeouts }) => reason !== "resigned" && (reason !== "move-timeout" || timeouts >= timeoutsMax),
    );
    const why = { left: "left", resigned: "lost", disconnected: "forfeited", "move-timeout": "forfeited" }[
      reason
    ];
    for (const each of gone) this.#standUp(each, why);
    const back = late.filter((each) => !gone.includes(each));
    this.#toTheBack(reason === "resigned" ? back.map((each) => ({ ...each, timeouts: 0 })) : back, why);
  }

  /** The place in the line is checked elsewhere. */
  comeIn(entered: ArenaEvent): void {
    if (entered.type !== "entered") return;
    const { person, ticket, behind, timeouts } = entered;
    must(timeouts === 0, "AR9", `${person} joined with ${timeouts} timeouts`);
    this.line.splice(this.line.length - behind, 0, { person, ticket, timeouts, streak: 0, seating: 0 });
  }

  dropOut(tickets: readonly number[], reason: string): void {
    for (const ticket of tickets) {
      this.line.splice(
        this.line.findIndex((each) => each.ticket === ticket),
        1,
      );
      this.left.push([ticket, reason]);
    }
  }

  /** AR1, AR3, AR4: give free seats to the front of the line, and start a match when all are taken. */
  fill(seatsMax: number): void {
    if (this.#arena.match && !this.result) return;
    for (const [seat, player] of this.seats.entries()) {
      if (player || this.players.length >= seatsMax) continue;
      const next = this.line.shift();
      if (next) this.seats[seat] = { ...next, seating: ++this.#seatings };
    }
    this.isStart = this.players.length >= seatsMax;
  }

  #end(winner: number | null, reason: Ended["reason"]): void {
    this.result = { winner, reason };
    for (const [seat, player] of this.seats.entries()) {
      const streak = seat === winner && player ? player.streak + 1 : 0;
      if (player) this.seats[seat] = { ...player, streak, timeouts: 0 };
    }
  }

  /** AR7: the winner re-enters the line ahead of the loser. */
  #retire(winner: number): void {
    const { maxWins } = this.#arena.settings;
    const champion = this.seats[winner]!;
    if (maxWins === null || champion.streak < maxWins) return;
    this.rule = "AR7";
    this.#toTheBack([champion], "completed");
  }

  /** Among several, the player who sat longest goes last. */
  #toTheBack(leaving: readonly Participant[], reason: string): void {
    const ordered = leaving.toSorted((a, b) => b.seating - a.seating);
    for (const each of leaving) this.#standUp(each, reason);
    for (const each of ordered) this.line.push({ ...each, streak: 0, seating: 0 });
  }

  #standUp({ ticket }: Participant, reason: string): void {
    this.seats[this.seats.findIndex((player) => player?.ticket === ticket)] = null;
    this.left.push([ticket, reason]);
  }
}

/** The expected arena after the command. */
function aftermathOf(before: Arena, after: Arena, { by, command, events }: Entry<ArenaEvent>): Aftermath {
  const aftermath = new Aftermath(before);
  const { players, seats } = aftermath;
  const leaving = events.flatMap((event) => (event.type === "left" ? [event] : []));
  const tickets = leaving.map(({ ticket }) => ticket as number);
  const [word, match, ...rest] = command.split(" ");
  const own = players.find(({ person }) => person === by);
  const table = before.match?.table ?? null;
  if (match !== undefined && ["move", "resign", "report"].includes(word))
    must(
      Number(match) === before.match?.id,
      "AR4",
      `a ${word} about match ${match} was applied to another match`,
    );
  switch (word) {
    case "join":
      aftermath.comeIn(events[0]);
      break;
    case "leave":
      if (own) aftermath.brokenOff([own], "left");
      else aftermath.dropOut(tickets, "cancelled");
      break;
    case "expire":
      aftermath.dropOut(tickets, "heartbeat_timeout");
      break;
    case "forfeit": {
      const forfeited = leaving.flatMap(({ ticket, reason }) =>
        reason === "forfeited" ? [ticket as number] : [],
      );
      checkGrace(before, after, forfeited);
      const gone = players.filter(({ ticket }) => forfeited.includes(ticket));
      aftermath.brokenOff(gone, "disconnected");
      break;
    }
    case "resign":
      aftermath.brokenOff(own ? [own] : [], "resigned");
      break;
    case "move": {
      const seat = before.seats.findIndex((player) => player?.person === by);
      const winner = table?.play(seat, rest[0]).winner;
      const isTooLong = before.match!.moves + 1 >= movesMax;
      if (winner !== undefined) aftermath.decided(winner, "played");
      else if (isTooLong) aftermath.decided(null, "too-long");
      break;
    }
    case "report": {
      const winner = JSON.parse(rest.join(" ")) as string | null;
      must(table === null, "AR10", "a reported result was accepted, but the moves decide it");
      aftermath.decided(winner === null ? null : before.terms.labels.indexOf(winner), "reported");
      break;
    }
    case "tick":
      if (table)
        aftermath.brokenOff(
          table.toMove.map((seat) => seats[seat]!),
          "move-timeout",
        );
      else aftermath.unreported();
  }
  if (word !== "revive") aftermath.fill(after.settings.seats);
  return aftermath;
}

/**
 * AR8: players who sent no heartbeat. The world knows whether they were silent; the log shows whether their grace
 * had passed.
 */
function checkGrace({ seats, settings }: Arena, { at }: Arena, gone: readonly number[]): void {
  const graceMs = settings.reconnectGraceMs ?? Number.POSITIVE_INFINITY;
  for (const player of seats) {
    if (!player || !gone.includes(player.ticket)) continue;
    const satMs = at - player.since;
    must(satMs >= graceMs, "AR8", `a seat was forfeited ${satMs} ms after it was taken`);
  }
}

/** AR4–AR9: checks that results, seats and line follow from the command. */
export function checkAftermath(before: Arena, after: Arena, entry: Entry<ArenaEvent>): void {
  const expected = aftermathOf(before, after, entry);
  const { rule } = expected;
  const words = `after a ${entry.command}`;
  const ended = entry.events.find((event) => event.type === "ended");
  const result = ended && { winner: ended.winner, reason: ended.reason };
  must(
    (result === undefined) === (expected.result === undefined),
    "AR4",
    `a match with ${result ? "a" : "no"} result, ${words}`,
  );
  must(isDeepStrictEqual(result, expected.result), rule === "AR7" ? "AR5" : rule, `another result, ${words}`);
  const left = entry.events.flatMap((event) =>
    event.type === "left" ? [`${event.ticket} ${event.reason}`] : [],
  );
  left.sort();
  const leftExpected = expected.left.map(([ticket, reason]) => `${ticket} ${reason}`).sort();
  must(isDeepStrictEqual(left, leftExpected), rule, `${left} left instead of ${leftExpected}, ${words}`);
  const onSeats = (seats: readonly (Omit<Participant, "ticket"> | null)[]) =>
    seats.map((player) => player && `${player.person} ${player.streak} ${player.timeouts}`);
  const [sat, toSit] = [onSeats(after.seats), onSeats(expected.seats)];
  must(isDeepStrictEqual(sat, toSit), rule, `${sat} seated instead of ${toSit}, ${words}`);
  const inLine = (line: readonly { person: string; timeouts: number }[]) =>
    line.map(({ person, timeouts }) => `${person} ${timeouts}`);
  const [stood, toStand] = [inLine(after.line), inLine(expected.line)];
  must(isDeepStrictEqual(stood, toStand), rule, `${stood} in the line instead of ${toStand}, ${words}`);
  const isStart = entry.events.some(({ type }) => type === "started");
  must(isStart === expected.isStart, "AR4", `a match ${isStart ? "began" : "did not begin"}, ${words}`);
}
