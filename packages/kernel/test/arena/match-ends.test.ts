import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ArenaEvent, arenaDecider } from "@openseat/kernel";
import fc from "fast-check";
import type { PlayedMove } from "../../src/arena/events.ts";
import { MatchEnds } from "../../src/arena/match-ends.ts";
import { Chance } from "../queue-stage.ts";
import { anyTerms, kinds, playScript, script } from "./script.ts";
import { ArenaStage, only } from "./stage.ts";

const { save } = arenaDecider.snapshots;

describe("the end of a match", () => {
  test("[LM10] [MT4] has all moves with their times, including the last one", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob");
    const startedAt = stage.now;
    const [first, second] = stage.toMove[0] === "ann" ? ["ann", "bob"] : ["bob", "ann"];
    const plays = [
      [first, "a1"],
      [second, "a2"],
      [first, "b1"],
      [second, "b2"],
      [first, "c1"],
    ] as const;
    let events: readonly ArenaEvent[] = [];
    for (const [index, [name, play]] of plays.entries()) {
      stage.at(startedAt + 100 * (index + 1));
      events = stage.move(name, play);
    }
    const [ended] = only(events, "ended");
    assert.deepEqual(
      ended.played?.map(([, move, afterMs]) => [move, afterMs]),
      plays.map(([, play], index) => [play, 100 * (index + 1)]),
    );
    assert.equal(ended.moves, 5);
    assert.equal("played" in stage.room.last!.ended, false, "memory holds them only once");
  });

  test("[LM10] has no moves for a game played elsewhere", () => {
    const stage = new ArenaStage().join("ann", "bob");
    assert.equal("played" in only(stage.report("X"), "ended")[0], false);
  });

  for (const [name, kind] of Object.entries(kinds)) {
    test(`[LM10] [MT4] is found from the entry that began the match, and has its moves: ${name}`, () => {
      const property = fc.property(fc.nat(), script(300), (seed, steps) => {
        const stage = new ArenaStage(anyTerms(kind, new Chance(seed)));
        playScript(stage, steps);
        for (const room of [stage.room, stage.restored, stage.replayed]) {
          let moves: PlayedMove[] = [];
          let started = { version: 0, at: 0 };
          for (const { version, at, events } of stage.entries)
            for (const event of events) {
              if (event.type === "started") {
                started = { version, at };
                moves = [];
              }
              if (event.type === "moved") moves.push([event.seat, event.move, at - started.at]);
              if (event.type !== "ended") continue;
              assert.equal(room.ends.after(event.match), version);
              assert.deepEqual(event.played, kind.game ? moves : undefined);
            }
        }
      });
      fc.assert(property, { numRuns: 10 });
    });

    test(`[LG5] [LM10] a log of an older version without moves gives the same arena: ${name}`, () => {
      const property = fc.property(fc.nat(), script(200), (seed, steps) => {
        const stage = new ArenaStage(anyTerms(kind, new Chance(seed)));
        playScript(stage, steps);
        const older = new ArenaStage();
        older.log = stage.log.map((line) =>
          JSON.stringify(JSON.parse(line), (field, value) => (field === "played" ? undefined : value)),
        );
        assert.deepEqual(save(older.replayed), stage.saved);
      });
      fc.assert(property, { numRuns: 10 });
    });
  }

  test("[LM2] keeps the ends of at least the latest 65,536 matches, and at most twice as many", () => {
    const ends = new MatchEnds();
    for (let match = 1; match <= 200_000; match++) ends.add(10 * match);
    assert.equal(ends.after(10 * 200_000), undefined);
    for (const match of [200_000, 199_999, 134_465]) assert.equal(ends.after(10 * match - 5), 10 * match);
    assert.ok(ends.save().length >= 65_536 && ends.save().length <= 131_072);
    const restored = new MatchEnds(ends.save());
    restored.add(2_000_010);
    assert.equal(restored.after(2_000_000), 2_000_010);
    assert.equal(ends.after(2_000_000), undefined, "the saved state does not change");
  });
});
