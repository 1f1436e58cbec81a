import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LadderRows, ladderDecider, type MatchRow, type PlayerNumber } from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import { anyTerms, kinds, randomCommand, type Step, script } from "./script.ts";
import {
  about,
  deliver,
  importing,
  importRow,
  LadderStage,
  leave,
  report,
  type StageTerms,
} from "./stage.ts";

const { decide, nextDue, tick } = ladderDecider;

/** A match's effect on one of its players, as a table row. */
interface Change {
  readonly opponent: number;
  readonly values: readonly (number | null)[];
}

/** The tables, written in the simplest way: new rows are added, known rows are changed. */
class Tables {
  readonly players = new Map<number, readonly unknown[]>();
  readonly standings = new Map<number, readonly unknown[]>();
  readonly matches = new Map<number, MatchRow>();
  /** By turn, then by player. */
  readonly ratings = new Map<number, Map<number, Change>>();
  readonly #lastTurn = new Map<number, number>();

  write({ players, standings, matches, statuses, ratings, recounts }: LadderRows): void {
    for (const row of players) this.players.set(row[0], row);
    for (const row of standings) {
      assert.ok(this.players.has(row[0]), "ratings of an unknown player");
      this.standings.set(row[0], row);
    }
    for (const row of matches) {
      const known = this.matches.get(row[0]);
      this.matches.set(row[0], known ? settled(known, row[3], row[11], row[2]) : row);
    }
    for (const [match, status, changedAt] of statuses)
      this.matches.set(match, settled(this.matches.get(match)!, status, changedAt));
    for (const [turn, player, match, previous, opponent, ...values] of ratings) {
      assert.equal(this.matches.get(match)?.[2], turn, "a rating with another turn than its match");
      const both = this.ratings.get(turn) ?? new Map<number, Change>();
      assert.ok(!both.has(player), "two rows for one player of a match");
      assert.equal(
        previous,
        this.#lastTurn.get(player) ?? null,
        "a rating that does not refer to the previous one",
      );
      this.#lastTurn.set(player, turn);
      this.ratings.set(turn, both.set(player, { opponent, values }));
    }
    for (const [turn, player, ...values] of recounts) {
      const { opponent } = this.ratings.get(turn)!.get(player)!;
      this.ratings.get(turn)!.set(player, { opponent, values });
    }
  }
}

/** For a known match, only the turn, the status and the time are new. */
function settled(
  row: MatchRow,
  status: MatchRow[3],
  changedAt: MatchRow[11],
  turn: MatchRow[2] = row[2],
): MatchRow {
  return row.with(2, turn).with(3, status).with(11, changedAt) as unknown as MatchRow;
}

/** A ladder whose rows are written for several entries at a time. */
class Kept {
  readonly stage: LadderStage;
  readonly tables = new Tables();
  #written = 0;

  constructor(terms: StageTerms) {
    this.stage = new LadderStage(terms);
  }

  write(): LadderRows {
    const entries = this.stage.entries.slice(this.#written);
    this.#written += entries.length;
    const rows = ladderDecider.rows!(this.stage.ladder, entries) as LadderRows;
    this.tables.write(rows);
    return rows;
  }

  check(): void {
    this.#checkPlayers();
    this.#checkMatches();
    this.#checkRatings();
  }

  #checkPlayers(): void {
    const { players, terms } = this.stage.ladder;
    assert.equal(this.tables.players.size, players.size);
    for (let number = 1; number <= players.size; number++) {
      const player = players.get(number as PlayerNumber);
      const { person, name, enrolledAt, leftAt = null, rating, wins, draws, losses, version } = player;
      assert.deepEqual(this.tables.players.get(number), [number, person, name, enrolledAt, leftAt]);
      const more = terms.rating.system === "elo" ? [null, null] : [player.deviation, player.volatility];
      const row = [number, rating, ...more, wins, draws, losses, version];
      assert.deepEqual(this.tables.standings.get(number), row);
    }
  }

  #checkMatches(): void {
    const { statuses, pending, counted } = this.stage.ladder;
    const { matches, ratings } = this.tables;
    assert.equal(matches.size, statuses.size);
    for (const [number, row] of matches) assert.equal(row[3], statuses.get(number as never));
    for (const [number, { players, scores, reporter }] of pending) {
      assert.deepEqual(matches.get(number)!.slice(4, 9), [...players, ...scores, reporter]);
      assert.equal(matches.get(number)![2], null, "a match that does not count has a turn");
    }
    const keys = [...matches.values()].flatMap(([, key]) => key ?? []);
    assert.equal(new Set(keys).size, keys.length, "two matches with one key");
    assert.equal(ratings.size, counted.size, "exactly the matches that count, or once counted, have ratings");
  }

  /** Each match of a player starts from the values after the previous one, and the last ends at the current values. */
  #checkRatings(): void {
    const { counted, players, terms } = this.stage.ladder;
    const isElo = terms.rating.system === "elo";
    const now = new Map<PlayerNumber, readonly (number | null)[]>();
    for (let index = 0; index < counted.size; index++) {
      const { match, players: both, before, reporter } = counted.get(index);
      const rows = this.tables.ratings.get(counted.orderAt(index))!;
      assert.deepEqual([...rows.keys()].sort(), [...both].sort());
      assert.deepEqual(this.tables.matches.get(match)!.slice(4, 6), both);
      assert.equal(this.tables.matches.get(match)![8], reporter);
      if (counted.isVoided(index)) continue;
      for (const [which, player] of both.entries()) {
        const { opponent, values } = rows.get(player)!;
        assert.equal(opponent, both[1 - which]);
        assert.equal(values[0], before[which].rating);
        const had = now.get(player);
        if (had) assert.equal(values[0], had[1]);
        if (had && !isElo)
          assert.deepEqual(had.slice(2), [before[which].deviation, before[which].volatility]);
        now.set(player, values);
      }
    }
    for (const [player, [, after, deviation, volatility]] of now) {
      const { rating, ...own } = players.get(player);
      assert.equal(after, rating);
      assert.deepEqual([deviation, volatility], isElo ? [null, null] : [own.deviation, own.volatility]);
    }
  }

  play(steps: readonly Step[], chance: Chance): void {
    const { stage } = this;
    for (const [index, { choice, passesMs }] of steps.entries()) {
      stage.now += passesMs;
      for (
        let due = nextDue(stage.ladder);
        due !== undefined && due <= stage.now;
        due = nextDue(stage.ladder)
      )
        stage.do(tick);
      const decision = decide(stage.ladder, randomCommand(stage, choice), millis(stage.now));
      if ("events" in decision) stage.write(decision.events, chance.percent(70) ? `key-${index}` : undefined);
      if (!chance.percent(20)) continue;
      this.write();
      this.check();
    }
    this.write();
    this.check();
  }
}

