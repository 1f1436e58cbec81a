import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { FeedMessage } from "../src/live/live-link.ts";
import { type RoomKind, WatchedRoom } from "../src/live/watched-room.ts";
import { seeded } from "./support/stage.ts";

/** A room whose view and changes are versions. Only some changes come with a view. */
const kind: RoomKind<number, number> = {
  name: "arena",
  isPersonal: true,
  viewIn: ({ version }) => version,
  changesIn: ({ changes }) => changes as number[],
  after: (_, { state }) => state as number | undefined,
};

const view = (version: number): FeedMessage => ({ type: "view", version });
const change = (version: number, hasState = true): FeedMessage => ({
  type: "change",
  version,
  changes: [version],
  ...(hasState && { state: version }),
});

function watched() {
  const calls: [view: number, changes: readonly number[]][] = [];
  const errors: unknown[] = [];
  const room = new WatchedRoom(kind, "any", (error) => void errors.push(error));
  room.add({
    onView: (seen, changes) => void calls.push([seen, changes]),
    onRefused: undefined,
    isNew: true,
  });
  room.isAsked = true;
  return { room, calls, errors };
}

suite("a watched room", () => {
  test("changes without a view are held until the next view, and delivered with it", () => {
    const { room, calls } = watched();
    for (const message of [view(3), change(4, false), change(5, false)]) assert.ok(room.take(message));
    assert.deepEqual(calls, [[3, []]]);
    room.take(change(6));
    for (const message of [change(7, false), view(7), change(8, false), view(10)]) room.take(message);
    assert.deepEqual(calls.slice(1), [
      [6, [4, 5, 6]],
      [7, [7]],
      [10, [8]],
    ]);
  });

  test("duplicate messages are delivered once, and gaps are noticed", () => {
    const { room, calls } = watched();
    room.take(change(1));
    for (const message of [view(3), change(2), change(3), change(4), change(4), change(5, false)])
      assert.ok(room.take(message));
    assert.ok(room.take(change(5, false)));
    assert.equal(room.take(change(7)), false);
    assert.deepEqual(calls, [
      [3, []],
      [4, [4]],
    ]);
  });

  test("data that was restored to an older state starts anew", () => {
    const { room, calls } = watched();
    for (const message of [view(9), change(10, false), view(5), change(6)]) room.take(message);
    assert.deepEqual(calls, [
      [9, []],
      [5, []],
      [6, [6]],
    ]);
  });

  test("too many changes without a view are dropped, and a full view is requested", () => {
    const { room, calls } = watched();
    room.take(view(0));
    let version = 0;
    while (room.take(change(++version, false))) assert.ok(version < 100_000);
    assert.deepEqual([version, room.version], [20_001, undefined]);
    room.isAsked = true;
    room.take(view(version));
    assert.deepEqual(calls.at(-1), [version, []]);
  });

  test("each change is delivered once and in order, wherever the connection breaks", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seeded(seed);
      const { room, calls, errors } = watched();
      room.take(view(0));
      let head = 0;
      for (let connection = 0; connection < 20; connection++) {
        room.forgetHeld();
        room.isAsked = true;
        head += Math.floor(random() * 6);
        // Resumes like a server: the missed changes without views, then a view or a change with one.
        const messages: FeedMessage[] = [];
        for (let at = room.version! + 1; at <= head; at++) messages.push(change(at, random() < 0.2));
        messages.push(random() < 0.5 ? view(head) : change(++head));
        const arrived = connection === 19 ? messages.length : Math.floor(random() * (messages.length + 1));
        for (const message of messages.slice(0, arrived)) assert.ok(room.take(message), `seed ${seed}`);
      }
      assert.deepEqual(
        calls.flatMap(([, changes]) => changes),
        Array.from({ length: head }, (_, index) => index + 1),
        `seed ${seed}`,
      );
      for (const [shown, changes] of calls) assert.ok(changes.length === 0 || changes.at(-1) === shown);
      assert.deepEqual([room.version, errors], [head, []], `seed ${seed}`);
    }
  });
});
