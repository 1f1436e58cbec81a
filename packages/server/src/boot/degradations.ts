import type { Clock } from "../clock.ts";
import type { Host } from "../host/host.ts";
import type { UnsupportedRooms } from "../integrity/unsupported-rooms.ts";
import type { Degraded } from "../transport/http/health-routes.ts";
import { aheadOfWall } from "./clock-watch.ts";

/** Smaller differences are common and harmless. */
const aheadMsMin = 5_000;

interface DegradationDeps {
  readonly clock: Clock;
  readonly deliveries: Host["deliveries"];
  readonly unsupported: Pick<UnsupportedRooms, "report">;
  readonly isIssuerUp: () => boolean;
}

/** OP4: what is degraded although the server is ready. Public. */
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
    note("issuer", "The keys of the issuer cannot be fetched. The last known ones stay valid.");
  if (deliveries.held > 0)
    note("deliveries", `Failed deliveries are being retried in ${deliveries.held} delivery queues.`);
  const aheadMs = aheadOfWall(clock);
  if (aheadMs > aheadMsMin)
    note(
      "clock",
      `The clock was set back: the server's time is ${Math.round(aheadMs / 1000)} seconds ahead of it.`,
    );
  return found;
}
