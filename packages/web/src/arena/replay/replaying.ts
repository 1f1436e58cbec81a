import type { Replay, Sight } from "@openseat/client";
import { counted, span } from "../../ui/words.ts";
import { moveName } from "../table/cells.ts";
import { headlineOf, whyOf } from "../table/result.ts";

/** How long each move is shown during playback. */
export const stepMs = 1_100;

export type Command = "first" | "back" | "forward" | "last" | "play";

/** The command of a key; undefined for other keys. */
export function commandOf(key: string): Command | undefined {
  const commands: Readonly<Record<string, Command>> = {
    ArrowLeft: "back",
    ArrowRight: "forward",
    Home: "first",
    End: "last",
    " ": "play",
  };
  return commands[key];
}

/** The step after a command. Step 0 is the board before the first move. */
export function stepAfter(command: Exclude<Command, "play">, step: number, steps: number): number {
  switch (command) {
    case "first":
      return 0;
    case "back":
      return Math.max(0, step - 1);
    case "forward":
      return Math.min(steps, step + 1);
    case "last":
      return steps;
  }
}

export function sightAt({ start, moves }: Replay, step: number): Sight | null {
  return step === 0 ? start : (moves[step - 1]?.sight ?? start);
}

/** "Ann (X) played row 2, column 1". */
export function stepWords({ game, moves, match }: Replay, step: number): string {
  if (step === 0) return "Before the first move";
  const { label, move, sight } = moves[step - 1];
  const name = match.players.find((player) => player.label === label)?.person.name;
  return `${name ?? label} (${label}) played ${moveName(game, move, sight)}`;
}

/** Who won, why, and how long it took. */
export function endingOf({ match, game }: Replay): string {
  const took = span(Date.parse(match.endedAt) - Date.parse(match.startedAt));
  // The moves of a match that was played elsewhere are unknown.
  const length = game ? `It took ${counted(match.moves, "move", "moves")} and ${took}.` : `It took ${took}.`;
  return [headlineOf(match, undefined), whyOf(match, undefined), length].filter((it) => it !== "").join(" ");
}
