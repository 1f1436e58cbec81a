import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderLimits, type MatchNumber, roomLimits } from "@openseat/kernel";
import type { Answer } from "../../src/transport/http/envelope.ts";
import type { Json } from "../support/http.ts";
import { answered, turns } from "../support/test-clock.ts";
import { LadderStage, operator, person, service } from "./stage.ts";

const from = { address: "127.0.0.1" };
const match = (number: number) => number as MatchNumber;
const code = ({ body }: Answer): string => (body as Json).code;

async function reported(stage: LadderStage, by: string, players: [string, string]): Promise<Answer> {
  return answered(stage.parts.ladders.report(person(by), "l", { players, scores: [1, 0] }, from));
}

describe("ladders and time", () => {
  test("[LD9] what was not confirmed lapses when its time is over, to the millisecond, with nobody asking", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true, confirmWindowSeconds: 60 });
    const answer = await reported(stage, "ann", ["ann", "bob"]);
    const { lapsesAt } = (answer.body as Json).data.match;
    assert.equal(Date.parse(lapsesAt), stage.clock.now() + 60_000);
    await stage.clock.advance(59_999);
    assert.deepEqual(await stage.matches(), ["ann 1 bob 0 pending"]);
    await stage.clock.advance(1);
    await turns();
    const [record] = await stage.log.inner.matches({ stream: "ladder/l", order: "newest", limit: 1 });
    assert.equal(record.status, "lapsed", "it was written before anyone looked");
    const confirm = await answered(stage.parts.ladders.confirm(person("bob"), "l", match(1)));
    assert.deepEqual([confirm.status, code(confirm)], [409, "match.lapsed"]);
    const late = await stage.void(1);
    assert.deepEqual([late.status, code(late)], [409, "match.lapsed"]);
    await stage.stop();
  });

  test("[LD9] confirmed at the last moment it counts; a change of the window is for later ones", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true, confirmWindowSeconds: 60 });
    await reported(stage, "ann", ["ann", "bob"]);
    await answered(stage.parts.ladders.change(operator, "l", { confirmWindowSeconds: 3_600 }));
    await reported(stage, "ann", ["bob", "ann"]);
    await stage.clock.advance(59_999);
    const confirmed = await answered(stage.parts.ladders.confirm(person("bob"), "l", match(1)));
    assert.equal(confirmed.status, 200);
    await stage.clock.advance(1_000_000);
    assert.deepEqual(await stage.matches(), ["ann 1 bob 0 counted", "bob 1 ann 0 pending"]);
    await stage.clock.advance(3_600_000);
    assert.deepEqual(await stage.matches(), ["ann 1 bob 0 counted", "bob 1 ann 0 lapsed"]);
    await stage.stop();
  });

  test("[LD9] what lapsed while the server was away has lapsed when it is back", async () => {
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

  test("[LD8] whoever reported it may void it until the window is over; an operator after it too", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { undoWindowSeconds: 60 });
    const countedAt = stage.clock.now();
    for (let index = 0; index < 3; index++) await reported(stage, "ann", ["ann", "bob"]);
    await stage.clock.advance(60_000);
    assert.equal((await stage.void(1, person("ann"))).status, 200, "at its very end");
    await stage.clock.advance(1);
    const late = await stage.void(2, person("ann"));
    assert.deepEqual([late.status, code(late)], [409, "undo.over"]);
    const { undoneUntilAt } = (late.body as Json).data;
    assert.equal(Date.parse(undoneUntilAt), countedAt + 60_000);
    await answered(
      stage.parts.ladders.report(service, "l", { players: ["ann", "bob"], scores: [1, 0] }, from),
    );
    await stage.clock.advance(60_001);
    assert.equal(code(await stage.void(4, service)), "undo.over");
    assert.equal((await stage.void(2)).status, 200);
    assert.equal((await stage.void(4)).status, 200);
    await stage.stop();
  });

  test("[LD8] with confirmation the window begins when the match counts", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true, undoWindowSeconds: 60 });
    await reported(stage, "ann", ["ann", "bob"]);
    await stage.clock.advance(600_000);
    await answered(stage.parts.ladders.confirm(person("bob"), "l", match(1)));
    await stage.clock.advance(60_000);
    assert.equal((await stage.void(1, person("ann"))).status, 200);
    await stage.stop();
  });

  test("[LD9] as many matches of one pair wait as may, and no more; one that is settled makes room", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"], { confirm: true });
    const { ladders } = stage.parts;
    const report = () =>
      ladders.report(person("ann"), "l", { players: ["ann", "bob"], scores: [1, 0] }, from);
    const all = await answered(Promise.all(Array.from({ length: ladderLimits.pendingOfPairMax }, report)));
    assert.ok(all.every(({ status }) => status === 200));
    const refused = await answered(report());
    assert.deepEqual([refused.status, code(refused), refused.retryAfterSeconds], [429, "limit.pending", 60]);
    assert.equal((refused.body as Json).retryable, true);
    await answered(ladders.decline(person("bob"), "l", match(1)));
    assert.equal((await answered(report())).status, 200);
    await stage.stop();
  });

  test("[LM7] a ladder that nobody joins ends after a week, and is listed so", async () => {
    const stage = new LadderStage();
    const { ladders } = stage.parts;
    const made = await answered(ladders.create(person("carol"), { title: "L" }));
    assert.equal(made.status, 201);
    const { id } = (made.body as Json).data.ladder;
    const listed = async (status: string) =>
      ((await answered(ladders.list({ limit: 9, status }))).body as Json).data.ladders.map(
        (ladder: Json) => ladder.id,
      );
    assert.deepEqual([await listed("OPEN"), await listed("ENDED")], [[id], []]);
    await stage.clock.advance(roomLimits.unusedMsMax);
    assert.deepEqual([await listed("OPEN"), await listed("ENDED")], [[], [id]]);
    const { ladder } = ((await answered(ladders.get(null, id))).body as Json).data;
    assert.equal(ladder.status, "ENDED");
    assert.equal(code(await answered(ladders.enrol(operator, id, { userId: "ann" }))), "ladder.ended");
    await stage.stop();
  });

  test("[LM6] a report that another gives way to is answered with the match that was reported", async () => {
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
      assert.deepEqual([answer.status, (answer.body as Json).data.match.id], [200, "2"]);
      assert.deepEqual(await stage.matches(), ["ann 1 bob 0 lapsed", "cid 1 bob 0 pending"]);
      assert.deepEqual((await report("cid", ["cid", "bob"], "k2")).body, answer.body);
    } finally {
      Object.assign(ladderLimits, { pendingMax: usual });
      await stage.stop();
    }
  });
});
