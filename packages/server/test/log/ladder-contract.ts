import assert from "node:assert/strict";
import type {
  LadderRows,
  MatchRow,
  MatchStatus,
  Millis,
  PlayerNumber,
  RatingRow,
  Rows,
} from "@openseat/kernel";
import type { MatchQuery, Played, PlayedQuery, StoredMatch } from "../../src/log/ladder-store.ts";
import type { Append, StreamName } from "../../src/log/log.ts";
import { appendAll } from "../support/append-all.ts";
import { testsNeeding } from "../support/needs.ts";
import { appendTo, type LadderLog, type LogFactory } from "./contract.ts";

const noRows: LadderRows = {
  players: [],
  standings: [],
  matches: [],
  statuses: [],
  ratings: [],
  recounts: [],
};

/** Rows as a decider returns them. */
export function asRows(rows: Partial<LadderRows>): Rows {
  return { ...noRows, ...rows } as unknown as Rows;
}

const player = (number: number) => number as PlayerNumber;

/** Players with the numbers 1, 2, 3… and a newcomer's rating. */
export function playersCalled(names: readonly string[]): Partial<LadderRows> {
  const numbers = names.map((_, index) => player(index + 1));
  return {
    players: names.map((name, index) => [numbers[index], `p${index + 1}`, name, 1_000, null] as never),
    standings: numbers.map((number) => [number, 1000, null, null, 0, 0, 0, 0]),
  };
}

/**
 * A match between two players, by number. Its times are derived from its number. If it counts, it does so in the turn of its
 * number by default.
 */
export function matchRow(
  number: number,
  players: readonly [number, number],
  scores: readonly [number, number] = [1, 0],
  status: MatchStatus = "counted",
  turn = number,
): MatchRow {
  const at = 5_000 + number;
  const counts = status === "counted" ? turn : null;
  const row = [number, `key ${number}`, counts, status, ...players, ...scores, "service", at, null, at];
  return row as unknown as MatchRow;
}

/** The match and its effect on both players: 10 points from the second to the first. */
export function countedMatch(
  number: number,
  [first, second]: readonly [number, number],
  scores: readonly [number, number] = [1, 0],
  { turn = number, previous = [null, null] }: { turn?: number; previous?: readonly (number | null)[] } = {},
): Partial<LadderRows> {
  const ratings = [
    [turn, first, number, previous[0], second, 1000, 1010, null, null],
    [turn, second, number, previous[1], first, 1000, 990, null, null],
  ];
  return {
    matches: [matchRow(number, [first, second], scores, "counted", turn)],
    ratings: ratings as unknown as RatingRow[],
  };
}

/** Appends entries with their rows to one stream. */
export class Rungs {
  readonly log: LadderLog;
  readonly stream: StreamName;
  readonly #lastTurns = new Map<number, number>();
  #last: Append | undefined;

  constructor(log: LadderLog, stream: StreamName = "ladder/a") {
    this.log = log;
    this.stream = stream;
  }

