import type { Refusal } from "../refusals.ts";
import { ladderLimits } from "./limits.ts";
import type { MatchStatus } from "./matches/match-statuses.ts";

/** Said wherever it applies, in the same words. */
export const ladderNotFound: Refusal = { code: "ladder.not-found", message: "There is no such ladder." };
export const ladderEnded: Refusal = { code: "ladder.ended", message: "This ladder has ended." };
export const ladderMatchNotFound: Refusal = {
  code: "match.not-found",
  message: "There is no such match on this ladder.",
};

export function playerNotFound(person: string): Refusal {
  return {
    code: "player.not-found",
    message: `${person} is not a player of this ladder.`,
    data: { userId: person },
  };
}

/** LD13. */
export function playerBanned(person: string): Refusal {
  return {
    code: "player.banned",
    message: `${person} is banned from this ladder.`,
    data: { userId: person },
  };
}

/** Why nothing more can become of a match. */
export const settledMatch: Readonly<Record<Exclude<MatchStatus, "pending">, Refusal>> = {
  counted: { code: "match.counted", message: "This match counts already." },
  voided: { code: "match.voided", message: "This match was voided already." },
  declined: {
    code: "match.declined",
    message: "This match was declined by the opponent, or another report of it counts; it never counted.",
  },
  lapsed: {
    code: "match.lapsed",
    message:
      "This match was not confirmed in time, made room for newer ones, or was with a player who was banned; it never counted.",
  },
};

export const wornOut: Refusal = {
  code: "ladder.exhausted",
  message: "This ladder has as many matches, or imports, as one may have. Please make a new one.",
};

export const ladderFull: Refusal = {
  code: "ladder.full",
  message: `This ladder has all the players that one may have (${ladderLimits.playersMax}).`,
};

export function notTheirLadder(what: string): Refusal {
  return {
    code: "auth.forbidden",
    message: `Only the one who made this ladder, a service or an operator may ${what}.`,
  };
}

export function samePlayer(person: string): Refusal {
  return {
    code: "player.self",
    message: "Nobody plays against themselves: a match needs two different players.",
    data: { userId: person },
  };
}
