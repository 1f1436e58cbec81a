import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { roomLimits } from "@openseat/kernel";
import fc from "fast-check";
import { newArenaCommand } from "../../src/app/arenas/arenas.ts";
import { doneOf } from "../support/results.ts";
import { answered, turns } from "../support/test-clock.ts";
import { ArenaStage, graceMs, type Tab } from "./stage.ts";

const spanMs = graceMs / 5;
/** Turns have no clock here: only silence ends anything. */
const untimed = { moveTimeoutSeconds: null } as const;

/** Ann and Bob play, each in a tab; others wait, in tabs too. */
async function playing(
  people: readonly string[] = ["ann", "bob"],
  fields: Parameters<ArenaStage["opened"]>[1] = untimed,
): Promise<{ stage: ArenaStage; tabs: Tab[] }> {
  const stage = new ArenaStage();
  await stage.opened(people, fields);
  const tabs: Tab[] = [];
  for (const person of people) tabs.push(await stage.tab(person));
  return { stage, tabs };
}

describe("a player's connection", () => {
  test("[AR8] [LS2] closes: the seat is kept for the grace period and forfeited at most a fifth later; the place is over", async () => {
    for (const phase of [0, 1, spanMs / 2, spanMs - 1]) {
      const { stage, tabs } = await playing(["ann", "bob", "cat"]);
      await stage.clock.advance(10 * graceMs + phase);
      assert.deepEqual((await stage.places()).seats, { X: "ann", O: "bob" }, "open connections keep seats");
      const closed = stage.clock.now();
      tabs[0].close();
      await stage.clock.advance(graceMs - 1);
      assert.deepEqual(await stage.ends(closed), []);
      await stage.clock.advance(spanMs + 1);
      assert.deepEqual(await stage.places(), { seats: { X: "cat", O: "bob" }, line: [] });
      const [ended, left, ...more] = await stage.ends(closed);
      assert.deepEqual(more, []);
      const silentMs = Number(/^disconnected after (\d+)$/.exec(ended)?.[1]);
      assert.ok(silentMs >= graceMs && silentMs <= graceMs + spanMs, ended);
      assert.equal(left, `ann forfeited after ${silentMs}`);
      assert.equal(
        (await stage.get("ann")).state.you,
        null,
        "out of the arena, and not at the back of the line",
      );
    }
  });

  test("[AR8] expires between the grace period and a fifth more, whenever the last heartbeat was", async () => {
    const pauses = fc.array(fc.integer({ min: 1, max: graceMs - 1 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 0, max: 2 * graceMs }), async (pauses, start) => {
        const { stage, tabs } = await playing();
        await stage.clock.advance(start);
        tabs[0].close();
        let last = stage.clock.now();
        for (const pause of pauses) {
          await stage.clock.advance(pause);
          assert.equal((await stage.get("ann")).state.you?.label, "X", "the heartbeat was in time");
          last = stage.clock.now();
        }
        await stage.clock.advance(2 * graceMs);
        const silentMs = Number(/\d+$/.exec((await stage.ends(last))[0])?.[0]);
        assert.ok(silentMs >= graceMs && silentMs <= graceMs + spanMs, `after ${silentMs} ms of silence`);
      }),
      { numRuns: 40 },
    );
  });

  test("[LS5] [AR8] reconnects in time, in another tab, after a reload or on another device: the same seat and the same match", async () => {
    const { stage, tabs } = await playing();
    const { state } = await stage.get("ann");
    let tab = tabs[0];
    for (let reload = 0; reload < 4; reload++) {
      tab.close();
      await stage.clock.advance(graceMs - 1);
      tab = await stage.tab("ann");
      assert.deepEqual(tab.state.you, state.you);
      assert.equal(tab.state.match.id, state.match.id);
    }
    await stage.clock.advance(20 * graceMs);
    assert.deepEqual(await stage.ends(0), []);
  });

  test("[LS5] two tabs of one person share one live place; closing one keeps it, closing both starts the grace period", async () => {
    const { stage, tabs } = await playing();
    const second = await stage.tab("ann");
    const again = await stage.join("ann");
    assert.deepEqual([again.code, again.data.label], ["place.exists", "X"]);
    assert.deepEqual(second.state.you, tabs[0].state.you);
    const first = (await stage.get()).state.match.toMove[0] === "X" ? "ann" : "bob";
    await stage.move(first, "b2");
    await turns();
    for (const tab of [tabs[0], second])
      assert.equal(
        tab.state.match.sight.cells[4],
        tab.state.players.find((it: { person: { id: string } }) => it.person.id === first).label,
      );
    tabs[0].close();
    await stage.clock.advance(10 * graceMs);
    assert.deepEqual(await stage.ends(0), []);
    second.close();
    const closed = stage.clock.now();
    await stage.clock.advance(graceMs - 1);
    assert.deepEqual(await stage.ends(closed), []);
    await stage.clock.advance(spanMs + 1);
    assert.match((await stage.ends(closed))[0], /^disconnected after 1[5-8]/);
  });

  test("[LS1] a move, a read and another join each count as a heartbeat of a player without a connection", async () => {
    const { stage, tabs } = await playing();
    tabs[0].close();
    for (let round = 0; round < 12; round++) {
      await stage.clock.advance(graceMs - 1);
      if (round % 3 === 0) await stage.get("ann");
      else if (round % 3 === 1) assert.equal((await stage.join("ann")).code, "place.exists");
      else assert.equal((await stage.move("ann", "z9")).code, "move.unknown");
    }
    assert.deepEqual(await stage.ends(0), []);
  });

  test("[LS1] a request that arrives during a write to the arena also counts as a heartbeat", async () => {
    for (const what of ["get", "join", "move"] as const) {
      const { stage, tabs } = await playing();
      tabs[0].close();
      await stage.clock.advance(graceMs - 1);
      stage.log.holding = true;
      const joined = stage.join("cat");
      await turns();
      const asked = stage.ask("ann", what);
      await turns();
      stage.log.releaseAll();
      await answered(Promise.all([joined, asked]));
      await stage.clock.advance(graceMs - 1);
      assert.deepEqual(await stage.ends(0), [], what);
      assert.equal((await stage.get("ann")).state.you.label, "X");
    }
  });

  test("[AR8] watching keeps nobody else's seat, and neither does another person's connection", async () => {
    const { stage, tabs } = await playing();
    await stage.tab(undefined);
    await stage.tab("cat");
    const closed = stage.clock.now();
    tabs[0].close();
    await stage.clock.advance(graceMs + spanMs);
    assert.match((await stage.ends(closed))[1], /^ann forfeited/);
  });

  test("[AR8] a grace period of null never ends; a changed one starts again", async () => {
    const stage = new ArenaStage();
    await stage.opened(["ann", "bob"], { ...untimed, reconnectGraceSeconds: null });
    await stage.clock.advance(24 * 3_600_000);
    assert.deepEqual(await stage.ends(0), []);
    const changed = stage.clock.now();
    const maker = { role: "service", by: "@service" } as const;
    await answered(stage.arenas.change(maker, "a", { reconnectGraceSeconds: 15 }));
    await stage.clock.advance(graceMs - 1);
    assert.deepEqual(await stage.ends(changed), []);
    await stage.clock.advance(spanMs + 1);
    assert.equal((await stage.ends(changed)).length, 3);
  });

  test("[AR8] a person called to a seat from a silent place in the line gets the full grace period", async () => {
    const { stage, tabs } = await playing(["ann", "bob"]);
    await stage.join("cat");
    await stage.clock.advance(40_000);
    const called = stage.clock.now();
    tabs[0].close();
    await stage.clock.advance(graceMs + spanMs);
    assert.equal((await stage.places()).seats.X, "cat");
    const seatedAt = (await stage.entries()).findLast(({ events }) =>
      events.some((event) => event.type === "seated" && event.person === "cat"),
    )!.at;
    await stage.clock.advance(seatedAt + graceMs - 1 - stage.clock.now());
    assert.equal((await stage.places()).seats.X, "cat");
    await stage.clock.advance(spanMs + 1);
    const ends = await stage.ends(seatedAt);
    assert.match(ends.at(-1)!, /^cat forfeited after 1[5-8]\d{3}$/, `${ends} ${called}`);
  });
});

