import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  arenaDecider,
  defaultLanes,
  type Ended,
  gameNamed,
  Match,
  type Saved,
  type Started,
} from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import { anyTerms, goOn, kinds, playScript, randomCommand, type Step, script } from "./script.ts";
import { ArenaStage, join, type StageTerms } from "./stage.ts";

const { decide, listing, nextDue } = arenaDecider;
const { save } = arenaDecider.snapshots;

const played = (kind: StageTerms, seed: number, steps: readonly Step[]): ArenaStage => {
  const stage = new ArenaStage(anyTerms(kind, new Chance(seed)));
  playScript(stage, steps);
  return stage;
};

/** Asserts that both arenas answer every query alike. */
function assertAlike(stage: ArenaStage, other: ArenaStage): void {
  assert.deepEqual(save(other.room), stage.saved);
  assert.deepEqual(listing(other.room), listing(stage.room));
  assert.equal(nextDue(other.room), nextDue(stage.room));
  assert.equal(other.scene, stage.scene);
  assert.deepEqual(other.toMove, stage.toMove);
}

/** Asserts, for every game: nobody has two places, and nobody waits while a seat is free or a match could start. */
function assertSound({ room }: ArenaStage): void {
  const players = room.seats.filter((player) => player !== undefined);
  const waiting = [...room.line].map((each) => room.entrants.get(each)!.person);
  const everyone = [...players.map((player) => player.person), ...waiting];
  assert.equal(new Set(everyone).size, everyone.length, "a person has two places");
  assert.equal(room.entrants.size, everyone.length);
  if (room.match) return;
  assert.ok(players.length < room.settings.seats, "every seat is filled and no match is running");
  assert.equal(room.line.length, 0, "a seat is free while a person waits");
}

/** Runs both arenas through the same steps. After the steps that `saves` selects, the second is saved and restored. */
function runAlike(
  stage: ArenaStage,
  other: ArenaStage,
  steps: readonly Step[],
  saves: (step: number) => boolean,
) {
  const act = (command: Parameters<typeof decide>[1]) => {
    other.now = stage.now;
    const decision = decide(stage.room, command, millis(stage.now));
    assert.deepEqual(decide(other.room, command, millis(stage.now)), decision);
    if ("refusal" in decision) return;
    stage.write(decision.events);
    other.write(decision.events);
    assertSound(stage);
  };
  steps.forEach((step, index) => {
    goOn(stage, step, act);
    if (saves(index)) {
      other.room = other.restored;
      assertAlike(stage, other);
    }
    act(randomCommand(stage, step.choice));
  });
  assertAlike(stage, other);
}

