import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  defaultLanes,
  type GameCommand,
  type GameEvent,
  type GameRoom,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
} from "@openseat/kernel";
import { newArenaCommand } from "../app/arenas/arenas.ts";
import { type LadderStreams, newLadderCommand } from "../app/ladders/ladders.ts";
import { queueDefaults } from "../app/queues/queues.ts";
import type { Streams } from "../host/streams.ts";

const demoId = "demo";
const by = "@operator";
/** Visitors who close the page must not fill the demo game for ever. */
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

/** Rooms to try things on, by their ids. */
export interface Demo {
  readonly game: string | undefined;
  readonly queue: string | undefined;
  readonly arenas: readonly string[];
  readonly ladder: string | undefined;
}

export const noDemo: Demo = { game: undefined, queue: undefined, arenas: [], ladder: undefined };

interface AllStreams {
  readonly games: Streams<GameRoom, GameCommand, GameEvent>;
  readonly queues: Streams<QueueRoom, QueueCommand, QueueEvent>;
  readonly arenas: Streams<ArenaRoom, ArenaCommand, ArenaEvent>;
  readonly ladders: LadderStreams;
}

/** Of each kind, made when there is no room of that kind at all. Several nodes may be at it at once: each room is made once. */
export async function makeDemoRooms({ games, queues, arenas, ladders }: AllStreams): Promise<Demo> {
  // First: the arenas' matches count on it.
  const ladder = await demoLadder(ladders);
  return {
    game: await demoGame(games),
    queue: await demoQueue(queues),
    arenas: await makeArenas(arenas, ladder),
    ladder,
  };
}

async function demoLadder(streams: AllStreams["ladders"]): Promise<Demo["ladder"]> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const given = { title: "The house ladder" };
    await streams.ask(demoId, { command: newLadderCommand(given, by), by });
  }
  const found = await streams.read(demoId, (ladder) => ladder && ladder.endedAt === undefined);
  return "value" in found && found.value ? demoId : undefined;
}

async function demoGame(streams: AllStreams["games"]): Promise<Demo["game"]> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const terms = { title: "Friday night game", seats: 4, waitlist: true, endsAt: null, creator: by };
    const command = { type: "create", ...terms, heartbeatTimeoutMs: demoHeartbeatTimeoutMs } as const;
    await streams.ask(demoId, { command, by });
  }
  const found = await streams.read(demoId, (room) => room && room.endedAt === undefined);
  return "value" in found && found.value ? demoId : undefined;
}

/** For one person at a time: two browsers are enough to see a line move. */
async function demoQueue(streams: AllStreams["queues"]): Promise<Demo["queue"]> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const settings = {
      ...queueDefaults,
      title: "Friday night sale",
      seats: 1,
      claimTimeoutMs: 30_000,
      sessionDurationMs: 60_000,
      returnAddresses: ["/"],
    };
    const terms = { settings, lanes: defaultLanes, placesPerAddressMax: null, creator: by };
    await streams.ask(demoId, { command: { type: "create", ...terms }, by });
  }
  const found = await streams.read(demoId, (room) => room && room.endedAt === undefined);
  return "value" in found && found.value ? demoId : undefined;
}

async function makeArenas(streams: AllStreams["arenas"], ladder: Demo["ladder"]): Promise<Demo["arenas"]> {
  const rated = ladder && { rated: { ladder, tiers: [], tier: 0 } };
  const listed = await streams.list({ limit: demoArenas.length + 1 });
  // With some of ours alone, another node is at it, or was when it stopped: the rest is still to be made.
  const isOurs = listed.every(({ stream }) => demoArenas.some(({ id }) => stream === `arena/${id}`));
  const missing = demoArenas.filter(({ id }) => listed.every(({ stream }) => stream !== `arena/${id}`));
  // The newest is listed first, so the one to be met first is made last.
  for (const { id, ...given } of isOurs ? missing.toReversed() : [])
    await streams.ask(id, { command: { ...newArenaCommand(given, by), ...rated }, by });
  const there: string[] = [];
  for (const { id } of demoArenas) {
    const found = await streams.read(id, (room) => room && room.endedAt === undefined);
    if ("value" in found && found.value) there.push(id);
  }
  return there;
}
