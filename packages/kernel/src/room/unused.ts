import type { Millis } from "../values.ts";
import { roomLimits } from "./limits.ts";

/**
 * LM7: when a room that was never used ends. Undefined for rooms of services and operators, whose names begin with
 * `@`: those rooms do not expire.
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
