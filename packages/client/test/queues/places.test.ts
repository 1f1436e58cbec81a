import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../../server/test/support/http.ts";
import { tokenOf } from "../../../server/test/support/tokens.ts";
import type { PlaceState } from "../../src/index.ts";
import { onStage, refusal, Stage, sharedStorage, uncalled } from "../support/stage.ts";
import { diaryOf, WaitingRoom, withoutWebSocket } from "../support/waiting.ts";

suite("a place in a queue", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  /** Three people: one is admitted at once, two wait. */
  async function line() {
    const room = await WaitingRoom.open(stage);
    const [ann, bob, cat] = [await room.enter("ann"), await room.enter("bob"), await room.enter("cat")];
    return { room, ann, bob, cat };
  }

  const journey = async () => {
    const { ann, bob, cat } = await line();
    assert.deepEqual([ann.status, bob.position, cat.position, cat.length], ["ADMITTED", 1, 2, 2]);
    assert.ok(ann.token && ann.claimBy);
    const diary = diaryOf(cat);
    const session = await ann.claim();
    assert.deepEqual([session.status, session.queue], ["ACTIVE", ann.queue]);
    assert.ok(Date.parse(session.endTime) > Date.now() && session.token.split(".").length === 3);
    await session.complete();
    assert.deepEqual([ann.status, ann.reason, ann.isOver], ["COMPLETED", "completed", true]);
    assert.equal((await session.ended()).reason, "completed");

    assert.equal((await bob.admitted()).status, "ADMITTED");
    await until("Cat moves up", () => cat.position === 1);
    await bob.leave();
    assert.equal(bob.reason, "left");
    await cat.admitted();
    await (await cat.claim()).leave();
    assert.deepEqual(diary, {
      statuses: ["WAITING", "ADMITTED", "ACTIVE", "LEFT"],
      positions: [2, 1, 0],
    });
  };
  test("follows itself from the line to the end of the session", journey);
  test("does the same without a WebSocket, by asking", () => withoutWebSocket(journey));

  test("entering again, and claiming again, returns the same", async () => {
    const { room, ann, bob } = await line();
    const again = await room.enter("bob");
    assert.deepEqual([again.id, again.position], [bob.id, 1]);
    const [first, second] = [await ann.claim(), await ann.claim()];
    assert.equal(first.id, second.id);
    await assert.rejects(bob.claim(), refusal("place.unready", 409));
  });

  test("an async iterator yields the state now and after each change, and ends with the place", async () => {
    const { ann, bob } = await line();
    const seen: PlaceState[] = [];
    for await (const state of bob) {
      seen.push(state);
      if (seen.length === 1) await ann.leave();
      if (state.status === "ADMITTED") await bob.leave();
    }
    assert.deepEqual([seen[0].status, seen[0].position], ["WAITING", 1]);
    assert.ok(seen.some(({ status }) => status === "ADMITTED"));
    assert.equal(seen.at(-1)!.reason, "left");
    const rest = [];
    for await (const { status } of bob) rest.push(status);
    assert.deepEqual(rest, ["LEFT"], "of a place that is over, only the end");
  });

  test("a place that ends before it is admitted says why", async () => {
    const { room, bob } = await line();
    const admitted = assert.rejects(bob.admitted(), (error: Error & { data?: { reason?: string } }) => {
      assert.equal(error.data?.reason, "terminated");
      return refusal("place.over", 410)(error);
    });
    await room.queue.remove(bob.id);
    await admitted;
    assert.deepEqual([bob.status, bob.reason], ["EXPIRED", "terminated"]);
    await assert.rejects(bob.claim(), refusal("place.over"));
    await assert.rejects(bob.leave(), refusal("place.over"));
  });

  test("the end of the queue ends its places", async () => {
    const { room, ann, bob } = await line();
    await room.queue.end();
    assert.deepEqual([(await bob.ended()).reason, (await ann.ended()).reason], ["room_ended", "room_ended"]);
  });

  test("stopping keeps the place but not the watch, and nothing is called any more", async () => {
    const { room, ann, bob } = await line();
    const waiting = assert.rejects(bob.admitted(), refusal("client.closed"));
    const iterated = (async () => {
      for await (const { status } of bob) assert.equal(status, "WAITING");
    })();
    bob.onChange(uncalled);
    bob.stop();
    await waiting;
    await iterated;
    await ann.leave();
    assert.equal((await room.queue.position(bob.id)).status, "ADMITTED");
    const place = await room.person("bob").queue(room.id).place(bob.id);
    assert.equal(place.status, "ADMITTED");
  });

  test("a place of another person cannot be seen", async () => {
    const { room, ann } = await line();
    await assert.rejects(room.person("eve").queue(room.id).place(ann.id), refusal("place.not-found", 404));
  });
});

suite("a place after a reload", () => {
  test("is found again by the same guest, with its session, until it is over", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      const storage = sharedStorage();
      const page = () => stage.client({ storage }).queue(room.id);
      assert.equal(await page().place(), undefined);
      assert.equal(storage.kept.size, 0, "looking for a place makes no guest");
      const place = await page().enter({ metadata: { cart: 4711 } });
      assert.deepEqual((await room.queue.details(place.id)).metadata, { cart: 4711 });
      const admitted = await page().place();
      assert.deepEqual([admitted?.id, admitted?.status], [place.id, "ADMITTED"]);
      const { id } = await admitted!.claim();
      const inside = await page().place();
      assert.equal(inside?.status, "ACTIVE");
      const session = await inside!.claim();
      assert.deepEqual([session.id, (await (await page().enter()).claim()).id], [id, id]);
      await session.complete();
      assert.equal(await page().place(), undefined);
      assert.deepEqual(
        [...storage.kept.keys()].map((key) => key.split(" ")[0]),
        ["openseat.guest"],
      );
    }));

  test("is not given to the next guest of the device", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      const storage = sharedStorage();
      await stage.client({ storage }).queue(room.id).enter();
      const other = stage.client({ storage, token: tokenOf("ann") });
      assert.equal(await other.queue(room.id).place(), undefined);
    }));

  test("is over if it expired in the meantime, or the server does not know it", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      const storage = sharedStorage();
      const first = stage.client({ storage });
      const place = await first.queue(room.id).enter();
      first.close();
      await room.queue.remove(place.id);
      const [key] = [...storage.kept.keys()].filter((name) => name.startsWith("openseat.place"));
      const kept = storage.kept.get(key)!;
      assert.equal(await stage.client({ storage }).queue(room.id).place(), undefined);
      assert.equal(storage.kept.has(key), false);
      storage.kept.set(key, kept.replaceAll(place.id, `${place.id}x`));
      assert.equal(await stage.client({ storage }).queue(room.id).place(), undefined);
      assert.equal(storage.kept.has(key), false);
    }));

  test("a session that was claimed on another device is known only there", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      const place = await room.enter("ann");
      await place.claim();
      const other = await room.enter("ann");
      assert.equal(other.status, "ACTIVE");
      await assert.rejects(other.claim(), refusal("place.unready", 409));
    }));
});
