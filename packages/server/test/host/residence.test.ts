import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gameDecider } from "@openseat/kernel";
import { decodeSnapshot, encodeSnapshot } from "../../src/host/stream/snapshot-format.ts";
import { answered, turns, watched } from "../support/test-clock.ts";
import { codeOf, entryOf, Stage } from "./stage.ts";

const minute = 60_000;
const saved = async (stage: Stage, id: string) => {
  const result = await answered(
    stage.games.read(id, (room, version) =>
      structuredClone({ version, ...gameDecider.snapshots.save(room!) }),
    ),
  );
  assert.ok("value" in result);
  return result.value;
};

describe("rooms come and go", () => {
  test("[LG5] an idle room is evicted and reloaded on demand with its keys", async () => {
    const stage = new Stage({ idleMs: minute });
    await stage.host.start();
    await stage.created("g", { seats: 2, waitlist: true });
    const first = await answered(stage.join("g", "ann", "k1"));
    await answered(Promise.all([stage.join("g", "bob"), stage.join("g", "cid")]));
    const before = await saved(stage, "g");
    assert.equal(stage.host.residentStreams, 1);
    await stage.clock.advance(2 * minute);
    assert.equal(stage.host.residentStreams, 0);
    assert.deepEqual(await saved(stage, "g"), before);
    assert.deepEqual(entryOf(await answered(stage.join("g", "ann", "k1"))), entryOf(first));
    assert.equal(entryOf(await answered(stage.join("g", "dan"))).version, 5);
    await stage.stop();
  });

  test("[LG5] a room that is in use or has work under way stays in memory", async () => {
    const stage = new Stage({ idleMs: minute });
    await stage.host.start();
    await stage.created("used");
    await stage.created("busy");
    stage.log.holding = true;
    const joined = stage.join("busy", "ann");
    await turns();
    for (let half = 0; half < 6; half++) {
      await stage.clock.advance(minute / 2);
      await stage.read("used");
    }
    assert.equal(stage.host.residentStreams, 2);
    stage.log.releaseAll();
    entryOf(await answered(joined));
    await stage.stop();
  });

  test("[LM2] at the limit the least recently used rooms are evicted, and all are served", async () => {
    const stage = new Stage({ residentStreamsMax: 20 });
    for (let number = 0; number < 100; number++) {
      await stage.created(`g${number}`);
      await stage.clock.advance(1);
      assert.ok(stage.host.residentStreams <= 20);
    }
    let reads = 0;
    stage.log.beforeRead = () => {
      reads++;
    };
    await answered(stage.join("g99", "ann"));
    assert.equal(reads, 0, "the newest is in memory");
    for (let number = 0; number < 100; number++) {
      assert.equal(entryOf(await answered(stage.join(`g${number}`, "bob"))).events.length, 1);
    }
  });

  test("[LG5] requests for missing rooms write nothing, and a room can be created there", async () => {
    const stage = new Stage();
    assert.deepEqual(await answered(stage.read("g")), {
      value: { version: 0, seated: undefined, ended: false },
    });
    assert.equal(codeOf(await answered(stage.join("g", "ann"))), "room.not-found");
    assert.equal(stage.log.calls.length, 0);
    await stage.created("g");
  });
});

