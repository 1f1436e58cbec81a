import assert from "node:assert/strict";
import type { AnyGame, GameOptions, SeatNumber } from "../../src/match/game.ts";
import { Match } from "../../src/match/match.ts";
import { usualOptions } from "./checks.ts";

export function newMatch(game: AnyGame, seed = 0, options: GameOptions = {}): Match {
  return new Match(game, { seed, options: { ...usualOptions(game), ...options }, moves: [] });
}

/** A match in which this seat moves first. */
export function begunBy(seat: SeatNumber, game: AnyGame): Match {
  for (let seed = 0; seed < 100; seed++) {
    const match = newMatch(game, seed);
    if (match.toMove[0] === seat) return match;
  }
  throw new Error(`seat ${seat} never begins`);
}

/** The seats to move play these moves in order. */
export function playAll(match: Match, moves: readonly string[]): Match {
  for (const move of moves) {
    const [seat] = match.toMove;
    assert.equal(
      match.obstacleTo(seat, move, match.turn),
      undefined,
      `${move} after ${match.moves.length} moves`,
    );
    match.play(seat, move);
  }
  return match;
}

/** How often the first seat begins in a thousand matches. */
export function beginnings(game: AnyGame): number {
  return Array.from({ length: 1_000 }, (_, seed) => newMatch(game, seed).toMove[0]).filter(
    (seat) => seat === 0,
  ).length;
}
