import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderLimits } from "@openseat/kernel";
import { withLimits } from "../room-stage.ts";
import {
  about,
  configure,
  deliver,
  importing,
  importRow,
  LadderStage,
  leave,
  only,
  report,
} from "./stage.ts";

describe("who may void a match", () => {
  test("[LD8] the reporter, up to the end of the window; then only the ladder's creator and operators", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(report("ann 1:0 bob", "bob"));
    stage.at(2_000).do(report("ann 1:0 bob", "bob"));
    stage.at(6_000).do(about("void", 1, "bob"));
    stage.at(7_000);
    for (const by of ["ann", "@shop"]) stage.refused(about("void", 2, by), "auth.forbidden");
    stage.at(7_001).refused(about("void", 2, "bob"), "undo.over", { undoneUntilAt: 7_000 });
    stage.at(1_000_000).do(about("void", 2, "@op"));
    stage.do(report("ann 1:0 bob", "bob"));
    stage.at(2_000_000).do(about("void", 3, "carol"));
    assert.deepEqual(
      [1, 2, 3].map((match) => stage.status(match)),
      ["voided", "voided", "voided"],
    );
  });

  test("[LD8] services for their own reports; the creator and operators for imports and arenas", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(report("ann 1:0 bob", "@shop"));
    stage.do(report("ann 1:0 bob", "@op"));
    stage.do(deliver("arena/a", { 3: "ann 1:0 bob" }));
    stage.do(importing("file", [importRow("ann 1:0 bob")]));
    stage.at(1_001);
    for (const match of [1, 2, 3, 4])
      for (const by of ["ann", "bob"]) stage.refused(about("void", match, by), "auth.forbidden");
    for (const match of [2, 3, 4]) stage.refused(about("void", match, "@shop"), "auth.forbidden");
    stage.do(about("void", 1, "@other"));
    stage.void(2);
    for (const match of [3, 4]) stage.do(about("void", match, "carol"));
    assert.equal(stage.rating("ann"), 1000);
    assert.equal(stage.ladder.counting, 0);
  });

  test("[LD8] the window begins when the match counts, and has the currently set length", () => {
    const stage = new LadderStage({ confirm: true }).enrol("ann", "bob");
    stage.do(report("ann 1:0 bob"));
    stage.at(9_000).do(about("confirm", 1, "bob"));
    stage.at(14_001).refused(about("void", 1, "ann"), "undo.over");
    stage.do(configure({ undoWindowMs: 6_000 }));
    stage.refused(about("void", 1, "bob"), "auth.forbidden");
    stage.do(about("void", 1, "ann"));
  });

  test("[LD8] the reporter can void it even after leaving", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(report("ann 1:0 bob"));
    stage.do(leave("ann"));
    stage.do(about("void", 1, "ann"));
  });

  test("[LD8] a match is not voided twice, and an unknown match is not found", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob").void(1);
    for (const by of ["@op", "ann", "nobody"]) stage.refused(about("void", 1, by), "match.voided");
    for (const match of [0, 2, -1, 0.5]) stage.refused(about("void", match, "@op"), "match.not-found");
  });
});

describe("voiding a pending match", () => {
  test("[LD8][LD9] the reporter can void it at any time, without rating changes", () => {
    const stage = new LadderStage({ confirm: true, undoWindowMs: 0 }).enrol("ann", "bob");
    stage.do(report("ann 1:0 bob"));
    for (const by of ["bob", "@shop"]) stage.refused(about("void", 1, by), "auth.forbidden");
    stage.at(9_000);
    assert.deepEqual(stage.do(about("void", 1, "ann")), [
      { type: "voided", match: 1, players: [1, 2], recount: null },
    ]);
    assert.equal(stage.status(1), "voided");
    assert.equal(stage.ladder.pending.size, 0);
    assert.equal(stage.of("ann").version, 0);
    for (const type of ["confirm", "decline", "void"] as const)
      for (const by of ["ann", "bob", "@op"]) stage.refused(about(type, 1, by), "match.voided");
    stage.at(50_000);
    assert.equal(stage.status(1), "voided");
  });

  test("[LD8][LD9] an operator and the ladder's creator can, too", () => {
    const stage = new LadderStage({ confirm: true }).enrol("ann", "bob");
    for (const [index, by] of ["@op", "carol"].entries()) {
      stage.do(report("ann 1:0 bob"));
      stage.do(about("void", index + 1, by));
    }
    assert.deepEqual([stage.status(1), stage.status(2)], ["voided", "voided"]);
  });
});