describe("challengers in the line", () => {
  test("[LS1] [LN7] a silent challenger expires between one and two heartbeat timeouts; the others move up", async () => {
    const { stage, tabs } = await playing(["ann", "bob", "cat", "dan", "eve"]);
    const timeoutMs = 60_000;
    await stage.clock.advance(1_000);
    const closed = stage.clock.now();
    tabs[3].close();
    await stage.clock.advance(timeoutMs - 1);
    assert.deepEqual(await stage.ends(closed), []);
    await stage.clock.advance(timeoutMs + 1);
    const ends = await stage.ends(closed);
    assert.equal(ends.length, 1);
    const silentMs = Number(/^dan heartbeat_timeout after (\d+)$/.exec(ends[0])?.[1]);
    assert.ok(silentMs >= timeoutMs && silentMs <= 2 * timeoutMs, ends[0]);
    assert.deepEqual((await stage.places()).line, ["cat", "eve"]);
    assert.equal(tabs[4].state.you.position, 2, "people further back are notified");
  });

  test("[LS1] [AR5] a loser at the back has a new ticket, and the same tab keeps it", async () => {
    const { stage } = await playing(["ann", "bob", "cat"]);
    const { match } = (await stage.get()).state;
    const ann = { role: "person", by: "ann" } as const;
    await answered(stage.arenas.resign(ann, "a", { match: match.id }));
    assert.deepEqual((await stage.get("ann")).state.you.ticket, 4);
    await stage.clock.advance(10 * 60_000);
    assert.deepEqual(await stage.places(), { seats: { X: "cat", O: "bob" }, line: ["ann"] });
  });
});

