import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sharingLimits } from "../../src/log/sharing.ts";
import { answered, turns } from "../support/test-clock.ts";
import { type ClockedCommand, type ClockedEvent, turnMs } from "./clocked-room.ts";
import { windowMs } from "./leased-room.ts";
import { Nodes, type OneNode } from "./nodes.ts";

const ask = (node: OneNode, type: ClockedCommand["type"]) =>
  answered(node.clocked.ask("r", { command: { type }, by: "ann" }));

async function storyOf(nodes: Nodes): Promise<string[]> {
  const entries = await nodes.entries<ClockedEvent>("clocked/r");
  return entries.map(({ events: [{ type }] }) => type);
}

describe("several nodes, and a log that is away", () => {
  for (const count of [1, 3])
    for (const outageMs of [sharingLimits.outageMs, 2_000, 11_000])
      test(`[AR9] [LS4] no clock runs out because the log was away for ${outageMs} ms, with ${count} nodes`, async () => {
        // Whichever of them looks first, and however its beats fall.
        for (let phase = 0; phase < 8; phase++) {
          const nodes = new Nodes();
          const all: OneNode[] = [];
          for (let number = 0; number < count; number++) {
            all.push(await nodes.start());
            await nodes.clock.advance(130);
          }
          const [first] = all;
          const last = all[count - 1];
          await ask(first, "open");
          await answered(last.clocked.read("r", () => undefined));
          // It is over shortly before the clock runs out, or shortly after; the last node to notice takes its time.
          await nodes.clock.advance(turnMs - outageMs - 150 + phase * 40);
          nodes.isLost = () => true;
          await nodes.clock.advance(outageMs);
          nodes.isLost = () => false;
          nodes.delayMs = (node, what) => (node === last.name && what === "beat" ? 300 : 0);
          await nodes.clock.advance(3_000);
          assert.deepEqual(await storyOf(nodes), ["open", "revive"], `phase ${phase}`);
          await nodes.clock.advance(turnMs);
          assert.deepEqual(await storyOf(nodes), ["open", "revive", "tick"], `phase ${phase}`);
          for (const node of all) await node.stop();
        }
      });

  test("[AR9] [CK1] clocks restart after an outage also while the server's time is ahead of the log's", async () => {
    const hour = 3_600_000;
    const nodes = new Nodes();
    nodes.aheadMs = 2 * hour;
    const a = await nodes.start();
    await ask(a, "open");
    await nodes.clock.advance(turnMs - 2_100);
    nodes.isLost = () => true;
    await nodes.clock.advance(2_000);
    nodes.isLost = () => false;
    await nodes.clock.advance(3_000);
    assert.deepEqual(await storyOf(nodes), ["open", "revive"]);
    await nodes.clock.advance(turnMs);
    assert.deepEqual(await storyOf(nodes), ["open", "revive", "tick"]);
    await ask(a, "open");
    nodes.aheadMs = 0;
    await nodes.clock.advance(hour);
    await ask(a, "open");
    await nodes.clock.advance(turnMs + 1_000);
    const [, , , ...later] = await storyOf(nodes);
    assert.ok(!later.includes("revive"), "time that has gone back is no outage");
    await a.stop();
  });

  test("[AR9] [CL4] what is asked in a room that is due waits for the heartbeat, and is refused when that fails", async () => {
    const nodes = new Nodes();
    const a = await nodes.start();
    await ask(a, "open");
    await nodes.clock.advance(turnMs - 2_000);
    nodes.isLost = (_, what) => what.startsWith("beat");
    await nodes.clock.advance(sharingLimits.outageMs + 1_500);
    const asked = a.clocked.ask("r", { command: { type: "play" }, by: "ann" });
    await nodes.clock.advance(sharingLimits.beatMs + 10);
    const refused = await answered(asked);
    assert.ok("refusal" in refused && refused.refusal.code === "log.unavailable", JSON.stringify(refused));
    const waiting = a.clocked.ask("r", { command: { type: "play" }, by: "ann" });
    await turns(30);
    nodes.isLost = () => false;
    await nodes.clock.advance(sharingLimits.beatMs + 10);
    assert.ok("entry" in (await answered(waiting)));
    assert.deepEqual(await storyOf(nodes), ["open", "revive", "play"]);
    await a.stop();
  });

  test("[AR9] [CL4] what does not restart the clock waits for the heartbeat too: written before it, it would hide the outage", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await ask(a, "open");
    const outageMs = turnMs - 5_000;
    nodes.isLost = () => true;
    await nodes.clock.advance(outageMs);
    nodes.isLost = (node, what) => node === b.name && what.startsWith("beat");
    await nodes.clock.advance(sharingLimits.beatMs + 10);
    const noted = b.clocked.ask("r", { command: { type: "note" }, by: "ann" });
    await turns(30);
    nodes.isLost = () => false;
    await nodes.clock.advance(sharingLimits.beatMs + 10);
    assert.ok("entry" in (await answered(noted)));
    await nodes.clock.advance(turnMs - 5_000);
    assert.deepEqual(await storyOf(nodes), ["open", "revive", "note"]);
    await a.stop();
    await b.stop();
  });

  test("[CL2] a node that is cut off alone restarts no clock", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await ask(b, "open");
    await nodes.clock.advance(turnMs - 3_000);
    nodes.isLost = (node) => node === b.name;
    await nodes.clock.advance(2_500);
    nodes.isLost = () => false;
    await nodes.clock.advance(2_000);
    assert.deepEqual(await storyOf(nodes), ["open", "tick"]);
    await a.stop();
    await b.stop();
  });

  test("[LS1] [CL3] a heartbeat that was told with a node heartbeat which failed is told with the next", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await a.crowded("r", 2);
    await nodes.clock.advance(windowMs - sharingLimits.beatMs);
    let lost = 0;
    nodes.isLost = (node, what) => node === b.name && what === "beat" && lost++ === 0;
    b.heard("r", 1);
    await nodes.clock.advance(2 * sharingLimits.beatMs);
    assert.ok(lost > 1, "no beat was lost");
    await nodes.clock.advance(windowMs);
    assert.deepEqual(await nodes.lapsed("r"), [2]);
    await a.stop();
    await b.stop();
  });
});
