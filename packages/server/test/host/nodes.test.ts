import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tailEntriesMax } from "../../src/log/commit.ts";
import { answered } from "../support/test-clock.ts";
import { Nodes } from "./nodes.ts";

describe("several nodes on one log", () => {
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
