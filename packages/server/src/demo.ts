import type { GameCommand, GameEvent, GameRoom, QueueCommand, QueueEvent, QueueRoom } from "@openseat/kernel";
import { defaultLanes } from "@openseat/kernel";
import type { Streams } from "./host/host.ts";
import { queueDefaults } from "./transport/queues/queues.ts";

const demoId = "demo";

/** Rooms to try things on, by their ids; undefined for one that there is not. */
export interface Demo {
  readonly game: string | undefined;
  readonly queue: string | undefined;
}

/** A game, made when there are no games at all. */
export async function demoGame(streams: Streams<GameRoom, GameCommand, GameEvent>): Promise<Demo["game"]> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const terms = {
      title: "Friday night game",
      seats: 4,
      waitlist: true,
      endsAt: null,
      creator: "@operator",
    };
    await streams.ask(demoId, { command: { type: "create", ...terms }, by: "@operator" });
  }
  const found = await streams.read(demoId, (room) => room && room.endedAt === undefined);
  return "value" in found && found.value ? demoId : undefined;
}

/** A waiting room for one person at a time, made when there are none: two browsers are enough to see a line move. */
export async function demoQueue(
  streams: Streams<QueueRoom, QueueCommand, QueueEvent>,
): Promise<Demo["queue"]> {
  const [newest] = await streams.list({ limit: 1 });
  if (!newest) {
    const settings = {
      ...queueDefaults,
      title: "Friday night sale",
      seats: 1,
      claimTimeoutMs: 30_000,
      sessionDurationMs: 60_000,
      returnAddresses: ["/docs"],
    };
    const terms = { settings, lanes: defaultLanes, placesPerAddressMax: null, creator: "@operator" };
    await streams.ask(demoId, { command: { type: "create", ...terms }, by: "@operator" });
  }
  const found = await streams.read(demoId, (room) => room !== undefined);
  return "value" in found && found.value ? demoId : undefined;
}
