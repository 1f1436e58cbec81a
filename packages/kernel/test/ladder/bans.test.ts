import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { typesOf } from "../decider-stage.ts";
import {
  about,
  ban,
  deliver,
  enrol,
  importing,
  importRow,
  LadderStage,
  leave,
  report,
  unban,
} from "./stage.ts";

const stageOf = (terms = {}) => new LadderStage(terms).enrol("ann", "bob", "cid");

describe("bans", () => {
  test("[LD13] the creator, services and operators ban players; nobody else does", () => {
    for (const by of ["carol", "@op", "@shop"]) {
      const stage = stageOf();
      assert.deepEqual(typesOf(stage.do(ban("ann", by))), ["banned", "left"]);
      assert.deepEqual(stage.table, ["1 bob", "1 cid"]);
      assert.deepEqual(typesOf(stage.do(unban("ann", by))), ["unbanned"]);
    }
    const stage = stageOf();
    for (const command of [ban("ann", "bob"), ban("ann", "ann"), unban("ann", "bob")])
      stage.refused(command, "auth.forbidden");
    stage.refused(ban("zoe"), "player.not-found", { userId: "zoe" });
    stage.refused(unban("zoe"), "player.not-found", { userId: "zoe" });
    stage.refused(unban("ann"), "player.not-banned");
    stage.do(ban("ann"));
    stage.refused(ban("ann"), "player.banned", { userId: "ann" });
  });

  test("[LD13] a banned player cannot come back in any way until they are unbanned", () => {
    const stage = stageOf().play("ann 1:0 bob");
    stage.do(ban("ann"));
    for (const by of ["ann", "carol", "@op", "@shop"])
      stage.refused(enrol("ann", by), "player.banned", { userId: "ann" });
    assert.deepEqual(typesOf(stage.do(deliver("arena/a", { 3: "ann 1:0 bob" }))), ["received"]);
    stage.do(deliver("arena/a", { 4: "cid 1:0 bob" }));
    stage.do(importing("file", [importRow("ann 1:0 bob")]));
    stage.at(2_000);
    assert.deepEqual(stage.table, ["1 cid", "2 bob"]);
    assert.equal(stage.of("ann").wins, 2, "past matches are still imported");
    stage.do(unban("ann"));
    assert.deepEqual(stage.table, ["1 cid", "2 bob"], "they come back by themselves");
    stage.do(enrol("ann"));
    assert.equal(stage.of("ann").rank, 1);
  });

  test("[LD13] a player who has left can be banned", () => {
    const stage = stageOf();
    stage.do(leave("ann"));
    assert.deepEqual(typesOf(stage.do(ban("ann"))), ["banned"]);
    stage.refused(enrol("ann"), "player.banned");
  });

  test("[LD13] no match with them can be reported, and their pending matches lapse", () => {
    const stage = stageOf({ confirm: true });
    stage.do(report("ann 1:0 bob"));
    stage.do(report("cid 1:0 ann"));
    stage.do(report("cid 1:0 bob"));
    assert.deepEqual(typesOf(stage.do(ban("ann"))), ["banned", "left", "lapsed", "lapsed"]);
    assert.deepEqual(
      [1, 2, 3].map((match) => stage.status(match)),
      ["lapsed", "lapsed", "pending"],
    );
    for (const by of ["ann", "bob", "@op", "@shop"])
      stage.refused(report("ann 1:0 bob", by), "player.banned", { userId: "ann" });
    stage.refused(about("confirm", 1, "bob"), "match.lapsed");
    stage.do(about("confirm", 3, "bob"));
  });

  test("[LD13][LG5] a ban survives a restart, and older logs have none", () => {
    const stage = stageOf();
    stage.do(ban("ann"));
    stage.ladder = stage.restored;
    stage.refused(enrol("ann"), "player.banned");
    stage.do(unban("ann"));
    stage.do(enrol("ann"));
  });
});