describe("a restart", () => {
  test("[LS4] forfeits nobody: everyone gets a full grace period again, also in the line, however long the restart took", async () => {
    const { stage: before } = await playing(["ann", "bob", "cat"]);
    await before.clock.advance(graceMs - 1);
    before.host.stop().catch(() => {});
    await before.clock.advance(3_600_000);
    const stage = before.another();
    const restarted = stage.clock.now();
    await turns(30);
    await stage.clock.advance(graceMs - 1);
    assert.deepEqual(await stage.ends(restarted), []);
    for (const person of ["ann", "bob", "cat"]) await stage.tab(person);
    await stage.clock.advance(20 * graceMs);
    assert.deepEqual(await stage.places(), { seats: { X: "ann", O: "bob" }, line: ["cat"] });
  });

  test("[LS4] [AR8] people who do not come back expire in time, although nobody requests the arena", async () => {
    const { stage: before } = await playing(["ann", "bob", "cat"]);
    before.host.stop().catch(() => {});
    await before.clock.advance(5_000);
    const stage = before.another();
    const restarted = stage.clock.now();
    await turns(30);
    await stage.clock.advance(graceMs + spanMs);
    const ends = await stage.ends(restarted);
    assert.deepEqual(
      ends.map((end) => end.replace(/ after.*/, "")),
      ["disconnected", "ann forfeited", "bob forfeited"],
    );
    assert.deepEqual((await stage.places()).seats, { X: "cat" });
  });

  test("[LS4] [AR9] restarts the clock of the turn: the player to move has their full time again", async () => {
    const stage = new ArenaStage();
    await stage.opened(["ann", "bob"], { moveTimeoutSeconds: 30, reconnectGraceSeconds: null });
    const [first] = (await stage.get()).state.match.toMove;
    const turn = first === "X" ? "ann" : "bob";
    await stage.clock.advance(29_000);
    stage.host.stop().catch(() => {});
    await stage.clock.advance(3_600_000);
    const next = stage.another();
    const restarted = next.clock.now();
    await turns(30);
    const tab = await next.tab(undefined);
    assert.equal(tab.state.match.moveBy, new Date(restarted + 30_000).toISOString());
    await next.clock.advance(29_999);
    assert.deepEqual(await next.ends(restarted), []);
    assert.equal((await next.move(turn, "b2")).data.move, "b2", "at the last moment");
    await next.clock.advance(30_000);
    assert.match((await next.ends(restarted))[0], /^move-timeout after 59999$/);
  });

  test("[LS4] a failed write restarts the clock as well, and watchers are notified", async () => {
    const stage = new ArenaStage();
    await stage.opened(["ann", "bob"], { moveTimeoutSeconds: 30, reconnectGraceSeconds: null });
    const tab = await stage.tab(undefined);
    await stage.clock.advance(20_000);
    stage.log.failing = true;
    assert.equal((await stage.join("cat")).code, "log.unavailable");
    await stage.clock.advance(5_000);
    stage.log.failing = false;
    await stage.clock.advance(5_000);
    const changes = tab.got.flatMap(({ json }) => JSON.parse(json).changes ?? []);
    const restarts = changes.filter(({ type }) => type === "clock-restarted");
    assert.equal(restarts.length, 1);
    assert.equal(tab.state.match.moveBy, restarts[0].moveBy);
    assert.deepEqual(await stage.ends(0), []);
  });
});