describe("snapshots", () => {
  test("[LG5] a snapshot is taken after 25,000 entries and not before", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 50_000 });
    await answered(Promise.all(Array.from({ length: 24_998 }, (_, number) => stage.join("g", `p${number}`))));
    await turns();
    assert.deepEqual(stage.log.snapshotsSaved, []);
    await answered(stage.join("g", "last"));
    await turns();
    assert.deepEqual(stage.log.snapshotsSaved, [25_000]);
  });

  test("[LG5] the next one is taken when the tail has grown to half of its size", async () => {
    const stage = new Stage({ snapshotTailMin: 20 });
    await stage.created("g", { seats: 1_000 });
    for (let number = 2; number <= 140; number++) {
      await answered(stage.join("g", `p${number}`));
      await turns(2);
    }
    assert.deepEqual(stage.log.snapshotsSaved, [20, 40, 60, 90, 135]);
    const other = stage.another({ snapshotTailMin: 20 });
    for (let number = 141; number <= 210; number++) {
      await answered(other.join("g", `p${number}`));
      await turns(2);
    }
    assert.deepEqual(stage.log.snapshotsSaved.slice(5), [203], "a restart uses the latest one");
  });

  test("[LG5] a snapshot and its tail give the same state as all entries, and only the tail is read", async () => {
    const stage = new Stage({ snapshotTailMin: 50 });
    await stage.created("g", { seats: 20, waitlist: true });
    for (let round = 0; round < 40; round++) {
      await answered(
        Promise.all([
          stage.join("g", `p${round}`, `k${round}`),
          stage.join("g", `q${round}`),
          stage.leave("g", `p${Math.floor(round / 2)}`),
        ]),
      );
      await turns(2);
    }
    for (let number = 0; number < 3; number++) await answered(stage.join("g", `tail-${number}`, "k"));
    const version = stage.log.snapshotsSaved.at(-1)!;
    const here = await saved(stage, "g");
    assert.ok(version > 50 && version < here.version);
    const reads: number[] = [];
    stage.log.beforeRead = (_, after) => void reads.push(after);
    assert.deepEqual(await saved(stage.another(), "g"), here);
    assert.ok(Math.min(...reads) >= version, "entries covered by the snapshot were read");
    stage.log.loadSnapshot = async () => undefined;
    assert.deepEqual(await saved(stage.another(), "g"), here);
  });

  test("[LG5] joins continue while a snapshot is written, and it contains the state at its start", async () => {
    const stage = new Stage({ snapshotTailMin: 100 });
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.log.beforePart = () => gate;
    await stage.created("g", { seats: 50, waitlist: true });
    await answered(
      Promise.all(Array.from({ length: 99 }, (_, number) => stage.join("g", `p${number}`, "k"))),
    );
    const then = await saved(stage, "g");
    for (let number = 0; number < 60; number++) {
      entryOf(await answered(stage.leave("g", `p${number}`)));
      entryOf(await answered(stage.join("g", `late-${number}`, "k")));
    }
    assert.deepEqual(stage.log.snapshotsSaved, []);
    const now = await saved(stage, "g");
    release();
    await turns(60);
    assert.equal(stage.log.snapshotsSaved[0], 100);
    const { version, hash } = (await stage.log.loadSnapshot("game/g"))!;
    assert.equal(version, 100);
    const old = stage.another();
    const { head } = stage.log;
    // Simulates a log that ends where the snapshot was taken.
    stage.log.tamper = () => [];
    stage.log.head = async () => ({ version, hash });
    assert.deepEqual(await saved(old, "g"), then, "the snapshot alone gives the state at its version");
    stage.log.tamper = (batches) => batches;
    stage.log.head = head;
    assert.deepEqual(await saved(stage.another(), "g"), now);
  });

  test("[CL6] a snapshot of entries that the log does not contain is ignored", async () => {
    const stage = new Stage({ snapshotTailMin: 10 });
    await stage.created("g", { seats: 100 });
    for (let number = 1; number <= 30; number++) entryOf(await answered(stage.join("g", `p${number}`)));
    await turns(60);
    const now = await saved(stage, "g");
    const snapshot = (await stage.log.loadSnapshot("game/g"))!;
    for (const lost of [
      { ...snapshot, hash: "0".repeat(64) },
      { ...snapshot, version: 1_000 },
    ]) {
      stage.log.loadSnapshot = async () => lost;
      assert.deepEqual(await saved(stage.another(), "g"), now);
    }
  });

  test("[LG5] a failed snapshot does no harm and is retried", async () => {
    const stage = new Stage({ snapshotTailMin: 10 });
    let failures = 2;
    stage.log.beforePart = async () => {
      if (failures-- > 0) throw new Error("no room for a snapshot");
    };
    await stage.created("g", { seats: 100 });
    for (let number = 2; number <= 13; number++) {
      entryOf(await answered(stage.join("g", `p${number}`)));
      await turns(2);
    }
    assert.deepEqual(stage.log.snapshotsSaved, [12]);
    assert.equal(stage.errors.length, 2);
    assert.equal((await saved(stage.another(), "g")).version, 13);
  });

  test("[LG5] an unreadable snapshot loses nothing, because the log has everything", async () => {
    const stage = new Stage({ snapshotTailMin: 10 });
    await stage.created("g", { seats: 100 });
    for (let number = 2; number <= 12; number++) await answered(stage.join("g", `p${number}`));
    await turns();
    assert.equal(stage.log.snapshotsSaved.length, 1);
    const here = await saved(stage, "g");
    const { loadSnapshot } = stage.log;
    stage.log.loadSnapshot = async (stream) => {
      const snapshot = (await loadSnapshot.call(stage.log, stream))!;
      return { ...snapshot, parts: snapshot.parts.map((part) => part.subarray(0, part.length >> 1)) };
    };
    assert.deepEqual(await saved(stage.another(), "g"), here);
  });

  test("[LG12] a snapshot of a game in a format of another version is ignored; one without a version is read", async () => {
    const stage = new Stage({ snapshotTailMin: 10 });
    await stage.created("g", { seats: 100 });
    for (let number = 2; number <= 12; number++) await answered(stage.join("g", `p${number}`));
    await turns(60);
    const snapshot = (await stage.log.loadSnapshot("game/g"))!;
    const { head, columns } = decodeSnapshot(snapshot.parts);
    assert.equal(head.shape, 1);
    const titleWith = async (shape: number | undefined) => {
      const told = { ...head, shape, terms: { ...(head.terms as object), title: "From the snapshot" } };
      const parts = [...encodeSnapshot({ head: told, columns })];
      stage.log.loadSnapshot = async () => ({ ...snapshot, parts });
      const read = await answered(stage.another().games.read("g", (room) => room?.terms.title));
      return "value" in read && read.value;
    };
    assert.equal(await titleWith(1), "From the snapshot");
    assert.equal(await titleWith(undefined), "From the snapshot");
    assert.equal(await titleWith(2), "Chess");
    assert.equal(await titleWith(0), "Chess");
  });
});