  next(rows: Partial<LadderRows>): Append {
    const after = this.#last ? this.#last.after + 1 : 0;
    return { ...appendTo(this.stream, after, this.#last?.hash), rows: asRows(rows) };
  }

  async write(rows: Partial<LadderRows>): Promise<void> {
    const append = this.next(rows);
    assert.deepEqual(await appendAll(this.log, [append]), ["appended"]);
    this.#last = append;
  }

  /** A match that counts, after the previous matches of both players. */
  async count(
    number: number,
    players: readonly [number, number],
    scores: readonly [number, number] = [1, 0],
    turn = number,
  ): Promise<void> {
    const previous = players.map((one) => this.#lastTurns.get(one) ?? null);
    for (const one of players) this.#lastTurns.set(one, turn);
    await this.write(countedMatch(number, players, scores, { turn, previous }));
  }

  /** A player's matches by number, from the given turn or the last one, and the turn where the next page starts. */
  async played(
    one: number,
    {
      from = this.#lastTurns.get(one) ?? 1,
      ...rest
    }: { from?: number; opponent?: number; limit?: number } = {},
  ): Promise<{ numbers: number[]; next: number | null }> {
    const query = { stream: this.stream, player: player(one), from, limit: 100, ...rest } as PlayedQuery;
    const { matches, next } = await this.log.ladders.played(query);
    return { numbers: matches.map(({ number }) => number), next };
  }

  async numbers(query: Partial<MatchQuery>): Promise<number[]> {
    const found = await this.log.ladders.matches({
      stream: this.stream,
      order: "newest",
      limit: 100,
      ...query,
    });
    return found.map(({ number }) => number);
  }

  named(start: string, limit = 100): Promise<number[]> {
    return this.log.ladders.playersNamed(this.stream, start, limit);
  }
}

/** The contract for ladders on every log. */
export function testLadderContract(name: string, open: LogFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  const withRungs = (work: (rungs: Rungs) => Promise<void>) => async () => {
    const { log, dispose } = await open();
    try {
      await work(new Rungs(log));
    } finally {
      await dispose();
    }
  };

  describe(`ladders in the log on ${name}`, () => {
    test(
      "[LD2] [LG1] rows are there with their entry, and a conflict writes none",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob"]));
        const first = rungs.next(countedMatch(1, [1, 2]));
        const rival = { ...first, rows: asRows(countedMatch(1, [2, 1], [7, 0])) };
        assert.deepEqual(await appendAll(rungs.log, [first]), ["appended"]);
        assert.deepEqual(await appendAll(rungs.log, [rival]), ["conflict"]);
        const late = { ...rungs.next(countedMatch(2, [1, 2])), after: 7 };
        const unknown = {
          ...appendTo("ladder/new", 3),
          rows: asRows({ ...playersCalled(["Zoe"]), ...countedMatch(1, [1, 2]) }),
        };
        assert.deepEqual(await appendAll(rungs.log, [late, unknown]), ["conflict", "conflict"]);
        assert.deepEqual(await rungs.log.ladders.matches({ stream: "ladder/a", order: "newest", limit: 9 }), [
          {
            ...{
              number: 1,
              turn: 1,
              status: "counted",
              players: [1, 2],
              scores: [1, 0],
              reporter: "service",
            },
            ...{ reportedAt: 5_001, playedAt: null, changedAt: 5_001 },
            changes: [
              { before: 1000, after: 1010, deviation: null, firstChange: null },
              { before: 1000, after: 990, deviation: null, firstChange: null },
            ],
          },
        ]);
        assert.deepEqual(await rungs.log.ladders.playersNamed("ladder/new", "", 9), []);
        assert.deepEqual(
          await rungs.log.ladders.matches({ stream: "ladder/new", order: "newest", limit: 9 }),
          [],
        );
      }),
    );

    test(
      "[LD11] matches are listed by number in either order, and pages continue after the last one",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob"]));
        for (let number = 1; number <= 7; number++) await rungs.count(number, [1, 2]);
        assert.deepEqual(await rungs.numbers({}), [7, 6, 5, 4, 3, 2, 1]);
        assert.deepEqual(await rungs.numbers({ order: "oldest" }), [1, 2, 3, 4, 5, 6, 7]);
        assert.deepEqual(await rungs.numbers({ limit: 3 }), [7, 6, 5]);
        assert.deepEqual(await rungs.numbers({ limit: 3, beyond: 5 }), [4, 3, 2]);
        assert.deepEqual(await rungs.numbers({ order: "oldest", limit: 3, beyond: 5 }), [6, 7]);
        assert.deepEqual(await rungs.numbers({ beyond: 1 }), []);
        assert.deepEqual(await rungs.numbers({ order: "oldest", beyond: 7 }), []);
        assert.deepEqual(await rungs.numbers({ stream: "ladder/b" }), [], "of another ladder");
      }),
    );

    test(
      "[LD11] matches of a player, of two, and by status",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob", "Cat"]));
        await rungs.count(1, [1, 2]);
        await rungs.count(2, [2, 1]);
        await rungs.count(3, [3, 1]);
        await rungs.write({ matches: [matchRow(4, [1, 2], [1, 0], "pending")] });
        await rungs.write({ matches: [matchRow(5, [2, 3], [1, 0], "pending")] });
        await rungs.write({ matches: [matchRow(6, [2, 3], [1, 0], "pending")] });
        await rungs.write({
          statuses: [
            [5, "declined", 9_000],
            [6, "lapsed", 9_000],
          ] as never,
        });
        await rungs.write({ statuses: [[1, "voided", 9_100]] as never });
        const [ann, bob, cat] = [1, 2, 3];
        const all = { numbers: [3, 2, 1], next: null };
        assert.deepEqual(await rungs.played(ann), all, "matches that count or once counted");
        assert.deepEqual(await rungs.played(ann, { limit: 1 }), { numbers: [3], next: 2 });
        assert.deepEqual(await rungs.played(ann, { from: 2 }), { numbers: [2, 1], next: null });
        assert.deepEqual(await rungs.played(bob), { numbers: [2, 1], next: null });
        for (const [one, other] of [
          [ann, bob],
          [bob, ann],
        ])
          assert.deepEqual((await rungs.played(one, { opponent: other })).numbers, [2, 1]);
        assert.deepEqual(
          (await rungs.played(bob, { opponent: cat })).numbers,
          [],
          "none of their matches ever counted",
        );
        assert.deepEqual(
          await rungs.played(bob, { from: 3 }),
          { numbers: [], next: null },
          "a turn of other players",
        );
        assert.deepEqual(
          await rungs.played(ann, { from: 99 }),
          { numbers: [], next: null },
          "a turn that does not exist",
        );
        for (const [status, numbers] of [
          ["counted", [3, 2]],
          ["voided", [1]],
          ["pending", [4]],
          ["declined", [5]],
          ["lapsed", [6]],
        ] as const)
          assert.deepEqual(await rungs.numbers({ status }), numbers, status);
        const [declined] = await rungs.log.ladders.matches({
          ...{ stream: "ladder/a", order: "newest", status: "declined", limit: 1 },
        });
        assert.deepEqual([declined.changes, declined.reportedAt, declined.changedAt], [null, 5_005, 9_000]);
        const [voided] = await rungs.log.ladders.matches({
          ...{ stream: "ladder/a", order: "newest", status: "voided", limit: 1 },
        });
        assert.equal(voided.changes![0].after, 1010, "the original effect stays visible");
      }),
    );

    test(
      "[LD9] a reported match keeps its reporter and time, and counts with its final result",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob"]));
        await rungs.write({ matches: [matchRow(1, [1, 2], [3, 1], "pending")] });
        const counted = matchRow(1, [1, 2], [3, 1]).with(1, null).with(-1, 9_999);
        await rungs.write({ ...countedMatch(1, [1, 2]), matches: [counted as unknown as MatchRow] });
        const [match] = await rungs.log.ladders.matches({ stream: "ladder/a", order: "newest", limit: 9 });
        assert.deepEqual(
          [match.status, match.reportedAt, match.changedAt, match.scores, match.changes![1].after],
          ["counted", 5_001, 9_999, [3, 1], 990],
        );
      }),
    );

    test(
      "[LD9] [LD11] a player's matches are listed in the order in which they came to count, and pages continue from a turn",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob"]));
        for (const number of [1, 2, 3])
          await rungs.write({ matches: [matchRow(number, [1, 2], [1, 0], "pending")] });
        for (const [turn, number] of [3, 1, 2].entries()) await rungs.count(number, [1, 2], [1, 0], turn + 1);
        assert.deepEqual(await rungs.played(1), { numbers: [2, 1, 3], next: null });
        assert.deepEqual(await rungs.played(1, { limit: 2 }), { numbers: [2, 1], next: 1 });
        assert.deepEqual(await rungs.played(1, { from: 1, opponent: 2 }), { numbers: [3], next: null });
        assert.deepEqual(await rungs.numbers({}), [3, 2, 1], "of the whole ladder, by number");
      }),
    );

    test(
      "[LD8] a match that is rated again keeps its original change",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Bob"]));
        await rungs.write(countedMatch(1, [1, 2]));
        const recount = (before: number, after: number) => ({
          recounts: [[1, 1, before, after, null, null]] as never,
        });
        await rungs.write(recount(990, 1002));
        await rungs.write(recount(980, 997));
        const [{ changes }] = await rungs.log.ladders.matches({
          stream: "ladder/a",
          order: "newest",
          limit: 1,
        });
        assert.deepEqual(changes, [
          { before: 980, after: 997, deviation: null, firstChange: 10 },
          { before: 1000, after: 990, deviation: null, firstChange: null },
        ]);
      }),
    );
  });

  testNames(name, withRungs, missing);
}

