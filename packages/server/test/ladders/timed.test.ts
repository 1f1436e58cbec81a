import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderLimits, type MatchNumber, roomLimits } from "@openseat/kernel";
import type { LadderMatchMade } from "@openseat/protocol";
import type { Result } from "../../src/app/result.ts";
import { codeOf, doneOf } from "../support/results.ts";
import { answered, turns } from "../support/test-clock.ts";
import { LadderStage, operator, person } from "./stage.ts";

const from = { address: "127.0.0.1" };
const match = (number: number) => number as MatchNumber;

async function reported(
  stage: LadderStage,
  by: string,
  players: [string, string],
): Promise<Result<LadderMatchMade>> {
  return answered(stage.parts.ladders.report(person(by), "l", { players, scores: [1, 0] }, from));
}

describe("ladders and time", () => {
  test("[LD9] an unconfirmed match lapses when its time is over, to the millisecond, without any request", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true, confirmWindowSeconds: 60 });
    const answer = await reported(stage, "ann", ["ann", "bob"]);
    const { lapsesAt } = doneOf(answer).match;
    assert.equal(Date.parse(lapsesAt!), stage.clock.now() + 60_000);
    await stage.clock.advance(59_999);
    assert.deepEqual(await stage.matches(), ["ann 1 bob 0 pending"]);
    await stage.clock.advance(1);
    await turns();
    const [record] = await stage.log.ladders.matches({ stream: "ladder/l", order: "newest", limit: 1 });
    assert.equal(record.status, "lapsed", "it was written before any request");
    const confirm = await answered(stage.parts.ladders.confirm(person("bob"), "l", match(1)));
    assert.equal(codeOf(confirm), "match.lapsed");
    assert.equal(codeOf(await stage.void(1)), "match.lapsed");
    await stage.stop();
  });

  test("[LD9] matches whose time ended during downtime have lapsed after the restart", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true, confirmWindowSeconds: 60 });
    await reported(stage, "ann", ["ann", "bob"]);
    await stage.stop();
    stage.clock.jump(3_600_000);
    const next = stage.another();
    await next.started;
    await next.clock.advance(1);
    await turns();
    assert.deepEqual(await next.matches(), ["ann 1 bob 0 lapsed"]);
  });

  test("[LM7] an unused ladder ends after a week, and is listed as ended", async () => {
    const stage = new LadderStage();
    const { ladders } = stage.parts;
    const made = await answered(ladders.create(person("carol"), { title: "L" }));
    const { id } = doneOf(made).ladder;
    const listed = async (status: string) =>
      doneOf(await answered(ladders.list({ limit: 9, status }))).ladders.map((ladder) => ladder.id);
    assert.deepEqual([await listed("OPEN"), await listed("ENDED")], [[id], []]);
    await stage.clock.advance(roomLimits.unusedMsMax);
    assert.deepEqual([await listed("OPEN"), await listed("ENDED")], [[], [id]]);
    const { ladder } = doneOf(await answered(ladders.get(null, id)));
    assert.equal(ladder.status, "ENDED");
    assert.equal(codeOf(await answered(ladders.enrol(operator, id, { userId: "ann" }))), "ladder.ended");
    await stage.stop();
  });

  test("[LM6] a report that evicts another is answered with the reported match", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob", "cid"], { confirm: true });
    const { ladders } = stage.parts;
    const report = (by: string, players: [string, string], key: string) =>
      answered(ladders.report(person(by), "l", { players, scores: [1, 0] }, { ...from, key }));
    const usual = ladderLimits.pendingMax;
    Object.assign(ladderLimits, { pendingMax: 1 });
    try {
      await report("ann", ["ann", "bob"], "k1");
      const answer = await report("cid", ["cid", "bob"], "k2");
      assert.equal(doneOf(answer).match.id, "2");
      assert.deepEqual(await stage.matches(), ["ann 1 bob 0 lapsed", "cid 1 bob 0 pending"]);
      assert.deepEqual(await report("cid", ["cid", "bob"], "k2"), { ...answer, replayed: true });
    } finally {
      Object.assign(ladderLimits, { pendingMax: usual });
      await stage.stop();
    }
  });
});
