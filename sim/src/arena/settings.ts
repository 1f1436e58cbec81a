import { type ArenaCommand, type ArenaSettings, catalogue, defaultLanes, type Lane } from "@openseat/kernel";
import { missingLadder } from "../ladder/deliveries.ts";
import type { Random } from "../prng.ts";

type Create = Extract<ArenaCommand, { readonly type: "create" }>;

/** Small and short values, so that lines fill up, clocks run out and places expire within seconds. */
const choices = {
  drawRule: ["longest-leaves", "longest-leaves", "rematch", "both-leave"],
  maxWins: [null, null, 1, 2, 3],
  moveTimeoutMs: [null, 400, 1_500, 4_000, 10_000, 10_000],
  reconnectGraceMs: [null, 400, 1_000, 3_000, 3_000],
  heartbeatTimeoutMs: [400, 1_000, 2_000, 5_000],
  lineLengthMax: [1, 3, 1_000, 1_000],
  patienceMs: [0, 50, 500, 3_000, 600_000],
} as const;

/** The game, and how much slower than a small world everything runs. */
interface Kind {
  readonly game: string | null;
  readonly pace: number;
}

function chosen(random: Random, name: keyof typeof choices, { game, pace }: Kind): unknown {
  const value = chosenAtFullPace(random, name, game);
  return name.endsWith("Ms") && typeof value === "number" ? value * pace : value;
}

function chosenAtFullPace(random: Random, name: keyof typeof choices, game: string | null): unknown {
  // An external match lasts at least twice the grace.
  if (game === null && name === "moveTimeoutMs") return random.pick([null, 8_000]);
  const values = choices[name] as readonly unknown[];
  return random.pick(name === "reconnectGraceMs" && game === null ? values.slice(1) : values);
}

export function chooseChanges(random: Random, kind: Kind): Partial<ArenaSettings> {
  const names = Object.keys(choices) as (keyof typeof choices)[];
  const changed = Array.from({ length: random.between(1, 2) }, () => random.pick(names));
  const seats = random.chance(0.2) ? { seats: random.between(1, 4) } : {};
  return { ...seats, ...Object.fromEntries(changed.map((name) => [name, chosen(random, name, kind)])) };
}

const onlyLane: readonly Lane[] = [{ name: "normal", skips: 0, immediate: false }];
/** Shares without an exact binary form, and a lane that overtakes everyone. */
const oddLanes: readonly Lane[] = [
  { name: "last", skips: 0, immediate: false },
  { name: "some", skips: 0.29, immediate: false },
  { name: "first", skips: 1, immediate: false },
  { name: "now", skips: 1, immediate: true },
];

/** Every game of the catalogue, and external games for two or three players. */
export function chooseArena(random: Random, title: string, creator: string, pace: number): Create {
  const game = random.pick([...catalogue.map(({ name }) => name), null]);
  const names = Object.keys(choices) as (keyof typeof choices)[];
  const settings = Object.fromEntries(names.map((name) => [name, chosen(random, name, { game, pace })]));
  // AR10: players without a grace stay seated, so unreported matches restart, but only a limited number of times.
  if (game === null && random.chance(0.3))
    Object.assign(settings, { moveTimeoutMs: 400 * pace, reconnectGraceMs: null });
  const labels = game === null ? random.pick([undefined, ["left", "right"], ["a", "b", "c"]]) : undefined;
  const options = game === "rock-paper-scissors" ? random.pick([{}, { bestOf: random.between(1, 4) }]) : {};
  // Has one label more than seats.
  const seats = labels?.length === 3 && random.chance(0.5) ? 2 : undefined;
  return {
    type: "create",
    ...{ game, options, labels },
    lanes: random.pick([onlyLane, onlyLane, defaultLanes, oddLanes]),
    seed: random.between(0, 2 ** 32 - 1),
    settings: { title, seats, ...settings } as Create["settings"],
    creator,
  };
}

/** The same arena, rated on a ladder if it has two players. The ladder sometimes does not exist. */
export function ratedOn(ladder: string, create: Create, random: Random): Create {
  const seats = create.settings.seats ?? create.labels?.length ?? 2;
  const rated = { ladder: random.chance(0.05) ? missingLadder : ladder, tiers: [], tier: 0 };
  return seats === 2 ? { ...create, rated } : create;
}

/** Settings that an arena must refuse. */
export function invalid(random: Random, create: Create): Create {
  const { settings, rated } = create;
  const ofThree = { game: null, options: {}, labels: ["a", "b", "c"] };
  if (rated && random.chance(0.5))
    return { ...create, ...ofThree, settings: { ...settings, seats: 3, moveTimeoutMs: null } };
  return random.pick<Create>([
    { ...create, game: "chess" },
    { ...create, options: { bestOf: 16 } },
    { ...create, settings: { ...settings, seats: 7 } },
  ]);
}