type WithRungs = (work: (rungs: Rungs) => Promise<void>) => () => Promise<void>;

function testNames(name: string, withRungs: WithRungs, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  describe(`names of players in the log on ${name}`, () => {
    test(
      "[LD11] players are found by the start of their name, ignoring the case of Latin letters",
      withRungs(async (rungs) => {
        const names = ["anna", "Bob", "ANNIKA", "Ännchen", "Joanna", "Ann", "änne", "ann"];
        await rungs.write(playersCalled(names));
        assert.deepEqual(
          await rungs.named("ann"),
          [6, 8, 1, 3],
          "by name, equal names in order of enrolment",
        );
        assert.deepEqual(await rungs.named("ANN"), [6, 8, 1, 3]);
        assert.deepEqual(await rungs.named("annI"), [3]);
        assert.deepEqual(await rungs.named("ann", 2), [6, 8]);
        assert.deepEqual(await rungs.named("ä"), [7], "other letters are case-sensitive");
        assert.deepEqual(await rungs.named("Ä"), [4]);
        assert.deepEqual(await rungs.named("nn"), [], "only at the beginning");
        assert.deepEqual(await rungs.named("annas"), []);
        assert.deepEqual(await rungs.log.ladders.playersNamed("ladder/b", "a", 9), [], "of another ladder");
      }),
    );

    test(
      "[LD11] wildcard characters of databases are matched literally",
      withRungs(async (rungs) => {
        const names = ["100% Ann", "100_Bob", "1000 Cat", "[a-z]", "a*", "a?", "'); DROP TABLE players; --"];
        await rungs.write(playersCalled(names));
        assert.deepEqual(await rungs.named("100%"), [1]);
        assert.deepEqual(await rungs.named("100_"), [2]);
        assert.deepEqual(await rungs.named("%"), []);
        assert.deepEqual(await rungs.named("_"), []);
        assert.deepEqual(await rungs.named("[a"), [4]);
        assert.deepEqual(await rungs.named("a*"), [5]);
        assert.deepEqual(await rungs.named("a?"), [6]);
        assert.deepEqual(await rungs.named("');"), [7]);
        assert.equal((await rungs.named("1")).length, 3);
      }),
    );

    test(
      "[LD11] characters above U+FFFF are found and sorted the same on every store",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["x\u{1f600}", "x\uff21", "x\u{10fffd}z", "x"]));
        assert.deepEqual(await rungs.named("x"), [4, 2, 1, 3]);
        assert.deepEqual(await rungs.named("x\u{1f600}"), [1]);
        assert.deepEqual(await rungs.named("x\u{10fffd}"), [3]);
      }),
    );

    test(
      "[LD11] a player who left is not found, and after returning is found by the current name",
      withRungs(async (rungs) => {
        await rungs.write(playersCalled(["Ann", "Anton"]));
        await rungs.write({ players: [[1, "p1", "Ann", 1_000, 2_000]] as never });
        assert.deepEqual(await rungs.named("an"), [2]);
        await rungs.write({ players: [[1, "p1", "Annabel", 1_000, null]] as never });
        assert.deepEqual(await rungs.named("an"), [1, 2]);
        assert.deepEqual(await rungs.named("annabel"), [1]);
      }),
    );
  });
}

