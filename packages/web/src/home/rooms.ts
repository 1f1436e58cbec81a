import type { Arena, Game, LadderSummary, Queue } from "@openseat/client";
import { counted, grouped } from "../ui/words.ts";

/** The text and the call to action on a room's card. */
export interface RoomWords {
  readonly line: string;
  readonly way: string;
}

export function arenaWords({
  players,
  seats,
  waiting,
}: Pick<Arena, "players" | "seats" | "waiting">): RoomWords {
  if (players.length === 0) return { line: "Nobody here yet.", way: "Take a seat" };
  if (players.length < seats && waiting === 0) return { line: "A seat is free.", way: "Take a seat" };
  return {
    line: waiting === 0 ? "Nobody is waiting." : `${grouped(waiting)} in the line.`,
    way: "Watch or play",
  };
}

export function gameWords(
  game: Pick<Game, "status" | "currentPlayers" | "maxPlayers" | "waitlist" | "waiting">,
): RoomWords {
  const { status, currentPlayers, maxPlayers, waitlist, waiting } = game;
  const line = `${grouped(currentPlayers)} of ${grouped(maxPlayers)} seats taken.`;
  if (status === "ENDED") return { line, way: "Ended" };
  if (status === "OPEN") return { line, way: "Join" };
  if (!waitlist) return { line: `Full: ${line}`, way: "View" };
  return { line: `Full. ${grouped(waiting)} in the line.`, way: "Wait in line" };
}

export function queueWords({
  status,
  waiting,
  active,
}: Pick<Queue, "status" | "waiting" | "active">): RoomWords {
  const inside = `${grouped(active)} inside`;
  const line = waiting === 0 ? `${inside}, nobody waiting.` : `${inside}, ${grouped(waiting)} in the line.`;
  return { line: status === "PAUSED" ? `Paused. ${line}` : line, way: "Go in" };
}

export function ladderWords({ players, matches, leader }: LadderSummary): RoomWords {
  if (players === 0) return { line: "Nobody here yet.", way: "Join" };
  const line = `${counted(players, "player", "players")}, ${counted(matches, "match", "matches")}.`;
  return { line: leader ? line : `${line} Nobody leads yet.`, way: "View or play" };
}
