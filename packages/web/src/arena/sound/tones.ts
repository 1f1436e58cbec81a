import type { ArenaAtVersion } from "@openseat/client";
import { isYourTurn } from "../aftermath.ts";
import { outcomeFor } from "../table/result.ts";

export type Sound = "move" | "your-turn" | "seated" | "won" | "lost" | "draw";

/** One tone of a sound; `atSeconds` counts from the start of the sound. */
export interface Tone {
  readonly hertz: number;
  readonly atSeconds: number;
  readonly seconds: number;
}

const tone = (hertz: number, atSeconds: number, seconds: number): Tone => ({ hertz, atSeconds, seconds });

/** Short and easy to tell apart: rising is good, falling is bad, one click is a move. */
export const tones: Readonly<Record<Sound, readonly Tone[]>> = {
  move: [tone(330, 0, 0.07)],
  "your-turn": [tone(523, 0, 0.1), tone(659, 0.11, 0.16)],
  seated: [tone(392, 0, 0.1), tone(523, 0.11, 0.1), tone(659, 0.22, 0.16)],
  won: [tone(523, 0, 0.12), tone(659, 0.13, 0.12), tone(784, 0.26, 0.28)],
  lost: [tone(392, 0, 0.16), tone(294, 0.17, 0.28)],
  draw: [tone(440, 0, 0.14), tone(440, 0.18, 0.2)],
};

/** The most important sound of a change for this viewer. */
export function soundOf(
  before: ArenaAtVersion | undefined,
  after: ArenaAtVersion,
  me: string | undefined,
): Sound | undefined {
  if (!before) return undefined;
  const [was, is] = [before.state, after.state];
  if (is.lastMatch && is.lastMatch.id !== was.lastMatch?.id) {
    const outcome = outcomeFor(is.lastMatch, me);
    if (outcome !== "watched") return outcome;
  }
  if (is.you?.state === "seated" && was.you?.state !== "seated") return "seated";
  if (isYourTurn(after) && !isYourTurn(before)) return "your-turn";
  return is.match && is.match.moves !== (was.match?.moves ?? 0) ? "move" : undefined;
}