/** Everything that a log can be queried about a ladder, for comparison between stores. */
export async function recordsOf(log: LadderLog, stream: StreamName, players: number) {
  const numbers = Array.from({ length: players }, (_, index) => player(index + 1));
  const asked = { stream, order: "oldest", limit: 10_000 } as const;
  return {
    all: await log.ladders.matches(asked),
    own: await Promise.all(numbers.map((number) => allPlayed(log, { stream, player: number, limit: 3 }))),
    pairs: await Promise.all(
      numbers.slice(1).map((opponent) => allPlayed(log, { stream, player: numbers[0], opponent, limit: 3 })),
    ),
    statuses: await Promise.all(
      (["pending", "counted", "voided", "declined", "lapsed"] as const).map((status) =>
        log.ladders.matches({ ...asked, status }),
      ),
    ),
    names: await log.ladders.playersNamed(stream, "p", 10_000),
    outbox: await log.outbox(0, 10_000),
    nextDue: await log.nextDue(0 as Millis),
  };
}

/** All pages, from the player's latest turn on. */
async function allPlayed(log: LadderLog, query: Omit<PlayedQuery, "from">) {
  const all: StoredMatch[] = [];
  const of = await log.ladders.matches({ stream: query.stream, order: "oldest", limit: 10_000 });
  const turns = of.flatMap(({ players, turn }) => (turn && players.includes(query.player) ? [turn] : []));
  let next: PlayedQuery["from"] | null =
    turns.length > 0 ? (Math.max(...turns) as PlayedQuery["from"]) : null;
  while (next !== null) {
    const page: Played = await log.ladders.played({ ...query, from: next });
    all.push(...page.matches);
    next = page.next;
  }
  return all;
}
