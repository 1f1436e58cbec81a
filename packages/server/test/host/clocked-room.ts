import type { Decider, Millis } from "@openseat/kernel";

export const turnMs = 30_000;

/** A room with a clock that runs out unless it is paused. */
export interface Clocked {
  due: Millis | null;
}
export type ClockedCommand = { readonly type: "open" | "play" | "note" | "stand-still" | "tick" | "revive" };
export type ClockedEvent = { readonly type: ClockedCommand["type"]; readonly due: Millis | null };

export const clockedDecider: Decider<Clocked, ClockedCommand, ClockedEvent> = {
  decide(room, { type }, now) {
    if (type === "revive" && room!.due === null) return { events: [] };
    if (type === "note") return { events: [{ type, due: room!.due }] };
    const stands = type === "stand-still" || type === "tick";
    return { events: [{ type, due: stands ? null : ((now + turnMs) as Millis) }] };
  },
  evolve: (_room, { due }) => ({ due }),
  nextDue: ({ due }) => due ?? undefined,
  tick: { type: "tick" },
  clock: { isRunning: ({ due }) => due !== null, revive: { type: "revive" } },
  keys: { fingerprint: ({ type }) => type },
  listing: () => ({ status: "OPEN", summary: {} }),
  snapshots: {
    save: ({ due }) => ({ head: { due }, columns: {} }),
    restore: ({ head }) => ({ due: head.due as Millis | null }),
  },
};
