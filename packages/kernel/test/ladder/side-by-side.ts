import assert from "node:assert/strict";
import {
  type LadderCommand,
  ladderDecider,
  ladderLimits,
  type MatchNumber,
  type StandingsCursor,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import { Chance } from "../queue-stage.ts";
import { millis, person, withLimits } from "../room-stage.ts";
import { LadderModel, type ModelPlayer } from "./model.ts";
import { anyTerms, randomCommand, type Step } from "./script.ts";
import { createLadder, LadderStage, type StageTerms } from "./stage.ts";

const { decide, nextDue, tick } = ladderDecider;

/** All that was asked in any run, and what came of it. */
export const met = new Set<string>();

const pageSize = 3;

/** A stage and a model that do the same commands at the same times, and someone who reads page after page meanwhile. */
class SideBySide {
  readonly stage: LadderStage;
  readonly model: LadderModel;
  #cursor: StandingsCursor | undefined;

  constructor(terms: StageTerms) {
    this.stage = new LadderStage(terms);
    this.stage.keepsLog = false;
    this.model = new LadderModel(createLadder(terms), this.stage.now, ladderLimits);
  }

  /** What is due by then happens first, late or not. */
  goOn(passesMs: number): void {
    this.stage.now += passesMs;
    for (;;) {
      const due = nextDue(this.stage.ladder);
      assert.equal(due, this.model.due, "when something is due");
      if (due === undefined || due > this.stage.now) return;
      this.do(tick);
    }
  }

  do(command: LadderCommand): void {
    const { stage, model } = this;
    const decision = decide(stage.ladder, command, millis(stage.now));
    const refused = model.do(command, stage.now);
    met.add(`${command.type}: ${refused ?? "done"}`);
    const types = "events" in decision ? decision.events.map(({ type }) => type) : [];
    if (command.type === "report" && types.includes("lapsed")) met.add("report: another gives way");
    if (command.type === "report" && types.includes("declined")) met.add("report: settles a dispute");
    if ("events" in decision && decision.events.some((event) => "disputes" in event))
      met.add("report: disputes another");
    if (command.type === "ban" && types.includes("lapsed")) met.add("ban: a report lapses");
    assert.equal("refusal" in decision ? decision.refusal.code : undefined, refused, JSON.stringify(command));
    // Through JSON, as a restart would have them.
    if ("events" in decision) stage.write(JSON.parse(JSON.stringify(decision.events)));
    this.#assertSamePlayers();
    this.#assertSamePage();
    this.#assertSameMatches(command.type === "void");
  }

  #assertSamePlayers(): void {
    const { ladder } = this.stage;
    const { model } = this;
    assert.deepEqual(ladder.settings, model.settings);
    assert.equal(ladder.players.size, model.players.length);
    for (const player of model.players) {
      const number = ladder.players.find(person(player.person))!;
      const { rating, deviation, volatility, wins, draws, losses, version, ...rest } = standingOf(
        ladder,
        number,
      );
      const { rank, provisional, games, leftAt } = rest;
      const isSame =
        rating === player.rating &&
        deviation === player.deviation &&
        volatility === player.volatility &&
        wins === player.wins &&
        draws === player.draws &&
        losses === player.losses &&
        games === wins + draws + losses &&
        version === player.version &&
        rank === model.rankOf(player) &&
        provisional === model.isProvisional(player) &&
        (leftAt === undefined) === player.isPresent;
      if (rating === ladder.terms.rating.floor) met.add("someone stands at the floor");
      if (!isSame) assert.deepEqual(standingOf(ladder, number), { ...player, rank: model.rankOf(player) });
    }
  }

  /** LD11: the next page behind what was read last, whatever has happened in between. */
  #assertSamePage(): void {
    const { ladder } = this.stage;
    const { model } = this;
    const cursor = this.#cursor;
    const isBehind = (player: ModelPlayer) =>
      !cursor ||
      player.rating < cursor.rating ||
      (player.rating === cursor.rating && model.players.indexOf(player) + 1 > cursor.player);
    const expected = model.standings.filter(isBehind).slice(0, pageSize);
    const page = standingsAfter(ladder, cursor, pageSize);
    assert.deepEqual(
      page.map((standing) => `${standing.rank} ${standing.person}`),
      expected.map((player) => `${model.rankOf(player)} ${player.person}`),
    );
    const last = page.at(-1);
    this.#cursor =
      last && page.length === pageSize ? { rating: last.rating, player: last.number } : undefined;
  }

  #assertSameMatches(isThorough: boolean): void {
    const { ladder } = this.stage;
    const { model } = this;
    assert.equal(ladder.statuses.size, model.matches.length);
    assert.equal(ladder.pending.size, model.matches.filter(({ status }) => status === "pending").length);
    assert.equal(ladder.counting, model.counted.filter(({ status }) => status === "counted").length);
    assert.deepEqual(Object.fromEntries(ladder.sources), model.heard);
    if (!isThorough) return;
    for (const [index, { status }] of model.matches.entries())
      assert.equal(ladder.statuses.get((index + 1) as MatchNumber), status);
    for (const [index, match] of model.counted.entries()) {
      if (match.status === "voided") continue;
      const { match: number, before } = ladder.counted.get(index);
      assert.equal(model.matches[number - 1], match, "the order in which matches count");
      assert.ok(before[0].rating === match.before[0] && before[1].rating === match.before[1]);
    }
  }
}

/** So few that all of them are reached. */
const tightLimits = { pendingMax: 7, pendingOfOneMax: 5, pendingOfPairMax: 2, pendingToOneMax: 4 };

/** Both do the script, and are the same after every step. In half of the scripts few matches may wait. */
export function playBoth(kind: StageTerms, seed: number, steps: readonly Step[]): void {
  withLimits(ladderLimits, seed % 2 === 0 ? tightLimits : {}, () => {
    const both = new SideBySide(anyTerms(kind, new Chance(seed)));
    for (const { choice, passesMs } of steps) {
      both.goOn(passesMs);
      both.do(randomCommand(both.stage, choice));
    }
  });
}
