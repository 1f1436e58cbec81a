import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tailEntriesMax } from "../../src/log/commit.ts";
import { sharingLimits } from "../../src/log/sharing.ts";
import { answered, turns } from "../support/test-clock.ts";
import { type ClockedCommand, type ClockedEvent, turnMs } from "./clocked-room.ts";
import { Nodes, type OneNode } from "./nodes.ts";

const ask = (node: OneNode, type: ClockedCommand["type"]) =>
  answered(node.clocked.ask("r", { command: { type }, by: "ann" }));

async function storyOf(nodes: Nodes): Promise<string[]> {
  const entries = await nodes.entries<ClockedEvent>("clocked/r");
  return entries.map(({ events: [{ type }] }) => type);
}

describe("several nodes on one log", () => {
  test("[AR9] [CL4] a command in a room that is due waits for the heartbeat, and is refused if that fails", async () => {
    const nodes = new Nodes();
    const a = await nodes.start();
    await ask(a, "open");
    await nodes.clock.advance(turnMs - 2_000);
    nodes.isLost = (_, what) => what.startsWith("heartbeat");
    await nodes.clock.advance(sharingLimits.outageMs + 1_500);
    const asked = a.clocked.ask("r", { command: { type: "play" }, by: "ann" });
    await nodes.clock.advance(sharingLimits.heartbeatMs + 10);
    const refused = await answered(asked);
    assert.ok("refusal" in refused && refused.refusal.code === "log.unavailable", JSON.stringify(refused));
    const waiting = a.clocked.ask("r", { command: { type: "play" }, by: "ann" });
    await turns(30);
    nodes.isLost = () => false;
    await nodes.clock.advance(sharingLimits.heartbeatMs + 10);
    assert.ok("entry" in (await answered(waiting)));
    assert.deepEqual(await storyOf(nodes), ["open", "revive", "play"]);
    await a.stop();
  });

  test("[AR9] [CL4] a command that does not restart the clock waits too: written before the heartbeat, it would hide the outage", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await ask(a, "open");
    const outageMs = turnMs - 5_000;
    nodes.isLost = () => true;
    await nodes.clock.advance(outageMs);
    nodes.isLost = (node, what) => node === b.name && what.startsWith("heartbeat");
    await nodes.clock.advance(sharingLimits.heartbeatMs + 10);
    const noted = b.clocked.ask("r", { command: { type: "note" }, by: "ann" });
    await turns(30);
    nodes.isLost = () => false;
    await nodes.clock.advance(sharingLimits.heartbeatMs + 10);
    assert.ok("entry" in (await answered(noted)));
    await nodes.clock.advance(turnMs - 5_000);
    assert.deepEqual(await storyOf(nodes), ["open", "revive", "note"]);
    await a.stop();
    await b.stop();
  });

  test("[CL1] a node that is too far behind to decide catches up first", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    const seats = tailEntriesMax + 100;
    await a.create("g", { seats });
    assert.equal(await b.seated("g"), 0);
    nodes.cluster.crash(b.name);
    const joins = Array.from({ length: seats - 1 }, (_, number) => a.join("g", `p${number}`));
    await answered(Promise.all(joins));
    const last = await answered(b.join("g", "last"));
    assert.ok("entry" in last, JSON.stringify(last));
    assert.equal(last.entry.version, seats + 1);
    await a.stop();
  });
});
