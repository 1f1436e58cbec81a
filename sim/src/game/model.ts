import type { GameEvent, GameTerms, Millis, PlaceState } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { unusedUntil } from "../limits.ts";
import { must } from "../rule.ts";
import { isLive, movesAllowed } from "../specification.ts";
import type { ViewedPlace } from "./view.ts";

/**
 * A game as the specification describes it: plain arrays, copied for every entry. It shares only type names with
 * the kernel, so that a kernel bug cannot hide here.
 */
export interface Game {
  readonly terms: GameTerms;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** Every place ever, by ticket. */
  readonly places: readonly ViewedPlace[];
  /** Waiting tickets, front first. */
  readonly line: readonly number[];
  readonly ended: boolean;
}

/** The event types that each command may write in one entry. */
const outcomesAllowed: Record<string, RegExp> = {
  create: /^created$/,
  join: /^joined$/,
  leave: /^left( admitted)?$/,
  remove: /^left( admitted)?$/,
  expire: /^left( left)*( admitted)*$/,
  end: /^ended$/,
  tick: /^ended$/,
};

/** People on seats. Those seated at the end remain its players. */
export function seatedIn(game: Game): number {
  const onSeat: readonly PlaceState[] = ["admitted", "active", "completed"];
  return game.places.filter(({ state }) => onSeat.includes(state)).length;
}

export function statusOfGame(game: Game): "OPEN" | "FULL" | "ENDED" {
  if (game.ended) return "ENDED";
  return seatedIn(game) < game.terms.seats ? "OPEN" : "FULL";
}

/** The person's only live place. */
export function livePlaceOf({ places }: Game, person: string): ViewedPlace | undefined {
  return places.find((place) => place.person === person && isLive(place));
}

/** LM7: the time at which an unused game ends. */
function unusedUntilIn({ places, terms }: Game): number | undefined {
  return places.length > 0 ? undefined : unusedUntil(terms);
}

/** RM7, LM7: when the game ends by itself. */
export function dueOf(game: Game): Millis | undefined {
  if (game.ended) return undefined;
  const due = Math.min(game.terms.endsAt ?? Infinity, unusedUntilIn(game) ?? Infinity);
  return due === Infinity ? undefined : (due as Millis);
}

/** Applies one entry to the game. Throws `RuleBroken` when the rules do not allow that entry. */
export function fold(before: Game | undefined, entry: Entry<GameEvent>): Game {
  must(
    before === undefined || entry.at >= before.at,
    "RM5",
    `time went back from ${before?.at} to ${entry.at}`,
  );
  const command = entry.command.split(" ", 1)[0];
  const outcome = entry.events.map(({ type }) => type).join(" ");
  must(outcomesAllowed[command]?.test(outcome) ?? false, "RM5", `a ${command} resulted in "${outcome}"`);
  const isLate =
    before !== undefined && command !== "tick" && (unusedUntilIn(before) ?? Infinity) <= entry.at;
  must(!isLate || before?.ended === true, "LM7", `a ${command} in a game that should have ended unused`);
  let game = before;
  for (const event of entry.events) game = foldEvent(game, event, entry);
  must(game !== undefined, "RM5", "an entry without events");
  const { terms } = game;
  must(
    game.line.length === 0 || seatedIn(game) === terms.seats,
    "GM8",
    "a person waits although a seat is free",
  );
  const overdue = terms.endsAt !== null && entry.at >= terms.endsAt;
  must(!overdue || game.ended, "RM7", "a command other than the end took effect after the game's end time");
  return game;
}

function foldEvent(before: Game | undefined, event: GameEvent, { at, by, command }: Entry<GameEvent>): Game {
  if (event.type === "created") {
    must(before === undefined, "RM5", "a game was created twice");
    const { type: _, ...given } = event;
    const { seats, creator } = given;
    must(seats >= 1 && seats <= 1_000_000, "RM1", `a game with ${seats} seats`);
    must(creator === by, "AU3", `${by} created a game as ${creator}`);
    return { terms: { ...given, createdAt: at }, at, places: [], line: [], ended: false };
  }
  must(before !== undefined, "RM5", `${event.type} in a game that was never created`);
  must(!before.ended, "GM6", `${event.type} in a game that has ended`);
  const game = apply({ ...before, at }, event, by, command);
  must(seatedIn(game) <= game.terms.seats, "RM2", `${seatedIn(game)} people on ${game.terms.seats} seats`);
  must(
    seatedIn(game) === event.seated,
    "GM3",
    `${event.seated} seated according to the entry, but ${seatedIn(game)} are`,
  );
  must(
    game.line.length === event.waiting,
    "GM3",
    `${event.waiting} waiting according to the entry, but ${game.line.length} are`,
  );
  return game;
}