describe("an arena that is saved and restored", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LG5][RM3][AR4] at random points of a random run, equals the one that kept running: ${name}`, () => {
      const property = fc.property(fc.nat(), script(300), (seed, steps) => {
        const terms = anyTerms(kind, new Chance(seed));
        runAlike(new ArenaStage(terms), new ArenaStage(terms), steps, (step) => steps[step].choice % 8 === 0);
      });
      fc.assert(property, { numRuns: 15 });
    });
  }

  test("[LG5][LN1][LN3] keeps the lanes of the line: nobody is placed ahead of their own lane or of premium", () => {
    const lanes = [...defaultLanes, { name: "most", skips: 1, immediate: false }];
    const stage = new ArenaStage({ lanes }).join("ann", "bob", "n1", "n2", "n3", "n4");
    for (const [name, lane] of [
      ["v1", 2],
      ["p1", 3],
    ] as const)
      stage.do(join(name, lane));
    stage.room = stage.restored;
    stage.do(join("v2", 2));
    stage.do(join("m1", 4));
    assert.equal(stage.line.join(" "), "p1 m1 n1 n2 v1 v2 n3 n4");
  });

  test("[LG5] does not change while the arena does", () => {
    const property = fc.property(fc.constantFrom(...Object.values(kinds)), script(200), (kind, steps) => {
      const stage = new ArenaStage(anyTerms(kind, new Chance(steps.length)));
      const saves: { saved: Saved; copy: Saved }[] = [];
      playScript(stage, steps, (step) => {
        if (step % 20 !== 0) return;
        const saved = stage.saved;
        saves.push({ saved, copy: structuredClone(saved) });
      });
      for (const { saved, copy } of saves) assert.deepEqual(saved, copy);
    });
    fc.assert(property, { numRuns: 30 });
  });

  test("[MT2] decisions and questions change nothing, refused or not: only events do", () => {
    const property = fc.property(fc.constantFrom(...Object.values(kinds)), script(120), (kind, steps) => {
      const stage = new ArenaStage(anyTerms(kind, new Chance(steps.length)));
      playScript(stage, steps, (step) => {
        const before = structuredClone(stage.saved);
        decide(stage.room, randomCommand(stage, steps[step].choice + 1), millis(stage.now + 1));
        listing(stage.room);
        assert.deepEqual(stage.saved, before);
      });
    });
    fc.assert(property, { numRuns: 30 });
  });
});

describe("the log of an arena", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LG5] replayed from its beginning gives the same arena, which behaves the same: ${name}`, () => {
      const property = fc.property(fc.nat(), script(300), script(60), (seed, steps, more) => {
        const stage = played(kind, seed, steps);
        const other = new ArenaStage({}, stage.now);
        other.room = stage.replayed;
        other.version = stage.version;
        assertAlike(stage, other);
        runAlike(stage, other, more, () => false);
      });
      fc.assert(property, { numRuns: 15 });
    });

    test(`[MT4] leads from the last match to all earlier ones, each with the entry that began it: ${name}`, () => {
      const property = fc.property(fc.nat(), script(400), (seed, steps) => {
        const stage = played(kind, seed, steps);
        const entries = stage.entries;
        const { room } = stage;
        let number = room.matches - (room.match ? 1 : 0);
        let version: number | null = room.last?.version ?? null;
        for (; version !== null; number--) {
          const ended: Ended = entries[version - 1].events.find((event) => event.type === "ended")!;
          assert.equal(ended.number, number);
          const begun = entries[ended.match - 1];
          const started: Started = begun.events.find((event) => event.type === "started")!;
          assert.equal(started.number, number);
          assert.equal(ended.startedAt, begun.at);
          version = ended.previous;
        }
        assert.equal(number, 0, "the first match was reached");
      });
      fc.assert(property, { numRuns: 15 });
    });
  }

  for (const [name, kind] of Object.entries(kinds).filter(([, { game }]) => game)) {
    test(`[MT1][MT4] replays every match from its seed and moves to the same end: ${name}`, () => {
      let replays = 0;
      const property = fc.property(fc.nat(), script(400), (seed, steps) => {
        replays += replayMatches(played(kind, seed, steps));
      });
      // Random moves rarely finish a match of connect four, so 40 scripts may not be enough.
      for (let round = 0; round < 10 && replays <= 20; round++) fc.assert(property, { numRuns: 40 });
      assert.ok(replays > 20, `only ${replays} were played out`);
    });
  }

  test("[MT1] randomness follows from the arena's seed, and differs per match", () => {
    const seedsOf = (seed: number) => {
      const stage = new ArenaStage({ game: "tic-tac-toe", seed }).join("ann", "bob");
      for (let match = 0; match < 200; match++) stage.resign("ann");
      const events = stage.entries.flatMap((entry) => entry.events);
      return events.filter((event) => event.type === "started").map((started) => started.seed);
    };
    assert.deepEqual(seedsOf(5), seedsOf(5));
    assert.notDeepEqual(seedsOf(5), seedsOf(6));
    assert.equal(new Set(seedsOf(5)).size, 201);
  });
});

/** Returns the number of matches that were played to an end. */
function replayMatches(stage: ArenaStage): number {
  const game = gameNamed(stage.room.terms.game!)!;
  const { options } = stage.room.terms;
  let replays = 0;
  let match: Match | undefined;
  for (const event of stage.entries.flatMap(({ events }) => events)) {
    if (event.type === "started") match = new Match(game, { seed: event.seed, options, moves: [] });
    if (event.type === "moved") match!.play(event.seat, event.move);
    if (event.type !== "ended") continue;
    assert.equal(match!.moves.length, event.moves);
    if (event.reason === "played") replays++;
    const expected = event.reason === "played" ? { winner: event.winner } : undefined;
    assert.deepEqual(match!.outcome, expected, `match ${event.number}`);
    assert.deepEqual(new Match(game, match!.record).sight(undefined), match!.sight(undefined));
  }
  return replays;
}