describe("the clock of a turn", () => {
  const timed = { moveTimeoutSeconds: 30, reconnectGraceSeconds: null } as const;

  test("[LM7] an unused arena is evicted from memory and ends after a week, and watchers are notified", async () => {
    const stage = new ArenaStage({ idleMs: 60_000 });
    const command = newArenaCommand({ title: "A", game: "tic-tac-toe" }, "ann");
    await answered(stage.host.streams<unknown, unknown, unknown>("arena").ask("a", { command, by: "ann" }));
    await stage.clock.advance(180_000);
    assert.equal(stage.host.residentStreams, 0);
    await stage.clock.advance(roomLimits.unusedMsMax - 360_000);
    const tab = await stage.tab("ann");
    await stage.clock.advance(360_000);
    const { changes, state } = JSON.parse(tab.got.at(-1)!.json);
    assert.deepEqual(changes, [{ type: "arena-ended", reason: "unused" }]);
    assert.equal(state.status, "ENDED");
    assert.equal((await stage.join("ann")).code, "room.ended");
    const { arenas } = doneOf(await answered(stage.arenas.list({ limit: 9, status: "WAITING" })));
    assert.deepEqual(arenas, []);
    tab.close();
    await stage.host.stop();
  });

  test("[AR9] keeps running in an arena without requests and without due heartbeats", async () => {
    const stage = new ArenaStage({ idleMs: 1_000 });
    await stage.opened(["ann", "bob"], timed);
    const began = stage.clock.now();
    await stage.clock.advance(30_000);
    assert.match((await stage.ends(began))[0], /^move-timeout after 30000$/);
    const looks = stage.clock.now();
    for (let look = 0; look < 5; look++) {
      await stage.clock.advance(5_999);
      await stage.get();
    }
    await stage.clock.advance(5);
    assert.match((await stage.ends(looks))[2], /^move-timeout after 30000$/, "regardless of reads");
  });

  test("[LS1] [FD2] an arena without a clock and without due heartbeats is evicted from memory", async () => {
    const stage = new ArenaStage({ idleMs: 1_000 });
    await stage.opened(["ann", "bob"], { ...timed, moveTimeoutSeconds: null });
    await stage.clock.advance(2_000);
    assert.equal(stage.host.residentStreams, 0);
    assert.deepEqual((await stage.places()).seats, { X: "ann", O: "bob" });
  });
});
