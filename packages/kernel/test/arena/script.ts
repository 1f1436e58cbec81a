import assert from "node:assert/strict";
import {
  type ArenaCommand,
  type ArenaSettings,
  arenaDecider,
  catalogue,
  defaultLanes,
  type Lane,
} from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import {
  type ArenaStage,
  configure,
  createArena,
  join,
  leave,
  move,
  oneLane,
  report,
  resign,
  type StageTerms,
} from "./stage.ts";

const { decide, nextDue, tick } = arenaDecider;

/** Unusual but valid settings. */
const oddLanes: readonly Lane[] = [
  { name: "most", skips: 0.7, immediate: false },
  { name: "called", skips: 0.5, immediate: true },
  { name: "all", skips: 1, immediate: false },
];

/** Each game of the catalogue, and games played elsewhere by two to four people. */
export const kinds: Readonly<Record<string, StageTerms>> = {
  ...Object.fromEntries(catalogue.map(({ name }) => [name, { game: name }])),
  "elsewhere, by two": { labels: ["left", "right"] },
  "elsewhere, by up to four": { labels: ["N", "E", "S", "W"] },
};

const anySettings = (chance: Chance, labels: number, isElsewhere: boolean): Partial<ArenaSettings> => ({
  drawRule: chance.of(["longest-leaves", "rematch", "both-leave"]),
  maxWins: chance.of([null, null, 1, 2, 3]),
  // A match played elsewhere must last longer than the grace period of absent players.
  moveTimeoutMs: chance.of([null, isElsewhere ? 200 : 40, 300, 1_500]),
  reconnectGraceMs: chance.of([null, 15, 100]),
  lineLengthMax: chance.of([2, 5, 100]),
  patienceMs: chance.of([0, 30, 500, 600_000]),
  ...(labels > 2 && { seats: 2 + chance.below(labels - 1) }),
});

export function anyTerms(kind: StageTerms, chance: Chance): StageTerms {
  const lanes = chance.of([oneLane, defaultLanes, defaultLanes, oddLanes]);
  const options = kind.game === "rock-paper-scissors" ? { options: { bestOf: 1 + chance.below(4) } } : {};
  return {
    ...{ ...kind, lanes, seed: chance.below(2 ** 32), ...options },
    ...anySettings(chance, kind.labels?.length ?? 2, kind.game === undefined),
  };
}

/** One step. The command depends on `choice` and the current arena, so that a failing script can be shrunk. */
export interface Step {
  readonly choice: number;
  readonly passesMs: number;
  readonly isLate: boolean;
}

const step: fc.Arbitrary<Step> = fc
  .tuple(fc.nat(0x7fff_ffff), fc.nat(999))
  .map(([choice, passing]) => ({ choice, passesMs: passes(passing), isLate: passing % 5 === 0 }));

/** Usually short; sometimes longer than any timeout. */
const passes = (passing: number) =>
  passing < 600 ? passing % 3 : passing < 985 ? passing % 60 : passing * 2;

export const script = (steps: number) => fc.array(step, { maxLength: steps, size: "max" });

const people = 12;

function randomChanges(chance: Chance, stage: ArenaStage): ArenaCommand {
  const { labels, game } = stage.room.terms;
  const changeable = anySettings(chance, labels.length, game === null);
  const names = Object.keys(changeable) as (keyof ArenaSettings)[];
  const chosen = names.filter(() => chance.percent(30));
  const changes = Object.fromEntries(chosen.map((name) => [name, changeable[name]]));
  if (chance.percent(10)) changes.seats = chance.of([1, 2, 3, 5]);
  const by = chance.of(["carol", "carol", "root", "ann"]);
  return { ...configure(changes), by, asOperator: by === "root" } as ArenaCommand;
}

/** Usually the current match; sometimes the previous one, or none. */
function someMatch(chance: Chance, { room, version }: ArenaStage): number {
  const last = room.last?.ended.match ?? 0;
  if (room.match && chance.percent(93)) return room.match.id;
  return chance.of([last, last, 0, version, version + 1, chance.below(version + 1)]);
}

/** Usually the current turn; sometimes another, or none. */
function someTurn(chance: Chance, turn = 1): number | undefined {
  return chance.percent(75) ? turn : chance.of([undefined, undefined, turn - 1, turn + 1]);
}

function randomMove(chance: Chance, stage: ArenaStage): ArenaCommand {
  const { room } = stage;
  const match = someMatch(chance, stage);
  const { play } = room.match ?? {};
  const turn = someTurn(chance, play?.turn);
  if (!play || chance.percent(12)) {
    const moves = [...(room.game?.table.cells ?? []), ...(room.game?.table.choices ?? [])];
    const anyMove = chance.of([...moves.map((each) => each.move), "z9", ""]);
    const players = room.seats.flatMap((player) => (player ? [player.person as string] : []));
    const who = chance.percent(80) ? chance.of(players) : undefined;
    return move(who ?? `p${chance.below(people)}`, match, anyMove, turn);
  }
  const seat = chance.of(play.toMove);
  return move(room.seats[seat]!.person, match, chance.of(play.legal(seat)), turn);
}

function randomReport(chance: Chance, stage: ArenaStage): ArenaCommand {
  const { labels } = stage.room.terms;
  return report(someMatch(chance, stage), chance.of([null, ...labels, ...labels, "nobody"]));
}

export function randomCommand(stage: ArenaStage, choice: number): ArenaCommand {
  const chance = new Chance(choice);
  const someone = `p${chance.below(people)}`;
  // In some arenas people only play: otherwise few matches would be played to their end.
  const isCalm = stage.room.terms.seed % 3 === 0;
  const roll = isCalm && chance.percent(85) ? chance.below(50) : chance.below(100);
  if (roll < 50) {
    if (stage.room.game ? roll < 49 : roll < 5) return randomMove(chance, stage);
    return randomReport(chance, stage);
  }
  if (roll < 76) return join(someone, chance.percent(60) ? 0 : chance.below(5));
  if (roll < 82) return leave(someone);
  if (roll < 87) {
    const players = stage.room.seats.flatMap((player) => (player ? [player.person as string] : []));
    return resign(chance.of([someone, ...players, ...players]), someMatch(chance, stage));
  }
  if (roll < 91) {
    const lease = arenaDecider.presence!.leases[chance.below(2)];
    const lapse = lease.lapse(stage.room, () => chance.percent(60), millis(stage.now));
    return lapse ?? tick;
  }
  if (roll < 95) return randomChanges(chance, stage);
  if (roll < 98) return arenaDecider.clock!.revive;
  return chance.percent(10) ? createArena() : tick;
}

/** Lets time pass. What is due happens on time, or, with `isLate`, all at the end. */
export function goOn(
  stage: ArenaStage,
  { passesMs, isLate }: Step,
  act: (command: ArenaCommand) => void,
): void {
  const target = stage.now + passesMs;
  for (let due = nextDue(stage.room); due !== undefined && due <= target; due = nextDue(stage.room)) {
    stage.now = isLate ? target : Math.max(stage.now, due);
    act(tick);
    assert.notEqual(nextDue(stage.room), due, "a due tick produced nothing");
  }
  stage.now = target;
}

/** Plays the script without a model. */
export function playScript(stage: ArenaStage, steps: readonly Step[], after?: (step: number) => void): void {
  const act = (command: ArenaCommand): void => {
    const decision = decide(stage.room, command, millis(stage.now));
    if ("events" in decision) stage.write(decision.events);
  };
  steps.forEach((each, index) => {
    goOn(stage, each, act);
    act(randomCommand(stage, each.choice));
    after?.(index);
  });
}