function apply(
  game: Game,
  event: Exclude<GameEvent, { type: "created" }>,
  by: string,
  command: string,
): Game {
  const free = game.terms.seats - seatedIn(game);
  const { at } = game;
  switch (event.type) {
    case "joined": {
      const { ticket, person, place, name = null } = event;
      must(person === by, "AU3", `${by} joined as ${person}`);
      must(ticket === game.places.length + 1, "LN1", `ticket ${ticket} after ${game.places.length}`);
      must(
        !game.places.some((other) => other.person === person && isLive(other)),
        "RM3",
        `${person} has two places`,
      );
      const places = [...game.places, { ticket, person, state: place, enteredAt: at, changedAt: at, name }];
      if (place === "active") return { ...game, places };
      must(game.terms.waitlist, "GM2", "a person waits for a game without a waitlist");
      must(free === 0, "GM8", "a person had to wait although a seat was free");
      return { ...game, places, line: [...game.line, ticket] };
    }
    case "admitted": {
      const { ticket, person } = event;
      checkName(game, event);
      must(ticket === game.line[0], "GM8", `ticket ${ticket} was admitted before ticket ${game.line[0]}`);
      const line = game.line.slice(1);
      return move(move({ ...game, line }, ticket, person, "admitted"), ticket, person, "active");
    }
    case "left": {
      checkName(game, event);
      checkLeaving(game, event, by, command);
      const { ticket, person, reason } = event;
      const line = game.line.filter((other) => other !== ticket);
      return move({ ...game, line }, ticket, person, reason === "heartbeat_timeout" ? "expired" : "left");
    }
    case "ended": {
      const byTime = event.reason !== "ended_by_hand";
      must(
        byTime === (command === "tick"),
        "RM5",
        `a ${command} ended a game for the reason ${event.reason}`,
      );
      if (byTime) {
        must(by === "@clock", "AU3", `${by} ended a game as the clock`);
        const isOver = game.terms.endsAt !== null && at >= game.terms.endsAt;
        must(isOver || event.reason === "unused", "RM7", "a game ended before its end time");
        const isUnused = (unusedUntilIn(game) ?? Infinity) <= at;
        must(isOver || isUnused, "LM7", "a game ended as unused although it was used, or too early");
        must(isOver === (event.reason === "end_time"), "RM7", `a game ended by ${event.reason}`);
      } else {
        must(
          by === game.terms.creator || by === "operator",
          "GM6",
          `${by} ended a game of ${game.terms.creator}`,
        );
      }
      let after: Game = { ...game, line: [] };
      for (const { ticket, person } of game.places.filter(isLive)) {
        after = move(after, ticket, person, game.line.includes(ticket) ? "left" : "completed");
      }
      return { ...after, ended: true };
    }
  }
}

/** GM9. */
function checkName({ places }: Game, { ticket, name }: { ticket: number; name?: string }): void {
  const joined = places[ticket - 1]?.name ?? undefined;
  must(joined === name, "GM9", `ticket ${ticket} belongs to ${joined}, not to ${name}`);
}

function checkLeaving(
  { line, terms }: Game,
  { ticket, person, reason }: Extract<GameEvent, { type: "left" }>,
  by: string,
  words: string,
): void {
  const [command, meant] = words.split(" ");
  const own = line.includes(ticket) ? "cancelled" : "left";
  const expected = command === "leave" ? own : command === "remove" ? "removed" : "heartbeat_timeout";
  must(reason === expected, "RM5", `a ${command} ended a place for the reason ${reason}`);
  if (command === "leave") must(person === by, "AU3", `${by} left as ${person}`);
  if (command === "remove") {
    must(person === meant, "GM10", `${person} was removed instead of ${meant}`);
    must(by === terms.creator || by === "operator", "GM10", `${by} removed ${person}`);
  }
  if (command === "expire") must(by === "@clock", "AU3", `${by} ended places by silence`);
}

function move(game: Game, ticket: number, person: string, to: PlaceState): Game {
  const place = game.places[ticket - 1];
  must(place?.person === person, "RM5", `ticket ${ticket} does not belong to ${person}`);
  must(movesAllowed[place.state].includes(to), "RM4", `a place went from ${place.state} to ${to}`);
  const moved = { ...place, state: to, changedAt: game.at };
  return { ...game, places: game.places.map((other) => (other === place ? moved : other)) };
}
