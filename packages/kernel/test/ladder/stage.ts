import assert from "node:assert/strict";
import {
  type Asker,
  type ImportRow,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  type LadderSettings,
  ladderDecider,
  type MatchNumber,
  type PlayerNumber,
  type RatingTerms,
  type Recorded,
  type RefusalCode,
  type Standing,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import { millis, person } from "../room-stage.ts";

const { decide, evolve, nextDue, tick } = ladderDecider;
const { save } = ladderDecider.snapshots;

export const elo: RatingTerms = {
  system: "elo",
  start: 1000,
  floor: 100,
  k: [{ from: 0, k: 32 }],
  curve: "logistic",
  provisionalGames: 10,
  deviation: 0,
  volatility: 0,
  tau: 0,
  provisionalDeviation: 0,
};
export const glicko2: RatingTerms = {
  ...elo,
  system: "glicko2",
  start: 1500,
  deviation: 350,
  volatility: 0.06,
  tau: 0.5,
  provisionalDeviation: 110,
};

export const settings: LadderSettings = {
  title: "The ladder",
  open: true,
  confirm: false,
  confirmWindowMs: 10_000,
  undoWindowMs: 5_000,
};

export type StageTerms = Partial<RatingTerms & LadderSettings>;

export function createLadder(terms: StageTerms = {}): Extract<LadderCommand, { type: "create" }> {
  const { title, open, confirm, confirmWindowMs, undoWindowMs, duels } = { ...settings, ...terms };
  const base = terms.system === "glicko2" ? glicko2 : elo;
  const pick = (name: string) => terms[name as keyof RatingTerms] ?? base[name as keyof RatingTerms];
  const rating = Object.fromEntries(Object.keys(base).map((name) => [name, pick(name)]));
  return {
    type: "create",
    rating: rating as unknown as RatingTerms,
    settings: { title, open, confirm, confirmWindowMs, undoWindowMs, ...(duels !== undefined && { duels }) },
    creator: "carol",
  };
}

/** `@op` is an operator, `@shop` a service; anyone else is a person. */
export function asker(by: string): Asker {
  if (by === "@op") return { by, role: "operator" };
  return { by, role: by.startsWith("@") ? "service" : "person" };
}

export const enrol = (name: string, by = name, rating?: number): LadderCommand => ({
  type: "enrol",
  person: person(name),
  name: `The ${name}`,
  rating,
  asker: asker(by),
});
export const leave = (name: string, by = name): LadderCommand => ({
  type: "leave",
  person: person(name),
  asker: asker(by),
});

export const ban = (name: string, by = "carol"): LadderCommand => ({
  type: "ban",
  person: person(name),
  asker: asker(by),
});
export const unban = (name: string, by = "carol"): LadderCommand => ({
  type: "unban",
  person: person(name),
  asker: asker(by),
});

/** `ann 2:1 bob` is what they played. */
export function result(text: string) {
  const [first, scores, second] = text.split(" ");
  const [a, b] = scores.split(":").map(Number);
  return { players: [person(first), person(second)], scores: [a, b] } as const;
}
export const report = (
  text: string,
  by = text.split(" ")[0],
): Extract<LadderCommand, { type: "report" }> => ({
  type: "report",
  result: result(text),
  asker: asker(by),
});
export const about = (type: "confirm" | "decline" | "void", match: number, by: string): LadderCommand =>
  type === "void"
    ? { type, match: match as MatchNumber, asker: asker(by) }
    : { type, match: match as MatchNumber, by };
export const configure = (changes: Partial<LadderSettings>, by = "carol"): LadderCommand => ({
  type: "configure",
  changes,
  asker: asker(by),
});

const namesOf = (text: string) => {
  const [first, , second] = text.split(" ");
  return [`Imported ${first}`, `Imported ${second}`] as const;
};
export const importRow = (text: string, at: number | null = null): ImportRow => ({
  ...result(text),
  names: namesOf(text),
  at: at === null ? null : millis(at),
});
export const importing = (digest: string, rows: readonly ImportRow[], by = "carol"): LadderCommand => ({
  type: "import",
  digest,
  rows,
  asker: asker(by),
});
/** By version, what was played. */
export const deliver = (from: string, results: Readonly<Record<number, string>>): LadderCommand => ({
  type: "deliver",
  from,
  deliveries: Object.entries(results).map(([version, text]) => ({
    version: Number(version),
    names: namesOf(text),
    ...result(text),
  })),
});

/** A ladder, and the plainest host there can be: what is due is decided before what is asked. */
export class LadderStage {
  ladder: Ladder;
  now: number;
  version = 0;
  /** All that was ever written, as the disk has it. */
  readonly log: string[] = [];
  /** Tens of thousands of matches are better not kept. */
  keepsLog = true;

  constructor(terms: StageTerms = {}, now = 1_000) {
    this.now = now;
    this.ladder = undefined as unknown as Ladder;
    this.do(createLadder(terms));
  }

  /** The events of the one entry that the command makes. */
  do(command: LadderCommand, key?: string): readonly LadderEvent[] {
    if (this.ladder !== undefined) this.wake();
    const decision = decide(this.ladder, command, millis(this.now));
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}: ${JSON.stringify(command)}`);
    this.write(decision.events, key);
    return decision.events;
  }

  write(events: readonly LadderEvent[], key?: string): void {
    if (events.length === 0) return;
    this.version++;
    const entry = { version: this.version, at: this.now, by: "someone", ...(key && { key }), events };
    if (this.keepsLog) this.log.push(JSON.stringify(entry));
    for (const event of events) this.ladder = evolve(this.ladder, event, millis(this.now), this.version);
  }

  /** Refused with this code, and what there is to save is what there was. */
  refused(command: LadderCommand, code: RefusalCode, data?: object): void {
    const before = structuredClone(save(this.ladder));
    const decision = decide(this.ladder, command, millis(this.now));
    assert.ok("refusal" in decision, `not refused: ${JSON.stringify(command)}`);
    const { refusal } = decision;
    assert.equal(refusal.code, code, JSON.stringify(command));
    assert.ok(refusal.message.length > 10 && refusal.message.endsWith("."), refusal.message);
    if (data) assert.deepEqual(refusal.data, data);
    assert.deepEqual(save(this.ladder), before, "a refusal changed something");
  }

  /** Ticks for as long as one is due. Each has to lead to something: else a host would wake the ladder without end. */
  wake(): LadderEvent[] {
    const all: LadderEvent[] = [];
    for (let due = nextDue(this.ladder); due !== undefined && due <= this.now; due = nextDue(this.ladder)) {
      const decision = decide(this.ladder, tick, millis(this.now));
      assert.ok("events" in decision && decision.events.length > 0, "a tick that was due led to nothing");
      this.write(decision.events);
      all.push(...decision.events);
    }
    return all;
  }

  /** It is so late, and what is due by then has happened. */
  at(now: number): this {
    this.now = now;
    this.wake();
    return this;
  }

  enrol(...names: string[]): this {
    for (const name of names) this.do(enrol(name));
    return this;
  }

  /** `ann 2:1 bob`, told by an operator: it counts at once. */
  play(...texts: string[]): this {
    for (const text of texts) this.do(report(text, "@op"));
    return this;
  }

  /** By an operator, at any time. */
  void(...matches: number[]): this {
    for (const match of matches) this.do(about("void", match, "@op"));
    return this;
  }

  of(name: string): Standing {
    return standingOf(this.ladder, this.numberOf(name));
  }

  numberOf(name: string): PlayerNumber {
    const number = this.ladder.players.find(person(name));
    assert.ok(number !== undefined, `${name} was never a player`);
    return number;
  }

  rating(name: string): number {
    return this.of(name).rating;
  }

  status(match: number) {
    return this.ladder.statuses.get(match as MatchNumber);
  }

  /** By rank, `1 ann`. */
  get table(): string[] {
    const standings = standingsAfter(this.ladder, undefined, 1_000_000);
    return standings.map(({ rank, person }) => `${rank} ${person}`);
  }
}

/** Events of one kind. */
export function only<Type extends LadderEvent["type"]>(events: readonly LadderEvent[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<LadderEvent, { type: Type }>[];
}

export function entriesOf({ log }: LadderStage): Recorded<LadderEvent>[] {
  return log.map((line) => JSON.parse(line));
}

/** The ladder as it is after reading the whole log again. */
export function replayed(stage: LadderStage): Ladder {
  let ladder: Ladder | undefined;
  for (const { at, version, events } of entriesOf(stage))
    for (const event of events) ladder = evolve(ladder, event, at, version);
  return ladder!;
}
