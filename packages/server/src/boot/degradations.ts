import type { Clock } from "../clock.ts";
import type { Host } from "../host/host.ts";
import type { UnsupportedRooms } from "../integrity/unsupported-rooms.ts";
import type { Degraded } from "../transport/http/health-routes.ts";
import { aheadOfWall } from "./clock-watch.ts";

/** By less than this the server's time is often ahead, and nobody notices. */
const aheadMsMin = 5_000;

interface DegradationDeps {
  readonly clock: Clock;
  readonly deliveries: Host["deliveries"];
  readonly unsupported: Pick<UnsupportedRooms, "report">;
  readonly isIssuerUp: () => boolean;
}

/** OP4: what does not work as it should, though the server may be sent work. Anyone may read it. */
export function degradationsOf({
  clock,
  deliveries,
  unsupported,
  isIssuerUp,
}: DegradationDeps): readonly Degraded[] {
  const found: Degraded[] = [];
  const note = (part: string, message: string) => void found.push({ part, message });
  if (unsupported.report !== undefined) note("rules", unsupported.report);
  if (!isIssuerUp())
    note("issuer", "The keys of the issuer cannot be fetched: the last known ones stay valid.");
  if (deliveries.held > 0)
    note("deliveries", `In ${deliveries.held} lanes something could not be delivered and is tried again.`);
  const aheadMs = aheadOfWall(clock);
  if (aheadMs > aheadMsMin)
    note(
      "clock",
      `The clock was set back: the server's time is ${Math.round(aheadMs / 1000)} seconds ahead of it.`,
    );
  return found;
}
