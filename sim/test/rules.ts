import {
  arenaDecider,
  type Decider,
  directoryDecider,
  gameDecider,
  type Lease,
  ladderDecider,
  type Millis,
  queueDecider,
  type Saved,
  type Snapshots,
} from "@openseat/kernel";
import type { Parts } from "../src/parts.ts";

/** The correct rules with some methods replaced. */
export const games = (methods: Partial<typeof gameDecider>): Partial<Parts> => ({
  games: { ...gameDecider, ...methods },
});
export const queues = (methods: Partial<typeof queueDecider>): Partial<Parts> => ({
  queues: { ...queueDecider, ...methods },
});
export const arenas = (methods: Partial<typeof arenaDecider>): Partial<Parts> => ({
  arenas: { ...arenaDecider, ...methods },
});
export const ladders = (methods: Partial<typeof ladderDecider>): Partial<Parts> => ({
  ladders: { ...ladderDecider, ...methods },
});
export const directories = (methods: Partial<typeof directoryDecider>): Partial<Parts> => ({
  directories: { ...directoryDecider, ...methods },
});

/** Snapshots that are changed before they are restored. */
export function restoring<State>(
  { snapshots }: { readonly snapshots: Snapshots<State> },
  edit: (saved: Saved) => Partial<Saved>,
): { readonly snapshots: Snapshots<State> } {
  return {
    snapshots: { ...snapshots, restore: (saved) => snapshots.restore({ ...saved, ...edit(saved) }) },
  };
}

type Methods<State, Command, Event> = Pick<Decider<State, Command, Event>, "decide">;

/** Decisions that are changed afterwards. */
export function deciding<State, Command, Event>(
  sound: Decider<State, Command, Event>,
  change: (state: State, events: readonly Event[], command: Command, now: Millis) => readonly Event[],
): Methods<State, Command, Event> {
  return {
    decide(state, command, now) {
      const decision = sound.decide(state, command, now);
      if (state === undefined || "refusal" in decision) return decision;
      return { events: change(state, decision.events, command, now) };
    },
  };
}

/** Decisions based on an altered state or command. */
export function mistaking<State, Command, Event>(
  sound: Decider<State, Command, Event>,
  change: (state: State, command: Command) => { state?: Partial<State>; command?: Command },
): Methods<State, Command, Event> {
  return {
    decide(state, command, now) {
      if (state === undefined) return sound.decide(state, command, now);
      const other = change(state, command);
      return sound.decide(other.state ? { ...state, ...other.state } : state, other.command ?? command, now);
    },
  };
}

/** For work caused by the clock, the time is this far ahead. */
export function hurried<State, Command extends { readonly type: string }, Event>(
  sound: Decider<State, Command, Event>,
  ms: number,
): Pick<Decider<State, Command, Event>, "decide" | "nextDue"> {
  return {
    nextDue(state) {
      const due = sound.nextDue(state);
      return due === undefined ? undefined : ((due - ms) as Millis);
    },
    decide: (state, command, now) =>
      sound.decide(state, command, (command.type === "tick" ? now + ms : now) as Millis),
  };
}

/** Rules that ignore the end of a room for these commands. */
export function endless<State extends object, Command extends { readonly type: string }, Event>(
  sound: Decider<State, Command, Event>,
  type: Command["type"],
): Pick<Decider<State, Command, Event>, "decide" | "evolve"> {
  const open = (room: State): State => ({ ...room, endedAt: undefined });
  return {
    decide: (room, command, now) =>
      sound.decide(room && command.type === type ? open(room) : room, command, now),
    evolve(room, event, at, version) {
      const endedAt = (room as { endedAt?: Millis } | undefined)?.endedAt;
      if (!room || endedAt === undefined) return sound.evolve(room, event, at, version);
      return { ...sound.evolve(open(room), event, at, version), endedAt };
    },
  };
}

/** A lease that lasts this many times longer. */
export function stretched<State, Command>(lease: Lease<State, Command>, by: number): Lease<State, Command> {
  return {
    ...lease,
    windowMs(state) {
      const ms = lease.windowMs(state);
      return ms === undefined ? undefined : ms * by;
    },
  };
}

/** A lease that never expires. */
export function lasting<State, Command>(lease: Lease<State, Command>): Lease<State, Command> {
  return { ...lease, lapse: () => undefined };
}
