import type { ChannelName } from "./chat/message.ts";
import type { FaultTally } from "./faults.ts";
import type { Random } from "./prng.ts";

/** The kind of world that a seed produces: its size and its faults. */
export interface Scenario {
  readonly steps: number;
  readonly nodes: 1 | 2 | 3;
  /** Whether nodes share the store, even if there is only one at a time. */
  readonly isShared: boolean;
  /** Whether limits are small enough to be reached. */
  readonly isTight: boolean;
  /** Whether a message may appear after one with a higher number. */
  readonly hasLateNumbers: boolean;
  /** The shortest lease. Nodes that exchange presence data cannot keep the short leases of small worlds. */
  readonly leaseMsMin: number;
  readonly persons: number;
  readonly tabsEach: number;
  readonly watchers: number;
  /** Games in play at a time; older ones are abandoned. */
  readonly gamesAtOnce: number;
  /** The share of games with places that expire. */
  readonly gameLeaseShare: number;
  readonly thinkMs: number;
  /** 0 in a world with only games. */
  readonly queues: number;
  readonly queuePersons: number;
  readonly queueThinkMs: number;
  readonly arenas: number;
  readonly arenaPersons: number;
  readonly arenaThinkMs: number;
  /** How much slower than a small world everything may be. */
  readonly arenaPace: number;
  /** The share of players who watch while they play. */
  readonly arenaConnectedShare: number;
  readonly ladders: number;
  readonly ladderPersons: number;
  readonly ladderThinkMs: number;
  /** The share of arenas that are rated on a ladder. */
  readonly ratedShare: number;
  /** Number of people per channel. */
  readonly talkers: Readonly<Record<ChannelName, number>>;
  readonly talkThinkMs: number;
  /** Whether the first person on the pager can never be reached. */
  readonly isPagerLost: boolean;
  readonly operatorThinkMs: number;
  /** After this many steps people stop using queues and arenas, while faults continue. */
  readonly peopleStepsMax: number;
  /** The share of people who sometimes have a live connection. */
  readonly connectedShare: number;
  readonly idleMs: number;
  readonly residentStreamsMax: number;
  readonly snapshotTailMin: number;
  /** Time between two faults of the machines (crash, stop or clock change). */
  readonly faultEveryMs: number;
  readonly rates: Partial<FaultTally>;
}

const themes = [
  ...["games", "games", "games", "chat"],
  ...["queues", "queues", "queues", "chat"],
  ...["both", "chat"],
  ...["arenas", "arenas", "arenas", "arenas", "arenas", "arenas"],
  ...["ladders", "ladders"],
] as const;
export type Theme = (typeof themes)[number];

/**
 * Each fault is left out of many worlds. With all of them at once, nothing would ever get far enough to fail in an
 * interesting way.
 */
export function chooseScenario(random: Random, wanted?: Theme, several = false): Scenario {
  const theme = wanted ?? random.pick(themes);
  const isArenas = theme === "arenas";
  const isChat = theme === "chat";
  const isLadders = theme === "ladders" || isChat;
  const isShared = several || random.chance(0.4);
  const nodes = !isShared
    ? 1
    : several
      ? random.pick([2, 3] as const)
      : random.pick([1, 2, 2, 3, 3] as const);
  const ladders = isLadders || (isArenas && random.chance(0.7)) ? random.between(1, 2) : 0;
  const steps =
    (random.between(500, 2_500) + (theme === "games" ? 0 : random.between(0, 1_000))) * (isShared ? 2 : 1);
  const scenario: Scenario = {
    steps,
    nodes,
    isShared,
    isTight: random.chance(0.4),
    hasLateNumbers: isShared && random.chance(0.5),
    leaseMsMin: isShared ? random.pick([2_000, 5_000]) : 0,
    persons: theme === "queues" || isArenas || isLadders ? 0 : random.between(2, 10),
    tabsEach: random.between(1, 3),
    watchers: random.between(0, isArenas ? 2 : 5),
    gamesAtOnce: random.between(1, 5),
    gameLeaseShare: 0,
    thinkMs: random.pick([2, 10, 30, 100]),
    queues: theme === "games" || isArenas || isLadders ? 0 : random.between(1, 3),
    queuePersons: random.between(3, 16),
    queueThinkMs: random.pick([50, 200, 500, 1_000]),
    arenas: isArenas ? random.between(1, 3) : 0,
    arenaPersons: random.between(3, 9),
    arenaThinkMs: random.pick([20, 60, 200]),
    arenaPace: 1,
    arenaConnectedShare: random.pick([0.2, 0.7, 1]),
    ladders,
    ladderPersons: random.between(2, 7),
    ladderThinkMs: isArenas ? random.pick([300, 1_000]) : random.pick([10, 50, 200]),
    ratedShare: random.pick([0.5, 1]),
    talkers: { web: 0, pager: 0, phone: 0 },
    talkThinkMs: 0,
    isPagerLost: false,
    operatorThinkMs: random.pick([300, 1_000, 5_000]),
    peopleStepsMax: random.chance(0.7) ? steps : steps * 0.7,
    connectedShare: random.pick([0, 0.2, 0.6]),
    idleMs: random.pick([200, 300, 1_000, 300_000]),
    residentStreamsMax: random.pick([1, 2, 3, 100]),
    snapshotTailMin: random.pick([1, 2, 5, 10, 10_000]),
    faultEveryMs: random.pick(
      theme === "games" ? [50, 200, 500, 2_000] : [200, 500, 2_000, isArenas ? 30_000 : 8_000],
    ),
    rates: {
      ...chooseRates(random, { isArenas, ladders }),
      ...(isShared && chooseRatesAmongMany(random)),
      // The losses of other worlds, such as presence data and messages under way, are not modelled.
      ...(!isShared && isArenas && { outage: random.chance(0.5) ? random.next() * 0.5 : 0 }),
      ...(isShared && theme === "games" && { wentBack: random.chance(0.4) ? random.next() * 0.4 : 0 }),
    },
  };
  if (isChat) return withTalkers(random, scenario);
  // Presence is unknown after the log went back.
  const gameLeaseShare = scenario.rates.wentBack ? 0 : random.pick([0, 0.5, 1]);
  return { ...scenario, gameLeaseShare };
}

