import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MatchNumber } from "@openseat/kernel";
import { about, configure, LadderStage, only, report } from "./stage.ts";

const stageOf = () => new LadderStage({ confirm: true }).enrol("ann", "bob", "cid");
const disputeOf = (stage: LadderStage, match: number) => stage.ladder.pending.disputeOf(match as MatchNumber);

describe("both players report the same match", () => {
  test("[LD14] the same score from either side confirms it, and it counts once", () => {
    for (const text of ["ann 3:1 bob", "bob 1:3 ann"]) {
      const stage = stageOf();
      stage.do(report("ann 3:1 bob"));
      const events = stage.do(report(text, "bob"));
      assert.deepEqual(
        events.map((event) => [event.type, "match" in event && event.match]),
        [["counted", 1]],
      );
      assert.deepEqual([stage.ladder.counting, stage.ladder.statuses.size], [1, 1]);
      assert.equal(stage.rating("ann"), 1016);
    }
  });

  test("[LD14] another score is a dispute: neither report counts", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    const [reported] = only(stage.do(report("bob 3:1 ann")), "reported");
    assert.deepEqual([reported.match, reported.disputes], [2, 1]);
    assert.deepEqual([disputeOf(stage, 1), disputeOf(stage, 2)], [2, 1]);
    assert.equal(stage.ladder.counting, 0);
    stage.at(11_000);
    assert.deepEqual([stage.status(1), stage.status(2)], ["lapsed", "lapsed"]);
    assert.equal(stage.rating("ann"), 1000);
  });

  test("[LD14] one of the two confirms the report of the other: that one counts, and the other never does", () => {
    for (const [match, by] of [
      [1, "bob"],
      [2, "ann"],
    ] as const) {
      const stage = stageOf();
      stage.do(report("ann 3:1 bob"));
      stage.do(report("ann 1:3 bob", "bob"));
      stage.do(about("confirm", match, by));
      assert.deepEqual([stage.status(match), stage.status(3 - match)], ["counted", "declined"]);
      assert.equal(stage.ladder.counting, 1);
      assert.equal(stage.ladder.pending.size, 0);
    }
  });

  test("[LD14] or reports the score of the other", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 1:3 bob", "bob"));
    stage.do(report("ann 1:3 bob"));
    assert.deepEqual([stage.status(1), stage.status(2)], ["declined", "counted"]);
  });

  test("[LD14] or declines it, or voids their own: then the other report waits as before", () => {
    for (const command of [about("decline", 2, "ann"), about("void", 2, "bob"), about("void", 2, "carol")]) {
      const stage = stageOf();
      stage.do(report("ann 3:1 bob"));
      stage.do(report("ann 1:3 bob", "bob"));
      stage.do(command);
      assert.equal(disputeOf(stage, 1), undefined);
      stage.do(about("confirm", 1, "bob"));
      assert.equal(stage.status(1), "counted");
    }
  });

  test("[LD14] of several reports, the one with the same score is matched; a dispute has exactly two reports", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 2:0 bob"));
    stage.do(report("ann 2:0 bob", "bob"));
    assert.deepEqual([stage.status(1), stage.status(2)], ["pending", "counted"]);
    stage.do(report("ann 0:2 bob", "bob"));
    const [third] = only(stage.do(report("ann 0:1 bob", "bob")), "reported");
    assert.deepEqual([disputeOf(stage, 1), third.disputes], [3, undefined]);
    const [others] = only(stage.do(report("cid 0:1 bob", "bob")), "reported");
    assert.equal(others.disputes, undefined);
  });

  test("[LD14] two reports of one player are two matches, and so are two where reports count at once", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 3:1 bob"));
    assert.deepEqual([stage.status(1), stage.status(2)], ["pending", "pending"]);
    const open = new LadderStage().enrol("ann", "bob");
    open.do(report("ann 3:1 bob"));
    open.do(report("ann 3:1 bob", "bob"));
    assert.equal(open.ladder.counting, 2);
  });

  test("[LD14] also on a ladder that no longer requires confirmation", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(configure({ confirm: false }));
    assert.equal(only(stage.do(report("ann 1:3 bob", "bob")), "reported")[0].disputes, 1);
    stage.do(report("ann 3:1 bob", "bob"));
    assert.deepEqual([stage.status(1), stage.status(2)], ["counted", "declined"]);
  });

  test("[LD14] repeating a report does not end a dispute there", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 1:3 bob", "bob"));
    stage.do(configure({ confirm: false }));
    stage.do(report("ann 1:3 bob", "bob"));
    stage.do(report("ann 3:1 bob"));
    assert.equal(stage.ladder.counting, 0);
    stage.do(about("confirm", 2, "ann"));
    assert.deepEqual([1, 2].map(stage.status.bind(stage)), ["declined", "counted"]);
  });

  test("[LD14] reports of services and operators do not end a dispute: they are separate matches", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 3:1 bob", "@op"));
    assert.deepEqual([stage.status(1), stage.status(2)], ["pending", "counted"]);
  });

  test("[LD14][LG5] a dispute is the same after a restart", () => {
    const stage = stageOf();
    stage.do(report("ann 3:1 bob"));
    stage.do(report("ann 1:3 bob", "bob"));
    stage.ladder = stage.restored;
    assert.deepEqual([disputeOf(stage, 1), disputeOf(stage, 2)], [2, 1]);
    stage.do(about("confirm", 2, "ann"));
    assert.equal(stage.status(1), "declined");
  });
});
