import type { ArenaState, MatchResult } from "@openseat/client";
import { counted, listed } from "../../ui/words.ts";

type ViewerOutcome = "won" | "lost" | "draw" | "watched";

/** The outcome of a match for one viewer. */
export function outcomeFor(match: MatchResult, me: string | undefined): ViewerOutcome {
  const mine = match.players.find(({ person }) => person.userId === me);
  if (!mine) return "watched";
  if (match.winner === null) return "draw";
  return match.winner === mine.label ? "won" : "lost";
}

/** "Brisk Heron wins." */
export function headlineOf(match: MatchResult, me: string | undefined): string {
  if (match.winner === null) return match.reason === "unreported" ? "No result." : "A draw.";
  const winner = match.players.find(({ label }) => label === match.winner);
  if (winner?.person.userId === me) return "You win.";
  return `${winner?.person.name ?? match.winner} wins.`;
}

/** Why a match ended early; empty if it was played to the end. */
export function whyOf(match: MatchResult, me: string | undefined): string {
  const others = match.players.filter(({ label }) => label !== match.winner);
  const isOne = others.length === 1;
  const isMe = isOne && others[0].person.userId === me;
  const who = isMe ? "You" : isOne ? others[0].person.name : "A player";
  switch (match.reason) {
    case "resigned":
      return `${who} gave up.`;
    case "left":
      return `${who} left.`;
    case "disconnected":
      // With more than two players, losing one leaves no winner, so only a match of two means that both are gone.
      return match.winner === null && match.players.length === 2
        ? "Both players lost the connection."
        : `${who} lost the connection.`;
    case "move-timeout":
      return `${who} ran out of time.`;
    case "unreported":
      return "The result was not reported in time.";
    case "too-long":
      return "It took too many moves.";
    case "arena-ended":
      return "The arena ended.";
    default:
      return "";
  }
}

/** For the list of matches. Moves that were played elsewhere are unknown, so "0 moves" would be wrong. */
export function detailOf(match: MatchResult): string {
  if (match.reason === "reported") return "";
  return whyOf(match, undefined) || `${counted(match.moves, "move", "moves")}.`;
}

/** What happens next for the viewer, who may have played or watched. */
export function nextFor(
  match: MatchResult,
  me: string | undefined,
  { you, match: running, players }: Pick<ArenaState, "you" | "match" | "players">,
): string {
  const outcome = outcomeFor(match, me);
  // A player who left on purpose knows; one who was removed may not.
  if (you === null) return outcome === "watched" || match.reason === "left" ? "" : "You lost your place.";
  if (you.state === "waiting") {
    if (outcome === "watched")
      return you.position === 1 ? "You are next." : `You are at position ${you.position}.`;
    return `You go to the back of the line: position ${you.position}.`;
  }
  if (outcome === "watched") return `You have a seat: you play ${you.label}.`;
  if (!running) return "You keep your seat.";
  const before = new Set(match.players.map(({ person }) => person.userId));
  const fresh = players.filter(({ person }) => !before.has(person.userId)).map(({ person }) => person.name);
  return fresh.length === 0 ? "You play again." : `You stay, and play ${listed(fresh)}.`;
}

/** For the list of matches: "Brisk Heron beat Calm Otter". */
export function summaryOf(match: MatchResult): string {
  const named = (label: string) =>
    match.players.find((player) => player.label === label)?.person.name ?? label;
  const others = match.players.filter(({ label }) => label !== match.winner).map(({ person }) => person.name);
  if (match.winner === null) return `${listed(others)} ${match.reason === "unreported" ? "played" : "drew"}`;
  return others.length === 0 ? `${named(match.winner)} won` : `${named(match.winner)} beat ${listed(others)}`;
}
