import type { LadderCommand, LadderSettings } from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import {
  about,
  ban,
  configure,
  createLadder,
  deliver,
  enrol,
  importing,
  importRow,
  type LadderStage,
  leave,
  report,
  type StageTerms,
  unban,
} from "./stage.ts";

/** How matches are rated. */
export const kinds: Readonly<Record<string, StageTerms>> = {
  Elo: {},
  "Elo with steps of K, near the floor": {
    k: [
      { from: 0, k: 60 },
      { from: 3, k: 40 },
      { from: 8, k: 25 },
    ],
    floor: 970,
    provisionalGames: 3,
  },
  "Elo by FIDE's table": { curve: "fide", floor: 990, k: [{ from: 0, k: 20 }] },
  "Glicko-2": { system: "glicko2", floor: 1_400, tau: 0.8, provisionalDeviation: 250 },
};

const anySettings = (chance: Chance): LadderSettings => ({
  title: chance.of(["The ladder", "Another"]),
  open: chance.percent(75),
  confirm: chance.percent(50),
  confirmWindowMs: chance.of([5, 100, 100_000]),
  undoWindowMs: chance.of([0, 30, 100_000]),
});

export const anyTerms = (kind: StageTerms, chance: Chance): StageTerms => ({
  ...anySettings(chance),
  ...kind,
});

/** One step. The command depends on `choice` and the current ladder, so that a failing script can be shrunk. */
export interface Step {
  readonly choice: number;
  readonly passesMs: number;
}

/** Usually short; sometimes longer than any window. */
const passes = (passing: number) =>
  passing < 600 ? passing % 3 : passing < 985 ? passing % 60 : passing * 200;

const step: fc.Arbitrary<Step> = fc
  .tuple(fc.nat(0x7fff_ffff), fc.nat(999))
  .map(([choice, passing]) => ({ choice, passesMs: passes(passing) }));

export const script = (steps: number) => fc.array(step, { maxLength: steps, size: "max" });

const people = 9;
const someone = (chance: Chance) => `p${chance.below(people)}`;
const trusted = ["carol", "@op", "@shop"] as const;

/** Two players, usually different, and their scores. */
function someResult(chance: Chance): string {
  const first = chance.below(people);
  const second = chance.percent(2) ? first : (first + 1 + chance.below(people - 1)) % people;
  return `p${first} ${chance.below(3)}:${chance.below(3)} p${second}`;
}

/** A result between two different people, as a room or a file reports it. */
function soundResult(chance: Chance): string {
  const text = someResult(chance);
  const [first, , second] = text.split(" ");
  return first === second ? soundResult(chance) : text;
}

function randomReport(chance: Chance): LadderCommand {
  const text = someResult(chance);
  const [first, , second] = text.split(" ");
  return report(text, chance.of([first, first, second, second, "@op", "@shop", someone(chance)]));
}

/** Usually a pending or recent match; sometimes any, or none. */
function someMatch(chance: Chance, { ladder }: LadderStage, wantsPending: boolean): number {
  const pending = Array.from(ladder.pending, ([match]) => match);
  if (wantsPending && pending.length > 0 && chance.percent(85)) return chance.of(pending);
  const { size } = ladder.statuses;
  if (chance.percent(2)) return chance.of([0, size + 1, -1]);
  return Math.max(1, size - (chance.percent(60) ? chance.below(10) : chance.below(size)));
}

/** Usually by one of the two players. */
function randomAnswer(chance: Chance, stage: LadderStage): LadderCommand {
  const match = someMatch(chance, stage, true);
  const players = stage.ladder.pending.get(match as never)?.players ?? [];
  const both = players.map((player) => stage.ladder.players.personOf(player) as string);
  const by = chance.of([...both, ...both, ...both, someone(chance), "@op"]);
  return about(chance.percent(75) ? "confirm" : "decline", match, by);
}

function randomVoid(chance: Chance, stage: LadderStage): LadderCommand {
  return about(
    "void",
    someMatch(chance, stage, chance.percent(20)),
    chance.of(["@op", "@op", "@shop", "carol", someone(chance)]),
  );
}

function randomDelivery(chance: Chance, { ladder }: LadderStage): LadderCommand {
  const from = chance.of(["arena/a", "arena/b"]);
  const received = ladder.sources.get(from) ?? 0;
  const results: Record<number, string> = {};
  for (let more = chance.below(4); more >= 0; more--)
    results[Math.max(1, received - 2 + chance.below(6))] = soundResult(chance);
  return deliver(from, results);
}

function randomImport(chance: Chance, { ladder }: LadderStage): LadderCommand {
  const rows = Array.from({ length: chance.below(6) }, () => importRow(soundResult(chance)));
  return importing(
    `file ${chance.below(ladder.imports.size + 2)}`,
    rows,
    chance.of([...trusted, someone(chance)]),
  );
}

function randomEnrolment(chance: Chance): LadderCommand {
  const name = someone(chance);
  if (chance.percent(60)) return enrol(name);
  const by = chance.of([...trusted, ...trusted, name, someone(chance)]);
  return enrol(name, by, chance.of([undefined, 900, 1_000, 1_500, 1_016]));
}

function randomChanges(chance: Chance): LadderCommand {
  const changes = Object.entries(anySettings(chance)).filter(() => chance.percent(30));
  return configure(Object.fromEntries(changes), chance.of(["carol", "@op", "@shop", someone(chance)]));
}

export function randomCommand(stage: LadderStage, choice: number): LadderCommand {
  const chance = new Chance(choice);
  const roll = chance.below(100);
  if (roll < 45) return randomReport(chance);
  if (roll < 61) return randomAnswer(chance, stage);
  if (roll < 72) return randomVoid(chance, stage);
  if (roll < 84) return randomEnrolment(chance);
  if (roll < 86)
    return chance.of([ban, unban, unban])(someone(chance), chance.of([...trusted, someone(chance)]));
  if (roll < 88)
    return leave(
      ...chance.of([[someone(chance)], [someone(chance), chance.of(trusted)], ["p0", "p1"]] as [
        string,
        string?,
      ][]),
    );
  if (roll < 93) return randomDelivery(chance, stage);
  if (roll < 95) return randomImport(chance, stage);
  if (roll < 99) return randomChanges(chance);
  return chance.percent(50) ? createLadder() : { type: "tick" };
}
