import type {
  ImportRow,
  LadderCommand,
  LadderSettings,
  Millis,
  PersonId,
  RatingTerms,
} from "@openseat/kernel";
import type { Random } from "../prng.ts";

type Create = Extract<LadderCommand, { readonly type: "create" }>;

/** Small and short values, so that within seconds matches lapse and become too old to void. */
const choices = {
  open: [true, true, true, false],
  confirm: [true, false],
  confirmWindowMs: [1, 300, 1_500, 8_000, 600_000],
  undoWindowMs: [0, 500, 4_000, 60_000],
} as const;

type Choice = keyof typeof choices;

export function chooseChanges(random: Random): Partial<LadderSettings> {
  const changed = Array.from({ length: random.between(1, 2) }, () =>
    random.pick(Object.keys(choices) as Choice[]),
  );
  return Object.fromEntries(changed.map((name) => [name, random.pick<number | boolean>([...choices[name]])]));
}

/** Both systems; one K for all or K by matches played; a floor far away or close. */
function chooseRating(random: Random): RatingTerms {
  const start = random.pick([1_000, 1_500]);
  return {
    system: random.pick(["elo", "elo", "glicko2"]),
    start,
    floor: random.pick([0, 100, start - 20]),
    k: random.pick([
      [{ from: 0, k: 32 }],
      [
        { from: 0, k: 40 },
        { from: 3, k: 20 },
        { from: 6, k: 10 },
      ],
    ]),
    curve: "logistic",
    provisionalGames: 3,
    deviation: random.pick([350, 200]),
    volatility: 0.06,
    tau: random.pick([0.5, 0.9]),
    provisionalDeviation: 150,
  };
}

export function chooseLadder(random: Random, title: string, creator: string): Create {
  const chosen = (Object.keys(choices) as Choice[]).map((name) => [
    name,
    random.pick<number | boolean>([...choices[name]]),
  ]);
  const settings = { title, ...Object.fromEntries(chosen) } as LadderSettings;
  return { type: "create", rating: chooseRating(random), settings, creator };
}

/** More rows than one entry counts. */
const longFileRows = 620;

/** Old matches of current players, former players and strangers. */
export function chooseFile(random: Random, persons: readonly string[]): readonly ImportRow[] {
  const all = [...persons, "old1", "old2"];
  const length = random.chance(0.02) ? longFileRows : random.between(1, 8);
  return Array.from({ length }, (): ImportRow => {
    const first = random.pick(all);
    const second = random.pick(all.filter((person) => person !== first));
    return {
      players: [first as PersonId, second as PersonId],
      names: [`Name of ${first}`, `Name of ${second}`],
      scores: [random.between(0, 3), random.between(0, 3)],
      at: random.pick([null, 1_600_000_000_000 as Millis]),
    };
  });
}
