import type { Millis } from "@openseat/kernel";
import { leases } from "../leases.ts";
import type { AnySmallWorld } from "./small-world.ts";
import type { Stage } from "./stage.ts";

/** A possible next step. */
export interface Step {
  readonly words: string;
  readonly play: (stage: Stage) => void;
}

/** Long enough for several things to become due at once. */
const lateMs = 1_000;

/** Every possible step at this moment. */
export function stepsAt(world: AnySmallWorld, stage: Stage): readonly Step[] {
  const byTime = [...timePassing(world, stage), ...lateness(stage), ...silences(world, stage)];
  return [...asked(world, stage), ...byTime, ...returns(world, stage), ...crashes(stage)];
}

function asked(world: AnySmallWorld, { room }: Stage): readonly Step[] {
  return [...world.asks(room), world.create].map((ask) => ({
    words: `${ask.by} asks ${JSON.stringify(ask.command)}`,
    play: (stage) => stage.ask(ask),
  }));
}

/** Advances to the next due time, to the moment just before it, and to times after which nothing is due. */
function timePassing({ waitsMs }: AnySmallWorld, { due, now }: Stage): readonly Step[] {
  const dueIn = due === undefined ? [] : [due - now - 1, due - now];
  const spans = new Set([...dueIn, ...waitsMs].filter((ms) => ms > 0));
  return [...spans].map((ms) => ({
    words: `${ms} ms pass${ms === dueIn[1] ? ", until something is due" : ""}`,
    play: (stage) => stage.waitUntil((now + ms) as Millis),
  }));
}

/** The event loop was busy when work became due. */
function lateness({ due, now }: Stage): readonly Step[] {
  if (due === undefined) return [];
  const ms = due - now + lateMs;
  return [
    {
      words: `${ms} ms pass, and the server wakes late`,
      play: (stage) => stage.wakeLate((now + ms) as Millis),
    },
  ];
}

/** LS1, AR8: every person who must send heartbeats goes silent, each alone and all together. */
function silences({ kind }: AnySmallWorld, stage: Stage): readonly Step[] {
  return leases[kind].flatMap(({ tickets, reason }, lease) => {
    const windowMs = stage.windowMs(lease);
    if (windowMs === undefined) return [];
    const leased = tickets(stage.room);
    const groups = leased.length > 1 ? [...leased.map((ticket) => [ticket]), leased] : [leased];
    return groups.map((silent) => ({
      words: `${windowMs} ms pass without a heartbeat of ticket ${silent.join(" and ")} (${reason})`,
      play: (each: Stage) => each.silence(lease, silent),
    }));
  });
}

/** LN11: every person who is away comes back. */
function returns({ kind }: AnySmallWorld, { room }: Stage): readonly Step[] {
  return leases[kind].flatMap(({ returns: away }, lease) =>
    (away?.(room) ?? []).map((ticket) => ({
      words: `a heartbeat of ticket ${ticket}, which was away`,
      play: (stage: Stage) => stage.comeBack(lease, ticket),
    })),
  );
}

/** The process dies and restarts at once, or after work became due. */
function crashes({ due, now }: Stage): readonly Step[] {
  const spans = due === undefined ? [0] : [0, due - now + 1];
  return spans.map((ms) => ({
    words: `the server crashes and is back after ${ms} ms`,
    play: (stage) => stage.crash((now + ms) as Millis),
  }));
}
