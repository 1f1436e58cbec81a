import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameEvent, Millis, QueueEvent } from "@openseat/kernel";
import type { Entry } from "../../src/log/entry.ts";
import type { Answer } from "../support/http.ts";
import { assertGameTimers, assertKept, assertOrder, assertSeats } from "./judge.ts";
import type { Act } from "./people.ts";

/** What the judge of three nodes under fire would say of logs that are wrong: a judge that finds nothing proves nothing. */
function entriesWith<Event>(...all: readonly (readonly [at: number, ...events: object[]])[]): Entry<Event>[] {
  return all.map(([at, ...events], index) => ({
    ...{ format: 1, version: index + 1, at: at as Millis, by: "ann", command: "?", key: `key-${index + 1}` },
    events: events as never,
  }));
}

const joined = (ticket: number, person: string) => ({ type: "joined", ticket, person, place: "active" });

test("[RM2] [RM3] the judge notices a seat too many, a second place, a view of what never was", () => {
  const game = (...events: object[]) => entriesWith<GameEvent>(...events.map((event) => [0, event] as const));
  const good = game(joined(1, "ann"), joined(2, "bob"), { type: "left", ticket: 1, person: "ann" });
  assertSeats(good, 2, [{ version: 2, seated: 2 }]);
  assert.throws(() => assertSeats(good, 1, []), /2 on 1 seats at 2/);
  assert.throws(() => assertSeats(good, 2, [{ version: 3, seated: 2 }]), /at 3/);
  assert.throws(() => assertSeats(game(joined(1, "ann"), joined(2, "ann")), 9, []), /two places/);
  assert.throws(() => assertSeats(game(joined(1, "ann"), joined(1, "bob")), 9, []), /given twice/);
});

test("[LG3] [ID1] the judge notices what is lost, what was refused and done, and a key that took effect twice", () => {
  const entries = entriesWith<GameEvent>([5, joined(1, "ann")]);
  const act = (key: string, status: number, answeredAt = 9): Act => ({
    ...{ room: "game", kind: "join", person: "ann", key, path: "", call: {}, answeredAt, isDoubtful: false },
    answer: { status, text: "", headers: {}, body: {} } as Answer,
  });
  assertKept(entries, [act("key-1", 200), act("key-2", 400)]);
  assert.throws(() => assertKept(entries, [act("key-1", 200), act("key-2", 200)]), /is lost: key-2/);
  assert.throws(() => assertKept(entries, [act("key-1", 400)]), /was refused: key-1/);
  assert.throws(() => assertKept(entries, [act("key-1", 200, -1_000)]), /before it was/);
  assert.throws(() => assertKept([...entries, ...entries], [act("key-1", 200)]), /twice/);
  assert.throws(() => assertKept(entries, []), /nobody was answered/);
});

test("[LN1] [AD3] [LS1] the judge notices who is overtaken, an admission too soon, and an expiry too soon", () => {
  const entered = (ticket: number) => ({ type: "entered", ticket });
  const admitted = (...tickets: number[]) => ({ type: "admitted", tickets });
  const terms = { seats: 2, rate: 1, burst: 1, leaseMs: 5_000 };
  const check = (entries: Entry<QueueEvent>[], signs: number[] = []) =>
    assertOrder(
      entries,
      terms,
      signs.map((sentAt) => ({ ticket: 2, sentAt, answeredAt: sentAt })),
    );
  const line = [[0, entered(1)] as const, [0, entered(2)] as const, [0, entered(3)] as const];
  check(entriesWith(...line, [0, admitted(1)], [1_000, admitted(2)]));
  assert.throws(() => check(entriesWith(...line, [0, admitted(2)])), /order at 4/);
  assert.throws(
    () => check(entriesWith(...line, [0, admitted(1)], [999, admitted(2)])),
    /2 admitted in 999 ms/,
  );
  const all = [[0, admitted(1)] as const, [1_000, admitted(2)] as const, [2_000, admitted(3)] as const];
  assert.throws(() => check(entriesWith(...line, ...all)), /3 inside/);
  const expired = { type: "expired", tickets: [2], reason: "heartbeat_timeout" };
  check(entriesWith(...line, [9_000, expired]), [3_000]);
  check(entriesWith(...line, [9_000, expired]), [3_000, 8_500]);
  const tooSoon = (signs: number[]) => () => check(entriesWith(...line, [9_000, expired]), signs);
  assert.throws(tooSoon([4_500]), /a silence of 4500 ms/);
  assert.throws(tooSoon([4_900, 8_500]), /a silence of 3600 ms/);
  assert.throws(() => check(entriesWith(...line, [4_000, expired])), /a silence of 4000 ms/);
});

test("[LN11] [LN12] the judge notices an absence too soon, a return of somebody who was there, and an admission of who is away", () => {
  const entered = (ticket: number) => ({ type: "entered", ticket });
  const [away, back] = [
    (ticket: number) => ({ type: "away", tickets: [ticket] }),
    { type: "back", tickets: [1] },
  ];
  const admitted = (...tickets: number[]) => ({ type: "admitted", tickets });
  const check = (entries: Entry<QueueEvent>[], signs: number[] = []) =>
    assertOrder(
      entries,
      { seats: 2, rate: 1, burst: 2, leaseMs: 5_000 },
      signs.map((sentAt) => ({ ticket: 1, sentAt, answeredAt: sentAt })),
    );
  const line = [[0, entered(1)] as const, [0, entered(2)] as const];
  const gone = [...line, [3_000, away(1)] as const];
  check(entriesWith(...gone, [4_000, admitted(2)]));
  check(entriesWith(...gone, [4_000, admitted(2, 1)]));
  check(entriesWith(...gone, [4_000, back], [4_000, admitted(1)]));
  assert.throws(() => check(entriesWith(...gone, [4_000, admitted(1)])), /order at 4/);
  assert.throws(() => check(entriesWith(...gone, [4_000, back], [4_000, admitted(2)])), /order at 5/);
  assert.throws(() => check(entriesWith(...gone), [1_000]), /1 went away after a silence of 2000 ms/);
  assert.throws(() => check(entriesWith(...gone, [4_000, away(1)])), /1 went away at 4/);
  assert.throws(() => check(entriesWith(...line, [4_000, back])), /1 came back at 3/);
});

test("[CL5] the judge notices a timer that is late, unless nobody could have been served", () => {
  const created = { type: "created", title: "", seats: 1, waitlist: false, endsAt: 5_000, creator: "ann" };
  const ended = (at: number) =>
    entriesWith<GameEvent>([0, created], [at, { type: "ended", reason: "end_time", seated: 0, waiting: 0 }]);
  const within = (deadline: number | undefined) => ({ deadlineOf: () => deadline });
  assertGameTimers(ended(5_900), within(6_000), 20_000);
  assertGameTimers(ended(9_000), within(undefined), 20_000);
  assert.throws(() => assertGameTimers(ended(9_000), within(6_000), 20_000), /3000 ms too late/);
  assert.throws(() => assertGameTimers(ended(9_000).slice(0, 1), within(6_000), 20_000), /14000 ms too late/);
});
