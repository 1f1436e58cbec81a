import type { Outgoing } from "@openseat/server";
import { must } from "../rule.ts";
import { type Directory, type Duel, hasReaders } from "./directory.ts";

/** All simulated addresses match this pattern, and no other text does. */
const address = /\+\d{9}/;

/** CH6: only the directory knows phone numbers and chat addresses. */
export function checkNoAddress(text: string, where: string): void {
  must(!address.test(text), "CH6", `an address appears in ${where}: ${text}`);
}

/** Fixed phrases that name hands without revealing any, such as how to answer a challenge. */
const usual = [
  /rock, paper, scissors/g,
  /throw rock @\S+ \(or paper, (or )?scissors\)/g,
  /throw rock @\S+/g,
  /It can be rock, paper or scissors/g,
];

/** CH4: a message reveals a hand only after the duel is over, or to the person who threw it. */
export function checkSecrets(directory: Directory, { to, body }: Outgoing, readers: readonly string[]): void {
  if (typeof body.text !== "string") return;
  let text = body.text;
  for (const words of usual) text = text.replace(words, "");
  const isPublic = hasReaders(directory, to);
  text = text.replace(/(\S+) threw (rock|paper|scissors)/g, (phrase, who: string, hand: string) => {
    const isYou = /^you$/i.test(who);
    const isKnown = directory.duels.some((duel) => {
      if (isYou) return isOf(duel, readers, hand) && (isOver(duel) || !isPublic);
      return isOver(duel) && duel.end!.names.some((name, seat) => name === who && duel.hands[seat] === hand);
    });
    must(isKnown, "CH4", `"${phrase}" was sent to ${to}, but no finished duel reveals it`);
    return "";
  });
  must(!/rock|paper|scissors/.test(text), "CH4", `${to} was sent a hand: ${text}`);
}

function isOf({ players, hands }: Duel, readers: readonly string[], hand: string): boolean {
  return players.some((player, seat) => readers.includes(player) && hands[seat] === hand);
}

function isOver({ end }: Duel): boolean {
  return end?.winner !== undefined;
}
