import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tailEntriesMax } from "../../src/log/commit.ts";
import { sharingLimits } from "../../src/log/sharing.ts";
import { answered, turns } from "../support/test-clock.ts";
import { windowMs } from "./leased-room.ts";
import { Nodes } from "./nodes.ts";

describe("several nodes on one log", () => {
  test("[FD1] of what is not in memory here it is known that it has grown, also when no announcement comes", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await a.create("g");
    await turns(50);
    assert.ok(b.doubted.includes("game/g"));
    b.crash();
    await nodes.clock.advance(sharingLimits.goneAfterMs + sharingLimits.beatMs);
    assert.ok(a.doubted.includes(undefined), "a node that is gone may have written what it did not announce");
    await a.stop();
  });

  test("[CL1] who is too far behind for a turn reads on first", async () => {
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

describe("who is there, on several nodes", () => {
  test("[CL3] [LS4] when a node dies, nobody expires who comes back to another inside the lease", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await a.crowded("r", 2);
    await nodes.clock.advance(windowMs - 10);
    b.heard("r", 1);
    b.crash();
    await nodes.clock.advance(windowMs - 10);
    assert.deepEqual(await nodes.lapsed("r"), []);
    a.heard("r", 1);
    await nodes.clock.advance(windowMs);
    a.heard("r", 1);
    await nodes.clock.advance(windowMs);
    assert.deepEqual(await nodes.lapsed("r"), [2]);
    await a.stop();
  });

  test("[LS1] whoever enters, on another node, a room that was empty here lapses in time, though nobody here watches it", async () => {
    const nodes = new Nodes();
    const [a, b] = [
      await nodes.start({ isWatched: () => false }),
      await nodes.start({ isWatched: () => false }),
    ];
    await a.crowded("r", 0);
    assert.equal(a.host.isCaretaker, true);
    await answered(b.rooms.ask("r", { command: { type: "enter" }, by: "ann" }));
    await nodes.clock.advance(2 * windowMs);
    assert.deepEqual(await nodes.lapsed("r"), [1]);
    await a.stop();
    await b.stop();
  });

  test("[CL2] [LS1] an entry whose writer never had the answer is announced with its next heartbeat: the lease begins then", async () => {
    const nodes = new Nodes();
    const [a, b] = [
      await nodes.start({ isWatched: () => false }),
      await nodes.start({ isWatched: () => false }),
    ];
    // Of the empty room the caretaker hears nothing, either.
    nodes.isLost = (node, what) => node === a.name && what === "announcement";
    await b.crowded("r", 0);
    nodes.isLost = (node, what) => node === b.name && what === "commit in room/r: its answer";
    const entered = await answered(b.rooms.ask("r", { command: { type: "enter" }, by: "ann" }));
    assert.ok("refusal" in entered);
    nodes.isLost = () => false;
    assert.equal(a.host.isCaretaker, true);
    // When rooms are listed again it would begin too, but not for another 15 seconds.
    await nodes.clock.advance(windowMs + 5_000);
    assert.deepEqual(await nodes.lapsed("r"), [1]);
    await a.stop();
    await b.stop();
  });

  test("[CL2] [LS1] a caretaker that stood still for a while lists the rooms again: it heard of none meanwhile", async () => {
    const nodes = new Nodes();
    const [a, b] = [
      await nodes.start({ isWatched: () => false }),
      await nodes.start({ isWatched: () => false }),
    ];
    assert.equal(a.host.isCaretaker, true);
    nodes.clock.stall(sharingLimits.caretakerMs + 500);
    assert.equal(
      a.host.isCaretaker,
      false,
      "too much time has passed, and it has not told the others of itself since",
    );
    await b.crowded("r", 1);
    await nodes.clock.advance(sharingLimits.beatMs);
    assert.equal(a.host.isCaretaker, true);
    await nodes.clock.advance(windowMs + 5_000);
    assert.deepEqual(await nodes.lapsed("r"), [1]);
    await a.stop();
    await b.stop();
  });

  test("[LS1] [CL3] what is heard while a beat is on its way counts, though the window ends before the next", async () => {
    const nodes = new Nodes();
    const [a, b] = [await nodes.start(), await nodes.start()];
    await a.crowded("r", 1);
    // Until the first window has ended, a beat of the other's takes a second.
    nodes.delayMs = (node, what) => (node === b.name && what === "beat" ? 1_000 : 0);
    for (let passed = 0; passed < 4 * windowMs; passed += 100) {
      await nodes.clock.advance(100);
      if (passed % (windowMs - 200) === 0) b.heard("r", 1);
    }
    assert.deepEqual(await nodes.lapsed("r"), []);
    nodes.delayMs = () => 0;
    await nodes.clock.advance(3 * windowMs);
    assert.deepEqual(await nodes.lapsed("r"), [1]);
    await a.stop();
    await b.stop();
  });
});
