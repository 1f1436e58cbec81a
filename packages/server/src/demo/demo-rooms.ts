import { defaultLanes, type GameCommand, type GameEvent, type GameRoom } from "@openseat/kernel";
import { type ArenaStreams, newArenaCommand } from "../app/arenas/arenas.ts";
import { type LadderStreams, newLadderCommand } from "../app/ladders/ladders.ts";
import { type QueueStreams, queueDefaults } from "../app/queues/queues.ts";
import type { Streams } from "../host/streams.ts";

const demoId = "demo";
const by = "@operator";
/** Visitors who close the page must not occupy seats of the demo game forever. */
const demoHeartbeatTimeoutMs = 60_000;

const demoArenas = [
  { id: "tic-tac-toe", title: "Tic-tac-toe, the winner stays", game: "tic-tac-toe", maxWins: 3 },
  { id: "connect-four", title: "Connect four, the winner stays", game: "connect-four", maxWins: 3 },
  {
    id: "rock-paper-scissors",
    title: "Rock, paper, scissors: best of three",
    game: "rock-paper-scissors",
    maxWins: 3,
  },
] as const;

/** AU6: whether a demo room has this id, now or after a start on an empty log. */
export function isDemoRoom(kind: "arena" | "ladder", id: string): boolean {
  return kind === "ladder" ? id === demoId : demoArenas.some((arena) => arena.id === id);
}

/** The ids of the demo rooms. */
export interface Demo {
  readonly game: string | undefined;
  readonly queue: string | undefined;
  readonly arenas: readonly string[];
  readonly ladder: string | undefined;
}

export const noDemo: Demo = { game: undefined, queue: undefined, arenas: [], ladder: undefined };

interface AllStreams {
  readonly games: Streams<GameRoom, GameCommand, GameEvent>;
  readonly queues: QueueStreams;
  readonly arenas: ArenaStreams;
  readonly ladders: LadderStreams;
}

/** Creates a demo room of each kind that has no rooms. Several nodes may do so at once: each room is created once. */
export async function makeDemoRooms({ games, queues, arenas, ladders }: AllStreams): Promise<Demo> {
  // Create the ladder first, because the matches of the arenas count on it.
  const ladder = await demoRoom(ladders, newLadderCommand({ title: "The house ladder" }, by));
  return {
    game: await demoRoom(games, newGame),
    queue: await demoRoom(queues, newQueue),
    arenas: await makeArenas(arenas, ladder),
    ladder,
  };
}

const newGame = {
  type: "create",
  title: "Friday night game",
  seats: 4,
  waitlist: true,
  endsAt: null,
  creator: by,
  heartbeatTimeoutMs: demoHeartbeatTimeoutMs,
} as const;

/** For one person at a time: two browsers are enough to see the line move. */
const newQueue = {
  type: "create",
  settings: {
    ...queueDefaults,
    title: "Friday night sale",
    seats: 1,
    claimTimeoutMs: 30_000,
    sessionDurationMs: 60_000,
    returnAddresses: ["/"],
  },
  lanes: defaultLanes,
  placesPerAddressMax: null,
  creator: by,
} as const;

type Endable = { readonly endedAt?: unknown };

/** Creates the demo room if there is no room of its kind. Returns its id if it exists and has not ended. */
async function demoRoom<Room extends Endable, Command, Event>(
  streams: Streams<Room, Command, Event>,
  command: Command,
): Promise<string | undefined> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) await streams.ask(demoId, { command, by });
  return (await isOpen(streams, demoId)) ? demoId : undefined;
}

async function isOpen(streams: Streams<Endable, never, unknown>, id: string): Promise<boolean> {
  const found = await streams.read(id, (room) => room !== undefined && room.endedAt === undefined);
  return "value" in found && found.value;
}

async function makeArenas(streams: ArenaStreams, ladder: Demo["ladder"]): Promise<Demo["arenas"]> {
  const rated = ladder && { rated: { ladder, tiers: [], tier: 0 } };
  const listed = await streams.list({ limit: demoArenas.length + 1 });
  // If only some demo arenas exist, another node is creating them or stopped before it finished: create the rest.
  const isOurs = listed.every(({ stream }) => demoArenas.some(({ id }) => stream === `arena/${id}`));
  const missing = demoArenas.filter(({ id }) => listed.every(({ stream }) => stream !== `arena/${id}`));
  // Lists show the newest first, so create the most important one last.
  for (const { id, ...given } of isOurs ? missing.toReversed() : [])
    await streams.ask(id, { command: { ...newArenaCommand(given, by), ...rated }, by });
  const areOpen = await Promise.all(demoArenas.map(({ id }) => isOpen(streams, id)));
  return demoArenas.filter((_, index) => areOpen[index]).map(({ id }) => id);
}
