import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eachOf, range } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { TestClock } from "../support/test-clock.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { Desk, isoTime } from "./desk.ts";

/** The metrics of a queue, by name without the common prefix. */
async function seriesOf(desk: Desk, queue: string): Promise<Record<string, number>> {
  const { text } = await desk.client.get("/metrics");
  const lines = text.split("\n").filter((line) => line.includes(`{queue="${queue}"}`));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice("openseat_queue_".length, line.indexOf("{")),
      Number(line.split(" ")[1]),
    ]),
  );
}

async function queuesMeasured(desk: Desk): Promise<string[]> {
  const { text } = await desk.client.get("/metrics");
  return [...text.matchAll(/^openseat_queue_waiting\{queue="([^"]+)"\}/gm)].map(([, queue]) => queue);
}

suite("statistics of waiting rooms", () => {
  test("[ST1] [ST2] a new one has empty statistics; each move counts once, also after a restart", async () => {
    let server = await startServer();
    try {
      let desk = new Desk(server);
      const queue = await desk.newQueue({ id: "counted", maxActive: 1 });
      const nothing = {
        queue: "counted",
        waiting: 0,
        away: 0,
        admitted: 0,
        active: 0,
        completed: 0,
        expired: 0,
        left: 0,
        entered: 0,
        moved: 0,
        admittedLastMinute: 0,
        admissionsPerSecond: 0,
        averageWaitSeconds: null,
        lastAdmittedAt: null,
        estimate: { measured: 0, errorShare: null, withinShare: null },
      };
      assert.deepEqual(await desk.stats(queue), nothing);
      const none = {
        ...{ waiting: 0, away: 0, admitted: 0, active: 0 },
        ...{ admissions_total: 0, completed_total: 0, left_total: 0, expired_total: 0 },
      };
      assert.deepEqual(await seriesOf(desk, queue), none);

      const sessions: string[] = [];
      const ann = await desk.entered(queue, "ann");
      for (const index of range(5)) await desk.entered(queue, `p${index}`);
      sessions.push((await desk.claimed(ann.token, "ann")).id);
      await desk.complete(sessions[0], tokenOf("ann"));
      await desk.cancel((await desk.enter(queue, "p4")).body.data.position.id, "p4");
      const { token } = (await desk.enter(queue, "p0")).body.data.position;
      await desk.terminate((await desk.claimed(token, "p0")).id, desk.operatorKey);
      const second = (await desk.enter(queue, "p1")).body.data.position;
      await desk.claimed(second.token, "p1");

      const stats = await desk.stats(queue);
      const { admissionsPerSecond, ...lasting } = stats;
      const { averageWaitSeconds, lastAdmittedAt, estimate, ...counts } = lasting;
      assert.deepEqual(counts, {
        queue,
        waiting: 2,
        away: 0,
        admitted: 0,
        active: 1,
        completed: 1,
        expired: 1,
        left: 1,
        entered: 6,
        moved: 3,
        admittedLastMinute: 3,
      });
      assert.ok(admissionsPerSecond >= 0.05 && admissionsPerSecond <= 3, `${admissionsPerSecond}`);
      assert.ok(averageWaitSeconds >= 0 && averageWaitSeconds < 60);
      assert.match(lastAdmittedAt, isoTime);
      assert.equal(estimate.measured, 2, "people admitted at once had no estimate");
      assert.ok(estimate.errorShare >= 0 && estimate.withinShare >= 0 && estimate.withinShare <= 1);
      const series = {
        ...{ waiting: 2, away: 0, admitted: 0, active: 1 },
        ...{ admissions_total: 3, completed_total: 1, left_total: 1, expired_total: 1 },
      };
      const { estimate_error_ratio, ...measured } = await seriesOf(desk, queue);
      assert.deepEqual(measured, series);
      assert.equal(Math.round(estimate_error_ratio * 1_000) / 1_000, estimate.errorShare);

      server = await server.restart();
      desk = new Desk(server);
      assert.deepEqual(await desk.lastingStats(queue), lasting);
      assert.deepEqual(await seriesOf(desk, queue), { ...measured, estimate_error_ratio });
    } finally {
      await server.stop();
    }
  });

  test("[LM2] the hundred most recently used waiting rooms are measured, and requests for metrics do not count as use", async () => {
    const clock = new TestClock(Date.now());
    const server = await startServer(issuerFlags, undefined, { clock });
    try {
      const desk = new Desk(server);
      for (const index of range(110)) {
        await desk.newQueue({ id: `q${index}` });
        await clock.advance(1);
      }
      await desk.look("q0");
      const measured = await queuesMeasured(desk);
      assert.equal(measured.length, 100);
      assert.ok(measured.includes("q0") && measured.includes("q109") && !measured.includes("q1"));
      // Idle rooms without waiting people are evicted after a second, however often they are measured.
      await clock.advance(2_000);
      assert.deepEqual(await queuesMeasured(desk), []);
      await desk.look("q7");
      assert.deepEqual(await queuesMeasured(desk), ["q7"]);
    } finally {
      await server.stop();
    }
  });

  test("[ST1] metrics in the middle of a crowd count everyone who got a response", async () => {
    const server = await startServer();
    try {
      const desk = new Desk(server);
      const queue = await desk.newQueue({ id: "crowded", maxActive: 5 });
      let answered = 0;
      const crowd = eachOf(range(500), 128, async (index) => {
        await desk.entered(queue, `p${index}`);
        answered++;
      });
      let last = 0;
      let isOver = false;
      void crowd.then(() => {
        isOver = true;
      });
      while (!isOver) {
        const before = answered;
        const { waiting, admitted } = await seriesOf(desk, queue);
        assert.ok(waiting + admitted >= Math.max(before, last), "every answer is counted");
        assert.ok(admitted <= 5);
        last = waiting + admitted;
      }
      await crowd;
      assert.equal((await seriesOf(desk, queue)).waiting, 495);
    } finally {
      await server.stop();
    }
  });
});