describe("the effects of a void", () => {
  test("[LD8] later matches that depend on it are rated again; others are not touched", () => {
    const stage = new LadderStage().enrol("ann", "bob", "cid", "dan", "eve", "fay");
    stage.play("ann 1:0 bob", "cid 1:0 dan", "bob 1:0 cid", "eve 1:0 fay", "cid 1:1 dan");
    const [voided] = only(stage.do(about("void", 1, "@op")), "voided");
    assert.deepEqual(voided.recount?.turns, [3, 5]);
    assert.deepEqual(voided.recount?.players, [2, 3, 3, 4]);
    const other = new LadderStage().enrol("ann", "bob", "cid", "dan", "eve", "fay");
    other.play("cid 1:0 dan", "bob 1:0 cid", "eve 1:0 fay", "cid 1:1 dan");
    for (const name of ["ann", "bob", "cid", "dan", "eve", "fay"]) {
      const { version: _, lastTurn: __, ...now } = stage.of(name);
      const { version: ___, lastTurn: ____, ...expected } = other.of(name);
      assert.deepEqual(now, expected);
    }
  });

  test("[LD4][LD8] it adds one version per player, however many matches are rated again", () => {
    const stage = new LadderStage().enrol("ann", "bob", "cid", "dan");
    stage.play("ann 1:0 bob", "bob 1:0 cid", "bob 0:1 cid", "ann 1:1 cid", "dan 1:0 ann").void(2);
    assert.deepEqual(
      ["ann", "bob", "cid", "dan"].map((name) => stage.of(name).version),
      [4, 4, 4, 2],
    );
  });

  test("[LD3][LD8] K follows from the remaining games", () => {
    const k = [
      { from: 0, k: 40 },
      { from: 1, k: 10 },
    ];
    const stage = new LadderStage({ k }).enrol("ann", "bob").play("ann 1:0 bob", "ann 1:0 bob").void(1);
    assert.equal(stage.rating("ann"), 1020);
  });

  test("[LD8] voiding all matches in any order restores the values before them", () => {
    for (const system of ["elo", "glicko2"] as const) {
      const stage = new LadderStage({ system }).enrol("ann", "bob", "cid");
      stage
        .play("ann 1:0 bob", "bob 1:0 cid", "cid 1:0 ann", "ann 2:2 bob", "bob 1:0 ann")
        .void(3, 1, 5, 2, 4);
      for (const name of ["ann", "bob", "cid"]) {
        const { rating, deviation, volatility, games } = stage.of(name);
        const { start, deviation: given, volatility: usual } = stage.ladder.terms.rating;
        assert.deepEqual([rating, deviation, volatility, games], [start, given, usual, 0]);
      }
    }
  });

  test("[LD8] nothing is deleted: the number stays used, and the log has both entries", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob").void(1).play("bob 1:0 ann");
    assert.deepEqual([stage.status(1), stage.status(2)], ["voided", "counted"]);
    assert.match(stage.log.join("\n"), /"counted","match":1.*"voided","match":1.*"counted","match":2/s);
  });

  test("[LD8] a match cannot be voided when too many have counted since; the one after it can", () => {
    // More matches than are kept, so that some that can no longer be voided are dropped on the way.
    const kept = ladderLimits.recountMax;
    withLimits(ladderLimits, { recountMax: 3_000 }, () => {
      const stage = new LadderStage({ undoWindowMs: 1e9 }).enrol("ann", "bob");
      stage.keepsLog = false;
      const all = kept + ladderLimits.recountMax + 3;
      for (let match = 0; match < all; match++) stage.do(report("ann 1:1 bob", "bob"));
      const eldest = all - ladderLimits.recountMax;
      for (const match of [1, 2, 5, eldest - 1])
        for (const by of ["@op", "ann"]) stage.refused(about("void", match, by), "match.too-old");
      stage.refused(about("void", eldest, "ann"), "auth.forbidden");
      stage.refused(about("void", eldest, "bob"), "match.too-old");
      const own = all - ladderLimits.ownRecountedMax;
      stage.refused(about("void", own - 1, "bob"), "match.too-old");
      assert.equal(only(stage.do(about("void", own, "bob")), "voided").length, 1);
      const [voided] = only(stage.do(about("void", eldest, "@op")), "voided");
      assert.equal(voided.recount?.turns.length, ladderLimits.recountMax - 1);
      assert.equal(stage.of("ann").draws, all - 2);
      stage.refused(about("void", eldest, "bob"), "match.voided");
    });
  });
});
