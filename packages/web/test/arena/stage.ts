import type { ArenaAtVersion, ArenaGame, ArenaState, MatchResult, Sight } from "@openseat/client";

export const ann = { userId: "guest:ann", id: "guest:ann", name: "Ann" };
export const bob = { userId: "guest:bob", id: "guest:bob", name: "Bob" };
export const cleo = { userId: "guest:cleo", id: "guest:cleo", name: "Cleo" };

const time = "2030-01-01T12:00:00.000Z";

export const sight: Sight = {
  cells: Array.from({ length: 9 }, () => null),
  marked: [],
  score: [],
  notes: [],
  chosen: null,
};

export const ticTacToe: ArenaGame = {
  name: "tic-tac-toe",
  title: "Tic-tac-toe",
  summary: "Three in a row win.",
  columns: 3,
  cells: Array.from({ length: 9 }, (_, index) => ({
    name: `row ${Math.floor(index / 3) + 1}, column ${(index % 3) + 1}`,
    move: `${"abc"[index % 3]}${Math.floor(index / 3) + 1}`,
  })),
  choices: [],
  isSecret: false,
};

/** Each column is one move. */
export const dropping: ArenaGame = {
  ...ticTacToe,
  name: "dropping",
  cells: ticTacToe.cells.map(({ name, move }) => ({ name, move: move[0] })),
};

export const throwing: ArenaGame = {
  ...ticTacToe,
  name: "rock-paper-scissors",
  columns: 0,
  cells: [],
  choices: ["rock", "paper", "scissors"].map((move) => ({ move, name: move.toUpperCase(), symbol: "?" })),
  isSecret: true,
};

/** Ann is X and has to move, Bob is O, the line is empty, and the viewer is anonymous. */
export const playing: ArenaState = {
  status: "PLAYING",
  players: [
    { label: "X", person: ann, streak: 2, since: time },
    { label: "O", person: bob, streak: 0, since: time },
  ],
  line: [],
  waiting: 0,
  match: { id: "20", number: 2, startedAt: time, turn: 1, toMove: ["X"], moveBy: time, moves: 0, sight },
  lastMatch: null,
  lastSight: null,
  you: null,
};

export const ended: MatchResult = {
  id: "10",
  number: 1,
  startedAt: "2030-01-01T11:59:00.000Z",
  endedAt: time,
  winner: "X",
  reason: "played",
  players: [
    { label: "X", person: ann },
    { label: "O", person: bob },
  ],
  moves: 5,
};

export function viewOf(state: Partial<ArenaState> = {}, game: ArenaGame | null = ticTacToe): ArenaAtVersion {
  return {
    arena: {
      id: "ttt",
      game: game?.name ?? null,
      options: {},
      labels: ["X", "O"],
      lanes: [],
      ladder: null,
      tier: null,
      tiers: [],
      title: "Lobby",
      seats: 2,
      drawRule: "longest-leaves",
      maxWins: null,
      moveTimeoutSeconds: 30,
      reconnectGraceSeconds: 15,
      heartbeatTimeoutSeconds: 60,
      maxWaiting: 100,
      patienceSeconds: 600,
      createdBy: null,
      createdAt: time,
    },
    game,
    state: { ...playing, ...state },
    version: 1,
  };
}

export function seated(label: string, moves: readonly string[] = []): NonNullable<ArenaState["you"]> {
  return { ticket: 1, state: "seated", label, position: null, moves: [...moves] };
}

export function waiting(position: number): NonNullable<ArenaState["you"]> {
  return { ticket: 9, state: "waiting", label: null, position, moves: [] };
}
