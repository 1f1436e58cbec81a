import { spawnSync } from "node:child_process";

/** All load comes from one address, so its limits are raised, but not turned off. */
const raised: Readonly<Record<string, string>> = {
  OPENSEAT_CONNECTIONS_PER_ADDRESS_MAX: "100000",
  OPENSEAT_LIVE_PER_ADDRESS_MAX: "100000",
  OPENSEAT_LIVE_MESSAGES_PER_SECOND: "1000000",
  OPENSEAT_GUESTS_PER_ADDRESS_MAX: "1000000",
  OPENSEAT_WRITES_PER_PERSON_MAX: "10000000",
  OPENSEAT_WRITES_PER_ADDRESS_MAX: "10000000",
  OPENSEAT_ENTERS_PER_ADDRESS_MAX: "10000000",
  OPENSEAT_VISITORS_PER_ADDRESS_MAX: "10000000",
};

const known = new Map<string, Record<string, string>>();

/** The settings that this program knows: an older server refuses to start with unknown ones. */
export function raisedLimits(program: string): Record<string, string> {
  let limits = known.get(program);
  if (!limits) {
    const { stdout } = spawnSync(process.execPath, [program, "--help"], { encoding: "utf8" });
    limits = Object.fromEntries(Object.entries(raised).filter(([name]) => stdout.includes(name)));
    known.set(program, limits);
  }
  return limits;
}