describe("rows", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LD2][LD8][LD11] written a few entries at a time, they equal the ladder: ${name}`, () => {
      const property = fc.property(fc.nat(), script(200), (seed, steps) => {
        const chance = new Chance(seed);
        new Kept(anyTerms(kind, chance)).play(steps, chance);
      });
      fc.assert(property, { numRuns: 30 });
    });
  }

  test("[LD2] a match that counts is one row, two rating rows, and both new standings", () => {
    const kept = new Kept({});
    kept.stage.enrol("ann", "bob");
    kept.write();
    kept.stage.at(2_000).do(report("ann 2:1 bob"), "k1");
    assert.deepEqual(kept.write(), {
      players: [],
      standings: [
        [1, 1016, null, null, 1, 0, 0, 1],
        [2, 984, null, null, 0, 0, 1, 1],
      ],
      matches: [[1, "someone k1", 1, "counted", 1, 2, 2, 1, "first", 2_000, null, 2_000]],
      statuses: [],
      ratings: [
        [1, 1, 1, null, 2, 1000, 1016, null, null],
        [1, 2, 1, null, 1, 1000, 984, null, null],
      ],
      recounts: [],
    });
  });

  test("[LD1][LD12] a match has its idempotency key, its origin, or neither", () => {
    const kept = new Kept({ confirm: true });
    const { stage, tables } = kept;
    stage.enrol("ann", "bob");
    stage.do(report("ann 1:0 bob", "@op"), "k1");
    stage.do(report("ann 1:0 bob", "@op"));
    stage.do(deliver("arena/a", { 7: "ann 1:0 bob" }));
    stage.do(importing("f1", [importRow("ann 1:0 bob", 5), importRow("ann 1:0 bob")]), "k2");
    stage.at(1_001).do(report("ann 1:0 bob"), "k3");
    stage.at(1_500).do(about("confirm", 6, "bob"), "k4");
    kept.write();
    kept.check();
    const keys = [...tables.matches.values()].map(([, key]) => key);
    assert.deepEqual(keys, ["someone k1", null, "arena/a#7", "import/f1#1", "import/f1#2", "someone k3"]);
    assert.deepEqual(
      [...tables.matches.values()].map(([, , , , , , , , , reportedAt, playedAt, changedAt]) => [
        ...[reportedAt, playedAt, changedAt],
      ]),
      [
        [1_000, null, 1_000],
        [1_000, null, 1_000],
        [1_000, null, 1_000],
        [1_001, 5, 1_001],
        [1_001, null, 1_001],
        [1_001, null, 1_500],
      ],
    );
  });

  test("[LD8] a void is a status, both new standings, and recounted later matches; no row is deleted", () => {
    const kept = new Kept({});
    kept.stage.enrol("ann", "bob", "cid").play("ann 1:0 bob", "bob 1:0 cid");
    kept.write();
    kept.stage.at(3_000).void(1);
    const rows = kept.write();
    assert.deepEqual(rows.statuses, [[1, "voided", 3_000]]);
    assert.deepEqual(rows.recounts, [
      [2, 2, 1000, 1016, null, null],
      [2, 3, 1000, 984, null, null],
    ]);
    assert.deepEqual(
      rows.standings.map(([number, rating]) => [number, rating]),
      [
        [1, 1000],
        [2, 1016],
        [3, 984],
      ],
    );
    assert.deepEqual([rows.players, rows.matches, rows.ratings], [[], [], []]);
    assert.deepEqual(kept.tables.ratings.get(1)!.get(1)!.values, [1000, 1016, null, null]);
  });

  test("[LD9] pending, declined, lapsed and voided reports have no ratings", () => {
    const kept = new Kept({ confirm: true });
    const { stage } = kept;
    stage.enrol("ann", "bob");
    for (let match = 0; match < 4; match++) stage.do(report("ann 1:0 bob"));
    stage.do(about("decline", 2, "bob"));
    stage.do(about("void", 3, "ann"));
    stage.do(about("confirm", 4, "bob"));
    stage.do(leave("ann"));
    stage.at(20_000);
    const rows = kept.write();
    kept.check();
    assert.deepEqual(rows.statuses, [
      [2, "declined", 1_000],
      [3, "voided", 1_000],
      [1, "lapsed", 20_000],
    ]);
    assert.deepEqual(
      rows.ratings.map(([, player, match]) => [player, match]),
      [
        [1, 4],
        [2, 4],
      ],
    );
    assert.deepEqual(
      rows.players.map(([number, , , , leftAt]) => [number, leftAt]),
      [
        [1, 1_000],
        [2, null],
      ],
    );
  });
});
