import type { Millis } from "../values.ts";
import { roomLimits } from "./limits.ts";

/**
 * LM7: when a room ends in which nobody has ever taken a place. Undefined for the rooms of services and operators, whose names
 * begin with `@`: they know what they keep them for.
 */
export function unusedUntil({
  creator,
  createdAt,
}: {
  readonly creator: string;
  readonly createdAt: Millis;
}): Millis | undefined {
  return creator.startsWith("@") ? undefined : ((createdAt + roomLimits.unusedMsMax) as Millis);
}