describe("stopping", () => {
  test("[LG3] a stop finishes work under way, refuses new work, and then closes the log", async () => {
    const stage = new Stage();
    await stage.host.start();
    await stage.created("g");
    stage.log.holding = true;
    const inFlight = stage.join("g", "ann");
    await turns();
    const waiting = stage.join("g", "bob");
    const reading = stage.read("g");
    const stopped = watched(stage.stop());
    await turns();
    assert.equal(codeOf(await answered(stage.join("g", "cid"))), "server.stopping");
    assert.equal(codeOf(await answered(stage.read("g"))), "server.stopping");
    await stage.clock.advance(1_000);
    assert.deepEqual([stopped.settled, stage.log.isClosed], [false, false]);
    stage.log.releaseAll();
    await stopped.promise;
    assert.equal(entryOf(await answered(inFlight)).version, 2);
    assert.equal(entryOf(await answered(waiting)).version, 3);
    assert.ok("value" in (await answered(reading)));
    assert.equal(stage.log.isClosed, true);
  });

  test("[LG3] a stop waits for a replay and for a snapshot under way", async () => {
    const stage = new Stage({ snapshotTailMin: 3 });
    await stage.created("g");
    await answered(stage.join("g", "ann", "k1"));
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.log.beforePart = () => gate;
    await answered(stage.join("g", "bob"));
    stage.log.beforeRead = () => gate;
    const replay = watched(stage.join("g", "ann", "k1"));
    await turns();
    const stopped = watched(stage.stop());
    await stage.clock.advance(100);
    assert.deepEqual([stopped.settled, replay.settled, stage.log.isClosed], [false, false, false]);
    release();
    await stopped.promise;
    assert.equal(entryOf(await replay.promise).version, 2);
    assert.deepEqual(stage.log.snapshotsSaved, [3]);
  });
});
