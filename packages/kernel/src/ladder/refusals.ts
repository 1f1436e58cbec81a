import type { Refusal } from "../refusals.ts";
import { ladderLimits } from "./limits.ts";
import type { MatchStatus } from "./matches/match-statuses.ts";

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

/** Why a match that is no longer pending cannot be confirmed, declined or voided. */
export const settledMatch: Readonly<Record<Exclude<MatchStatus, "pending">, Refusal>> = {
  counted: { code: "match.counted", message: "This match already counts." },
  voided: { code: "match.voided", message: "This match was already voided." },
  declined: {
    code: "match.declined",
    message: "This match never counted: the opponent declined it, or another report of it counts.",
  },
  lapsed: {
    code: "match.lapsed",
    message:
      "This match never counted: it was not confirmed in time, newer reports replaced it, or one of the players was banned.",
  },
};

export const wornOut: Refusal = {
  code: "ladder.exhausted",
  message: "This ladder has reached its limit of matches, imports or sources. Please create a new one.",
};

export const ladderFull: Refusal = {
  code: "ladder.full",
  message: `This ladder has reached its limit of ${ladderLimits.playersMax} players.`,
};

export function notTheirLadder(what: string): Refusal {
  return {
    code: "auth.forbidden",
    message: `Only the organiser of this ladder can ${what}.`,
  };
}

export function samePlayer(person: string): Refusal {
  return {
    code: "player.self",
    message: "A match needs two different players.",
    data: { userId: person },
  };
}
