import type { Game, Outcome, Round, SeatNumber } from "../game.ts";

export type Hand = "rock" | "paper" | "scissors";

interface Rounds {
  readonly bestOf: number;
  /** Both throws by seat, for each finished round. */
  readonly past: readonly (readonly Hand[])[];
  /** The throws of this round by seat. They stay secret until both players have thrown. */
  readonly thrown: readonly (Hand | null)[];
}

const beats: Readonly<Record<Hand, Hand>> = { rock: "scissors", paper: "rock", scissors: "paper" };
const throws = Object.keys(beats) as Hand[];

/** Ends a match of endless ties. The higher score wins then. */
const roundsMax = 50;
/** The newest finished rounds that are shown. */
const shownMax = 10;

/** Null for a tie, which is played again. */
export function winnerOf([first, second]: readonly Hand[]): SeatNumber | null {
  if (first === second) return null;
  return beats[first] === second ? 0 : 1;
}

function scoreOf({ past }: Rounds): readonly number[] {
  return rockPaperScissors.seats.map((_, seat) => past.filter((round) => winnerOf(round) === seat).length);
}

function outcome(rounds: Rounds): Outcome | undefined {
  const [first, second] = scoreOf(rounds);
  const isWon = Math.max(first, second) > rounds.bestOf / 2;
  const isLevel = first + second === rounds.bestOf;
  if (!isWon && !isLevel && rounds.past.length < roundsMax) return undefined;
  if (first === second) return { winner: null };
  return { winner: first > second ? 0 : 1 };
}

function roundOf(round: readonly Hand[], index: number): Round {
  return { number: index + 1, chosen: round, winner: winnerOf(round) };
}

function noteOf(round: readonly Hand[], index: number): string {
  const winner = winnerOf(round);
  if (winner === null) return `Round ${index + 1}: both throw ${round[0]}, nobody wins.`;
  const label = rockPaperScissors.seats[winner];
  return `Round ${index + 1}: ${round[winner]} beats ${round[1 - winner]}, ${label} wins.`;
}

export const rockPaperScissors: Game<Rounds, Hand> = {
  name: "rock-paper-scissors",
  title: "Rock, paper, scissors",
  summary: "Both throw at once. Rock beats scissors, scissors beat paper, paper beats rock; most rounds win.",
  seats: ["A", "B"],
  options: {
    bestOf: {
      usual: 3,
      least: 1,
      most: 15,
      means:
        "The number of rounds, not counting ties. The player with more rounds wins; with equally many it is a draw.",
    },
  },
  table: {
    columns: 0,
    cells: [],
    choices: [
      { move: "rock", name: "Rock", symbol: "●" },
      { move: "paper", name: "Paper", symbol: "▤" },
      { move: "scissors", name: "Scissors", symbol: "✂" },
    ],
  },
  isSecret: true,
  setup: (_chance, { bestOf }) => ({ bestOf, past: [], thrown: [null, null] }),
  toMove: (rounds) =>
    outcome(rounds) === undefined ? [0, 1].filter((seat) => rounds.thrown[seat] === null) : [],
  moves: () => throws,
  play({ bestOf, past, thrown }, seat, move) {
    const round = thrown.with(seat, move);
    const isComplete = round.every((each) => each !== null);
    return isComplete
      ? { bestOf, past: [...past, round], thrown: [null, null] }
      : { bestOf, past, thrown: round };
  },
  outcome,
  view: (rounds, viewer) => ({
    cells: [],
    marked: [],
    score: scoreOf(rounds),
    notes: rounds.past.map(noteOf).slice(-shownMax),
    rounds: rounds.past.map(roundOf).slice(-shownMax),
    // Only the viewer's own throw.
    chosen: viewer === undefined ? null : rounds.thrown[viewer],
  }),
};
