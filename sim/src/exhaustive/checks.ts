import { isDeepStrictEqual } from "node:util";
import type { Millis } from "@openseat/kernel";
import { leases as leaseRules } from "../leases.ts";
import { must } from "../rule.ts";
import type { AnySmallWorld } from "./small-world.ts";

/** A room in the server's memory, and in the specification. */
interface Sides {
  // biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds are checked alike
  readonly state: any;
  // biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds are checked alike
  readonly room: any;
  readonly now: Millis;
}

/** Checks what the host stores with each entry, and the next due time. */
export function checkWritten(world: AnySmallWorld, sides: Sides): void {
  checkListing(world, sides);
  checkDue(world, sides);
  checkLeases(world, sides);
}

/** RM6: checks that the list of rooms agrees with the room. */
function checkListing({ decider, specification }: AnySmallWorld, { state, room }: Sides): void {
  const { status, summary } = decider.listing(state);
  const { presence, clock } = decider;
  const isLeased = presence?.leases.some(({ windowMs }) => windowMs(state) !== undefined);
  const leased = presence && { leased: isLeased || clock?.isRunning(state) === true };
  const listed = { status, summary: { ...summary, ...leased } };
  const isRight = isDeepStrictEqual(listed, specification.listing(room));
  must(isRight, "RM6", "the list of rooms disagrees with the room");
}

/** A due time that is too late delays work; one in the past makes the server spin. */
function checkDue({ decider, specification }: AnySmallWorld, { state, room, now }: Sides): void {
  const { dueRule } = specification;
  const due = decider.nextDue(state);
  const expected = specification.due(room);
  must(due === expected, dueRule, `it is due at ${expected} but asks to be woken at ${due}`);
  must(due === undefined || due > now, dueRule, `it is due at ${due}, which is not in the future`);
}

/**
 * LS1, AR8, LN11: silence ends a place or makes it away after at least one window, and at most as many as the rule
 * allows.
 */
function checkLeases({ decider, kind }: AnySmallWorld, { state, room }: Sides): void {
  for (const [number, { windowMs, spansPerWindow = 1 }] of (decider.presence?.leases ?? []).entries()) {
    const { rule, windowMs: window, windowsMax, tickets, returns } = leaseRules[kind][number];
    const places = [...tickets(room), ...(returns?.(room) ?? [])];
    const expected = places.length > 0 ? (window(room) ?? undefined) : undefined;
    const allowed = windowMs(state);
    must(allowed === expected, rule, `silence is allowed for ${allowed} ms instead of ${expected}`);
    const windows = 1 + 1 / spansPerWindow;
    must(windows <= windowsMax, rule, `silence may last ${windows} windows, instead of ${windowsMax}`);
  }
}

/** Checks every viewer's view: places, gapless positions from 1, counts, matches and allowed actions. */
export function checkViews(world: AnySmallWorld, { state, room, now }: Sides, version: number): void {
  const { specification, viewers, view } = world;
  for (const by of viewers) {
    const isRight = isDeepStrictEqual(view(state, version, by, now), specification.view(room, { by }));
    must(isRight, specification.viewRule, `${by}'s view differs from the specification`);
  }
}
