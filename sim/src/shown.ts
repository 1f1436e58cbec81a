import type { Entry } from "@openseat/server";

/** Whoever watches sees a room with the eyes of someone who has no place in it. */
export const nobody = "nobody";

export function shownChange({ version, at, events }: Entry): string {
  return JSON.stringify({ version, at, events });
}
