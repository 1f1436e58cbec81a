import { type Lane, type QueueCommand, type QueueSettings, queueDecider } from "@openseat/kernel";
import { about, type Chance, createQueue, enter, type QueueStage, type StageTerms } from "./queue-stage.ts";
import { millis, ticket } from "./room-stage.ts";

/** The parameters of a run. */
export interface Mix {
  readonly terms: (chance: Chance) => StageTerms;
  readonly lane: (chance: Chance, step: number) => number;
  readonly steps: number;
  /** How many different people come and go; more of them make a longer line. */
  readonly people: number;
  /** The percentage of steps that are entries. */
  readonly entries: number;
  /** The percentage of steps that change settings, pause or resume. */
  readonly operator: number;
  readonly passes: (chance: Chance) => number;
}

const anyLane = (chance: Chance) => chance.below(4);
const moments = (chance: Chance) => chance.of([0, 0, 0, 1, 1, 7, 40, 300, chance.below(3_000)]);

const anyTerms = (chance: Chance): StageTerms => ({
  seats: 1 + chance.below(6),
  ratePerSecond: chance.of([null, 0.3, 1, 7, 33.333, 250, 333.3, 5_000]),
  burst: 1 + chance.below(4),
  lineLengthMax: chance.of([5, 30, 1_000, 1_000]),
  patienceMs: chance.of([0, 10, 500, 3_000, 600_000]),
  claimTimeoutMs: chance.of([1, 200, 500, 2_000]),
  sessionDurationMs: chance.of([1, 200, 500, 2_000, 8_000]),
  placesPerAddressMax: chance.of([null, null, 1, 3]),
});

export const mix = (changes: Partial<Mix>): Mix => ({
  terms: anyTerms,
  lane: anyLane,
  steps: 2_000,
  people: 60,
  entries: 45,
  operator: 2,
  passes: moments,
  ...changes,
});

const tooFewSeats = (chance: Chance): StageTerms => ({
  ...anyTerms(chance),
  seats: 1,
  lineLengthMax: 1_000,
  sessionDurationMs: 8_000,
  placesPerAddressMax: null,
});

/** Unusual lanes: shares that are not round numbers, and an immediate lane at the back. */
const oddLanes: readonly Lane[] = [
  { name: "normal", skips: 0, immediate: false },
  { name: "called", skips: 0, immediate: true },
  { name: "third", skips: 0.333, immediate: false },
  { name: "most", skips: 0.999, immediate: false },
  { name: "half", skips: 0.5, immediate: true },
  { name: "all", skips: 1, immediate: false },
];

export const lanesLikeThese: Record<string, Mix> = {
  "all normal": mix({ lane: () => 0 }),
  "all VIP": mix({ lane: () => 2, terms: tooFewSeats }),
  "all premium": mix({ lane: () => 3 }),
  alternating: mix({ lane: (_, step) => [0, 3, 1, 2][step % 4], terms: tooFewSeats }),
  "any lane": mix({}),
  "mostly normal": mix({ lane: (chance) => (chance.percent(80) ? 0 : chance.below(5)), terms: tooFewSeats }),
  "odd lanes": mix({
    lane: (chance) => chance.below(7),
    terms: (chance) => ({ ...anyTerms(chance), seats: 1, lineLengthMax: 1_000, lanes: oddLanes }),
  }),
};

export const settingsLikeThese: Record<string, Mix> = {
  "tiny patience": mix({
    terms: (chance) => ({ ...tooFewSeats(chance), patienceMs: chance.of([0, 1, 5]) }),
    passes: (chance) => chance.below(4),
  }),
  "patience of a moment": mix({
    terms: (chance) => ({ ...tooFewSeats(chance), patienceMs: 400 }),
    passes: (chance) => chance.below(30),
  }),
  "many seats": mix({ terms: (chance) => ({ ...anyTerms(chance), seats: 40 }) }),
  "settings that change all the time, and pauses": mix({ operator: 30 }),
  "claims as long as sessions": mix({
    terms: (chance) => ({ ...anyTerms(chance), claimTimeoutMs: 500, sessionDurationMs: 500 }),
    passes: (chance) => chance.of([0, 0, 1, 100, 250]),
  }),
  "long silences": mix({
    passes: (chance) => (chance.percent(5) ? chance.below(2 ** 41) : chance.below(20)),
  }),
};

function randomChanges(chance: Chance): Partial<QueueSettings> {
  const { lanes: _, placesPerAddressMax: __, ...changeable } = anyTerms(chance);
  const names = Object.keys(changeable) as (keyof QueueSettings)[];
  const chosen = names.filter(() => chance.percent(30));
  return Object.fromEntries(chosen.map((name) => [name, changeable[name]]));
}

export function randomCommand(stage: QueueStage, chance: Chance, step: number, chosen: Mix): QueueCommand {
  const roll = chance.below(100);
  if (roll < chosen.operator) {
    if (chance.percent(40)) return { type: "configure", changes: randomChanges(chance) };
    return chance.percent(2) ? createQueue() : { type: chance.of(["pause", "resume", "resume"]) };
  }
  if (roll < chosen.operator + chosen.entries) {
    const name = `p${chance.below(chosen.people)}`;
    return enter(name, chosen.lane(chance, step), chance.of([undefined, "", "a", "b", "c"]));
  }
  if (chance.percent(20)) {
    const heardShare = chance.of([0, 30, 70, 100]);
    const lease = queueDecider.presence!.leases[chance.of([0, 1, 2, 2, 2, 2])];
    const silent = lease.lapse(stage.room, () => chance.percent(heardShare), millis(stage.now));
    if (silent) return silent;
  }
  const { roster } = stage.room;
  const inside = [...stage.room.agenda];
  const anyone = 1 + chance.below(roster.tickets + 2) - chance.below(2);
  const number = chance.percent(70) && inside.length > 0 ? chance.of(inside) : anyone;
  if (chance.percent(8))
    return { type: "take-along", ticket: ticket(number), before: chance.of([0, 0, 1, 2]) };
  const owner = number >= 1 && roster.remembers(number) ? roster.place(ticket(number)).person : "nobody";
  const by = chance.of([undefined, owner, owner, "somebody-else"]);
  return about(chance.of(["claim", "claim", "complete", "leave", "terminate"]), number, by);
}
