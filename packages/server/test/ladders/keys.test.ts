import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertRefused, type Call, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Club, csv } from "./club.ts";

/** A changing request, and another that differs from it. */
interface Keyed {
  readonly ask: (call: Call) => Promise<Answer>;
  readonly other: (call: Call) => Promise<Answer>;
  /** Waits for work that the response only starts. */
  readonly settled?: (answer: Answer) => Promise<unknown>;
}

suite("keys on ladders", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  /** ID1: the same bytes again, at once, later, and after changes by others. */
  function assertSame(again: Answer, first: Answer): void {
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.equal(again.headers["idempotent-replayed"], "true");
  }

  async function withPending(): Promise<string> {
    const id = await club.newLadder(["ann", "bob"], { confirm: true });
    for (const _ of range(2)) await club.reported(id, ["ann", "bob"]);
    return id;
  }

  async function withCounted(): Promise<string> {
    const id = await club.newLadder(["ann", "bob"]);
    for (const _ of range(3)) await club.counted(id, ["ann", "bob"]);
    return id;
  }

  const row = { players: ["ann", "bob"], scores: [1, 0] };
  const table: Record<string, () => Promise<Keyed>> = {
    "making a ladder": async () => ({
      ask: (call) => club.create({}, call),
      other: (call) => club.create({ startRating: 1200 }, call),
    }),
    "making a ladder with an id": async () => ({
      ask: (call) => club.create({ id: "by-name" }, call),
      other: (call) => club.create({ id: "by-name", confirm: true }, call),
    }),
    "changing a ladder": async () => {
      const id = await club.newLadder();
      return {
        ask: (call) => club.change(id, { title: "New" }, call),
        other: (call) => club.change(id, { title: "Newer" }, call),
      };
    },
    joining: async () => {
      const id = await club.newLadder();
      return { ask: (call) => club.join(id, "ann", call), other: (call) => club.leave(id, "ann", call) };
    },
    leaving: async () => {
      const id = await club.newLadder(["ann"]);
      return { ask: (call) => club.leave(id, "ann", call), other: (call) => club.join(id, "ann", call) };
    },
    "enrolling somebody": async () => {
      const id = await club.newLadder();
      return {
        ask: (call) => club.enrol(id, { userId: "ann", rating: 1100 }, call),
        other: (call) => club.enrol(id, { userId: "ann", rating: 1200 }, call),
      };
    },
    "taking somebody out": async () => {
      const id = await club.newLadder(["ann", "bob"]);
      return { ask: (call) => club.remove(id, "ann", call), other: (call) => club.remove(id, "bob", call) };
    },
    "reporting a match": async () => {
      const id = await club.newLadder(["ann", "bob"]);
      return {
        ask: (call) => club.report(id, ["ann", "bob"], [3, 1], call),
        other: (call) => club.report(id, ["bob", "ann"], [3, 1], call),
      };
    },
    "reporting a match that waits": async () => {
      const id = await club.newLadder(["ann", "bob"], { confirm: true });
      const token = tokenOf("ann");
      return {
        ask: (call) => club.report(id, ["ann", "bob"], [3, 1], { ...call, token }),
        other: (call) => club.report(id, ["ann", "bob"], [3, 2], { ...call, token }),
      };
    },
    "confirming a match": async () => {
      const id = await withPending();
      return {
        ask: (call) => club.settle("confirm", id, "1", "bob", call),
        other: (call) => club.settle("decline", id, "1", "bob", call),
      };
    },
    "declining a match": async () => {
      const id = await withPending();
      return {
        ask: (call) => club.settle("decline", id, "1", "bob", call),
        other: (call) => club.settle("decline", id, "2", "bob", call),
      };
    },
    "voiding a match": async () => {
      const id = await withCounted();
      return { ask: (call) => club.void(id, "1", call), other: (call) => club.void(id, "2", call) };
    },
    "importing matches": async () => {
      const id = await club.newLadder();
      return {
        ask: (call) => club.import(id, [row], call),
        other: (call) => club.import(id, [row, row], call),
        settled: (answer) => club.done(id, answer.body.data.import.id),
      };
    },
  };

  for (const [what, make] of Object.entries(table)) {
    test(`[ID1] [ID2] ${what}: the same key gives the same bytes and changes nothing; another request with it is refused`, async () => {
      const key = `key of ${what}`;
      const { ask, other, settled } = await make();
      const first = await ask({ key });
      assert.ok(first.status < 300, first.text);
      assert.equal(first.headers["idempotent-replayed"], undefined);
      await settled?.(first);
      const entries = await club.entries();
      for (const _ of range(3)) assertSame(await ask({ key }), first);
      assertRefused(await other({ key }), 422, "key.reused");
      assert.equal(await club.entries(), entries);
    });
  }

  test("[ID1] responses stay the same bytes while everything around them changes", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    const ask = [
      () => club.report(id, ["ann", "bob"], [1, 0], { key: "m1" }),
      () => club.change(id, { title: "First" }, { key: "c1" }),
      () => club.leave(id, "cat", { key: "l1" }),
      () => club.join(id, "cat", { key: "j1" }),
      () => club.void(id, "1", { key: "v1" }),
    ];
    const firsts: Answer[] = [];
    for (const each of ask) firsts.push(await each());
    await club.counted(id, ["bob", "cat"]);
    await club.change(id, { title: "Second", confirm: true });
    await club.leave(id, "cat");
    const again = await server.restart();
    server = again;
    club = new Club(again);
    for (const [index, each] of ask.entries()) assertSame(await each(), firsts[index]);
  });

  test("[ID1] the same file as CSV, under the same key, is the same import", async () => {
    const id = await club.newLadder();
    const text = "playerA,playerB,scoreA,scoreB\nann,bob,1,0\n";
    const first = await club.import(id, [], { ...csv(text), key: "k" });
    assert.equal(first.status, 202, first.text);
    await club.done(id, first.body.data.import.id);
    assertSame(await club.import(id, [], { ...csv(text), key: "k" }), first);
    assertSame(await club.import(id, [row], { key: "k" }), first);
  });
});
