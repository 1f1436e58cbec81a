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
  type Standing,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import { DeciderStage } from "../decider-stage.ts";
import { millis, person } from "../room-stage.ts";

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

/** `@op` is an operator, `@shop` a service; any other name is a person. */
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

/** The result `ann 2:1 bob`. */
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
/** Deliveries of results, by version. */
export const deliver = (from: string, results: Readonly<Record<number, string>>): LadderCommand => ({
  type: "deliver",
  from,
  deliveries: Object.entries(results).map(([version, text]) => ({
    version: Number(version),
    names: namesOf(text),
    ...result(text),
  })),
});

export class LadderStage extends DeciderStage<Ladder, LadderCommand, LadderEvent> {
  constructor(terms: StageTerms = {}, now = 1_000) {
    super(ladderDecider, createLadder(terms), now);
  }

  get ladder(): Ladder {
    return this.state;
  }

  set ladder(ladder: Ladder) {
    this.state = ladder;
  }

  enrol(...names: string[]): this {
    for (const name of names) this.do(enrol(name));
    return this;
  }

  /** Reports results such as `ann 2:1 bob` as an operator, so that they count at once. */
  play(...texts: string[]): this {
    for (const text of texts) this.do(report(text, "@op"));
    return this;
  }

  /** Voids matches as an operator, which is possible at any time. */
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

  /** By rank: `1 ann`. */
  get table(): string[] {
    const standings = standingsAfter(this.ladder, undefined, 1_000_000);
    return standings.map(({ rank, person }) => `${rank} ${person}`);
  }
}

/** All events of one type. */
export function only<Type extends LadderEvent["type"]>(events: readonly LadderEvent[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<LadderEvent, { type: Type }>[];
}