/** People who talk, about their own ladder and one that players use too. */
function withTalkers(random: Random, scenario: Scenario): Scenario {
  const sometimes = (share: number, worst: number) => (random.chance(share) ? random.next() * worst : 0);
  const more = random.between(500, 1_500);
  return {
    ...scenario,
    steps: scenario.steps + more,
    peopleStepsMax: scenario.peopleStepsMax + more,
    watchers: random.between(0, 1),
    ladders: random.between(0, 1),
    ladderPersons: random.between(2, 4),
    ladderThinkMs: random.pick([300, 1_000]),
    talkers: { web: random.between(1, 4), pager: random.between(1, 4), phone: random.between(0, 2) },
    talkThinkMs: random.pick([10, 50, 200]),
    isPagerLost: random.chance(0.15),
    rates: {
      ...scenario.rates,
      failedSend: sometimes(0.5, 0.4),
      lostSendAnswer: sometimes(0.5, 0.4),
      sendLater: sometimes(0.4, 0.95),
      sendForGood: sometimes(0.3, 0.2),
      slowSend: sometimes(0.4, 0.2),
      poison: sometimes(0.3, 0.1),
    },
  };
}

/** Fault rates between nodes and their shared store. */
function chooseRatesAmongMany(random: Random): Partial<FaultTally> {
  const sometimes = (share: number, worst: number) => (random.chance(share) ? random.next() * worst : 0);
  return {
    freeze: sometimes(0.5, 0.6),
    cut: sometimes(0.5, 0.6),
    outage: sometimes(0.4, 0.3),
    lostWord: sometimes(0.4, 0.05),
    lostHint: sometimes(0.4, 1),
  };
}

/** Rates of all other faults. */
function chooseRates(
  random: Random,
  { isArenas, ladders }: { readonly isArenas: boolean; readonly ladders: number },
): Partial<FaultTally> {
  const sometimes = (share: number, worst: number) => (random.chance(share) ? random.next() * worst : 0);
  return {
    crash: sometimes(0.6, 1),
    crashAtAppend: sometimes(0.4, 0.1),
    crashAtDelivery: ladders > 0 ? sometimes(0.5, 0.2) : 0,
    cleanStop: sometimes(0.4, 0.5),
    clockJump: sometimes(0.5, 1),
    failedAppend: sometimes(0.5, 0.2),
    lostAppendAnswer: sometimes(0.5, 0.2),
    failedReceipt: sometimes(0.5, 0.3),
    lostReceiptAnswer: sometimes(0.5, 0.3),
    failedRead: sometimes(0.4, 0.1),
    failedSnapshot: sometimes(0.5, 0.3),
    slowLog: sometimes(0.4, 0.1),
    lostRequest: sometimes(0.4, 0.1),
    lostAnswer: sometimes(0.5, 0.2),
    reusedKey: sometimes(0.5, 0.2),
    crowd: sometimes(0.1, 0.02),
    rush: sometimes(0.3, 0.02),
    silence: sometimes(0.8, isArenas ? 0.05 : 0.15),
    cutOff: sometimes(0.6, isArenas ? 0.1 : 0.3),
    slowWatcher: sometimes(0.5, 1),
  };
}

/** One server with a thousand arenas of ten people each, most of whom watch while they play or wait. */
export const manyArenas: Partial<Scenario> = {
  nodes: 1,
  isShared: false,
  isTight: false,
  hasLateNumbers: false,
  leaseMsMin: 0,
  steps: 1_200_000,
  peopleStepsMax: 1_190_000,
  watchers: 20,
  arenas: 1_000,
  ladders: 0,
  arenaPersons: 10_000,
  arenaThinkMs: 400,
  arenaPace: 10,
  arenaConnectedShare: 0.9,
  operatorThinkMs: 300,
  idleMs: 300_000,
  residentStreamsMax: 100_000,
  snapshotTailMin: 20,
  faultEveryMs: 6_000,
  rates: {
    crash: 0.8,
    crashAtAppend: 0.000_1,
    cleanStop: 0.2,
    failedAppend: 0.001,
    lostAppendAnswer: 0.001,
    failedRead: 0.000_2,
    failedSnapshot: 0.01,
    slowLog: 0.000_2,
    lostRequest: 0.01,
    lostAnswer: 0.01,
    reusedKey: 0.01,
    silence: 0.004,
    cutOff: 0.01,
  },
};
