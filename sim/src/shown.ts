import type { Entry } from "@openseat/server";

/** A viewer without a place in the room. */
export const nobody = "nobody";

export function shownChange({ version, at, events }: Entry): string {
  return JSON.stringify({ version, at, events });
}
