import { defaultLanes, type Lane, type QueueSettings } from "@openseat/kernel";
import type { Random } from "../prng.ts";

/** Small and short values, so that within seconds everything fills up and expires. */
const choices = {
  seats: [1, 1, 2, 3, 6],
  ratePerSecond: [null, null, 0.3, 0.5, 1, 2.5, 7.333, 50],
  burst: [1, 1, 2, 5],
  lineLengthMax: [3, 10, 1_000, 1_000],
  patienceMs: [0, 1, 50, 500, 3_000, 20_000, 600_000],
  heartbeatTimeoutMs: [400, 1_000, 2_000, 5_000, 5_000, 8_000],
  claimTimeoutMs: [1, 1_000, 5_000, 5_000, 30_000],
  sessionDurationMs: [1, 2_000, 5_000, 10_000, 60_000],
  sessionTimeoutMs: [null, null, 500, 2_000],
} as const;

export function chooseSettings(random: Random, title: string): QueueSettings {
  const chosen = Object.entries(choices).map(([name, values]) => [
    name,
    random.pick<number | null>([...values]),
  ]);
  return { title, ...Object.fromEntries(chosen), returnAddresses: [] };
}

export function chooseChanges(random: Random): Partial<QueueSettings> {
  const names = Object.keys(choices) as (keyof typeof choices)[];
  const changed = Array.from({ length: random.between(1, 3) }, () => random.pick(names));
  return Object.fromEntries(changed.map((name) => [name, random.pick<number | null>([...choices[name]])]));
}

/**
 * Shares without an exact binary form, two lanes without tokens, and a lane with tokens that overtakes everyone.
 */
const oddLanes: readonly Lane[] = [
  { name: "last", skips: 0, immediate: false },
  { name: "some", skips: 0.29, immediate: false },
  { name: "most", skips: 0.58, immediate: false },
  { name: "first", skips: 1, immediate: false },
  { name: "soon", skips: 0.5, immediate: true },
  { name: "now", skips: 1, immediate: true },
];

export function chooseLanes(random: Random): readonly Lane[] {
  return random.chance(0.8) ? defaultLanes : oddLanes;
}
