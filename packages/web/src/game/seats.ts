import type { Game } from "@openseat/client";
import { ahead, counted, grouped, people } from "../ui/words.ts";

/** Above this many seats, each drawn seat stands for several. */
const seatsDrawn = 100;

export interface SeatRow {
  /** For each drawn seat, whether it is taken. */
  readonly taken: readonly boolean[];
  /** How many seats each drawn one stands for. */
  readonly each: number;
}

export function seatRow({
  currentPlayers,
  maxPlayers,
}: Pick<Game, "currentPlayers" | "maxPlayers">): SeatRow {
  const each = Math.ceil(maxPlayers / seatsDrawn);
  const drawn = Math.ceil(maxPlayers / each);
  const isFull = currentPlayers >= maxPlayers;
  // Round so that a single taken seat and a single free seat always show.
  const taken = isFull ? drawn : Math.min(Math.ceil(currentPlayers / each), drawn - 1);
  return { taken: Array.from({ length: drawn }, (_, index) => index < taken), each };
}

/** The viewer's own place in a game. */
export type GamePlace = "none" | "seated" | "waiting";

export interface GameCall {
  readonly headline: string;
  readonly detail: string;
  readonly tone: "yours" | "good" | "bad" | "calm";
  readonly way: "Join" | "Wait in line" | undefined;
  /** The label of the leave button; undefined for people who have no place. */
  readonly leave: "Leave" | "Leave the line" | undefined;
}

export function gameCall(game: Game, place: GamePlace, position: number | undefined): GameCall {
  const { status, currentPlayers, maxPlayers, availableSlots, waitlist, waiting } = game;
  const taken = `${grouped(currentPlayers)} of ${grouped(maxPlayers)}`;
  const still = { tone: "calm", way: undefined, leave: undefined } as const;
  if (status === "ENDED")
    return {
      ...still,
      headline: "This game has ended",
      detail: place === "seated" ? "You took part until the end." : `${people(currentPlayers)} took part.`,
    };
  if (place === "seated") {
    const free =
      availableSlots === 0
        ? "Every seat is taken."
        : `${counted(availableSlots, "seat is", "seats are")} free.`;
    return { ...still, tone: "good", headline: "You are in", detail: free, leave: "Leave" };
  }
  if (place === "waiting")
    return {
      ...still,
      tone: position === 1 ? "good" : "calm",
      headline:
        position === 1
          ? "You are next"
          : position === undefined
            ? "You are in the line"
            : `Position ${grouped(position)}`,
      detail: position === undefined || position === 1 ? "The next free seat is yours." : ahead(position - 1),
      leave: "Leave the line",
    };
  if (status === "OPEN")
    return {
      ...still,
      tone: "yours",
      headline: counted(availableSlots, "seat is free", "seats are free"),
      detail: `${taken} are taken.`,
      way: "Join",
    };
  if (!waitlist)
    return {
      ...still,
      headline: `The game is full (${taken})`,
      detail: "If a seat becomes free, this page shows it at once.",
    };
  return {
    ...still,
    headline: `The game is full (${taken})`,
    detail: `You can wait: ${waiting === 0 ? "nobody is ahead." : ahead(waiting)}`,
    way: "Wait in line",
  };
}
