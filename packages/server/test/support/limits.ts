import { RoomQuota } from "../../src/app/rooms/room-quota.ts";
import type { RoomCreation } from "../../src/app/rooms/rooms.ts";
import type { Setting } from "../../src/config/setting.ts";
import { flagOf, settings } from "../../src/config/settings.ts";
import { EnterLimits } from "../../src/transport/limits/enter-limits.ts";
import {
  type Check,
  Gatekeeper,
  type IsRoleKey,
  type Shedding,
} from "../../src/transport/limits/gatekeeper.ts";
import { WriteBudgets } from "../../src/transport/limits/write-budgets.ts";

/** The default limits, for tests of those. */
export const defaultLimits = Object.entries<Setting>(settings).flatMap(([name, setting]) =>
  setting.kind === "number" && /Per(?:Person|Address)Max$/.test(name)
    ? [`--${flagOf(name)}`, String(setting.default)]
    : [],
);

/** Higher budgets for many tests from one address, so that they still count. */
export const raisedLimits = [
  ...["--guests-per-address-max", "1000000"],
  ...["--writes-per-person-max", "10000000"],
  ...["--writes-per-address-max", "10000000"],
  ...["--rooms-per-person-max", "1000000"],
  ...["--enters-per-address-max", "1000000"],
  ...["--visitors-per-address-max", "1000000"],
  // A busy machine must not change the outcome of a test.
  ...["--overload-delay-ms", "3600000"],
] as const;

/** For stages without a log in which to count. */
export function freeCreation(): RoomCreation {
  const quota = new RoomQuota({ roomsPerPersonMax: 1_000_000, countLive: async () => 0 });
  return { idSecret: "a secret", isReserved: () => false, quota };
}

export function raisedEnterLimits(): EnterLimits {
  const entersMax = 1_000_000;
  const terms = { entersPerAddressMax: entersMax, visitorsPerAddressMax: entersMax, isExempt: () => false };
  return new EnterLimits(terms, Date.now);
}

export function raisedBudgets(): WriteBudgets {
  const writesMax = 10_000_000;
  const terms = { writesPerPersonMax: writesMax, writesPerAddressMax: writesMax, isExempt: () => false };
  return new WriteBudgets(terms, Date.now);
}

const serveAll: Shedding = { refusalFor: () => undefined, heldMs: 0 };

/** Refuses only what is listed. */
export function gatekeeperOf(
  checks: readonly Check[] = [],
  shedding = serveAll,
  isRoleKey: IsRoleKey = () => false,
): Gatekeeper {
  return new Gatekeeper(checks, shedding, isRoleKey);
}
