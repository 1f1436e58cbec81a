import { clipped } from "../chat/tidy.ts";
import { duelLimits } from "../duel/limits.ts";
import type { Refusal } from "../refusals.ts";

export const badNickname: Refusal = {
  code: "nickname.invalid",
  message: "A nickname has 2 to 20 letters, digits, _ or -.",
};

export function nicknameTaken(nickname: string): Refusal {
  return { code: "nickname.taken", message: `${nickname} is taken. Please choose another nickname.` };
}

export function alreadyCalled(nickname: string): Refusal {
  return { code: "nickname.same", message: `Your nickname is already ${nickname}.`, data: { nickname } };
}

export const nicknameMissing: Refusal = {
  code: "nickname.missing",
  message: "You need a nickname first, so that others can find you.",
};

export function nobodyCalled(name: string): Refusal {
  return { code: "nickname.unknown", message: `Nobody here has the nickname ${clipped(name, 40)}.` };
}

export const directoryFull: Refusal = {
  code: "directory.full",
  message: "There is no room for more people right now. Please try again later.",
};

export const selfDuel: Refusal = {
  code: "duel.self",
  message: "You cannot challenge yourself. Please choose somebody else.",
};

export function duelOpen(name: string): Refusal {
  return { code: "duel.exists", message: `You already have an open duel with ${name}.` };
}

export function alreadyThrown(name: string): Refusal {
  return { code: "duel.thrown", message: `You have already thrown. Wait for ${name} to throw.` };
}

export const duelNotFound: Refusal = {
  code: "duel.not-found",
  message: "You have no such duel, or it ended too long ago.",
};

export const duelOver: Refusal = { code: "duel.over", message: "This duel is over." };

export const tooManyDuels: Refusal = {
  code: "duel.too-many",
  message: `You have ${duelLimits.openedByOneMax} open challenges. Withdraw one, or wait for an answer.`,
  retryable: true,
  retryAfterSeconds: 60,
};

export const conversationNotFound: Refusal = {
  code: "conversation.not-found",
  message: "There is no such group.",
};

export const nothingRecalled: Refusal = {
  code: "delivery.not-found",
  message: "Nothing was recorded under this key.",
};

export const ladderTakesNoDuels: Refusal = {
  code: "ladder.no-duels",
  message: "Duels do not count on this ladder.",
};
