import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Millis, type QueueEvent, type QueueRoom, queueDecider } from "@openseat/kernel";
import { lanesLikeThese, randomCommand, settingsLikeThese } from "./queue-script.ts";
import { about, Chance, enter, QueueStage, settings } from "./queue-stage.ts";
import { millis, ticket } from "./room-stage.ts";

const { decide, evolve } = queueDecider;
type Events = readonly QueueEvent[];

/** A story with every type of event: the events of each entry. */
function story(): { stage: QueueStage; entries: Events[] } {
  const stage = new QueueStage({ seats: 2, ratePerSecond: 1, burst: 2 });
  const entries = [
    stage.enter("ann"),
    stage.enter("bob"),
    stage.enter("cid"),
    stage.enter("dan"),
    stage.at(2_000).do(about("claim", 1, "ann")),
    stage.do(about("complete", 1)),
    stage.do(about("leave", 4)),
    stage.do(about("terminate", 2)),
    stage.do({ type: "pause" }),
    stage.enter("eve", 3),
    stage.do({ type: "expire", tickets: [ticket(5)], reason: "heartbeat_timeout" }),
    stage.do({ type: "configure", changes: { seats: 5 } }),
    stage.do({ type: "resume" }),
  ];
  return { stage, entries };
}

describe("entries", () => {
  test("[RM5][AD4] every event has the person, ticket, reason, deadline and counts, in the entry of its command", () => {
    const { entries, stage } = story();
    const kept = { lane: 0, behind: 0 };
    const estimate = (event: QueueEvent) => (event.type === "entered" ? event.estimate : undefined);
    const told = ({ estimate: _, askAgain: __, ...event }: Record<string, unknown>) => event;
    assert.deepEqual(
      entries.map((events) => events.map((event) => told(event as unknown as Record<string, unknown>))),
      [
        [
          { type: "entered", ticket: 1, person: "ann", ...kept, ...counts(1, 0, 0, 0) },
          { type: "admitted", tickets: [1], claimBy: 31_000, ...counts(0, 1, 0, 1) },
        ],
        [
          { type: "entered", ticket: 2, person: "bob", ...kept, ...counts(1, 1, 0, 1) },
          { type: "admitted", tickets: [2], claimBy: 31_000, ...counts(0, 2, 0, 2) },
        ],
        [{ type: "entered", ticket: 3, person: "cid", ...kept, ...counts(1, 2, 0, 2) }],
        [{ type: "entered", ticket: 4, person: "dan", ...kept, ...counts(2, 2, 0, 2) }],
        [{ type: "claimed", ticket: 1, person: "ann", until: 62_000, ...counts(2, 1, 1, 2) }],
        [
          { type: "completed", ticket: 1, ...counts(2, 1, 0, 2) },
          { type: "admitted", tickets: [3], claimBy: 32_000, ...counts(1, 2, 0, 3) },
        ],
        [{ type: "left", ticket: 4, reason: "cancelled", ...counts(0, 2, 0, 3) }],
        [{ type: "expired", tickets: [2], reason: "terminated", ...counts(0, 1, 0, 3) }],
        [{ type: "configured", settings: stageSettings(2), paused: true, ...counts(0, 1, 0, 3) }],
        [{ type: "entered", ticket: 5, person: "eve", lane: 3, behind: 0, ...counts(1, 1, 0, 3) }],
        [{ type: "expired", tickets: [5], reason: "heartbeat_timeout", ...counts(0, 1, 0, 3) }],
        [{ type: "configured", settings: stageSettings(5), paused: true, ...counts(0, 1, 0, 3) }],
        [{ type: "configured", settings: stageSettings(5), paused: false, ...counts(0, 1, 0, 3) }],
      ],
    );
    assert.deepEqual(
      entries.slice(0, 4).map(([entered]) => estimate(entered)),
      [null, null, { low: 0, high: 30 }, { low: 1, high: 60 }],
    );
    const last = stage.goOn(32_000);
    assert.deepEqual(last, [
      { type: "expired", tickets: [3], reason: "claim_timeout", ...counts(0, 0, 0, 3) },
    ]);
  });

  test("[RM5][AD8] a session ends by itself at its maximum length, after claims that have run out", () => {
    const stage = new QueueStage({ seats: 3, claimTimeoutMs: 10_000, sessionDurationMs: 8_000 });
    for (const name of ["ann", "bob", "cid", "dan", "eve"]) stage.enter(name);
    stage.at(3_000).do(about("claim", 2));
    const events = stage.at(11_000).wake();
    assert.deepEqual(events, [
      { type: "expired", tickets: [1, 3], reason: "claim_timeout", ...counts(2, 0, 1, 3) },
      { type: "expired", tickets: [2], reason: "session_timeout", ...counts(2, 0, 0, 3) },
      { type: "admitted", tickets: [4, 5], claimBy: 21_000, ...counts(0, 2, 0, 5) },
    ]);
  });

  test("[RM5] leaving a session has another reason than leaving the line", () => {
    const stage = new QueueStage({ seats: 2 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    stage.do(about("claim", 2));
    const reasons = [1, 2, 3].map((number) => {
      const [left] = stage.do(about("leave", number));
      return left.type === "left" && left.reason;
    });
    assert.deepEqual(reasons, ["left", "left", "left"], "cid was admitted when ann left");
    stage.do({ type: "pause" });
    stage.enter("dan");
    assert.deepEqual(stage.do(about("leave", 4)), [
      { type: "left", ticket: 4, reason: "cancelled", ...counts(0, 0, 0, 3) },
    ]);
  });

  test("[LN10] the entry has the known data of an arrival, and no defaults for unknown data", () => {
    const stage = new QueueStage();
    const arrival = { metadata: '{"a":1}', address: "hash", userAgent: "curl" };
    const command = enter("ann");
    assert.ok(command.type === "enter");
    const [entered] = stage.do({ ...command, ...arrival });
    assert.ok(entered.type === "entered");
    const { metadata, address, userAgent } = entered;
    assert.deepEqual({ metadata, address, userAgent }, arrival);
    const [bare] = stage.enter("bob");
    assert.ok(!("metadata" in bare) && !("address" in bare) && !("userAgent" in bare));
  });
});

function counts(waiting: number, admitted: number, active: number, moved: number) {
  return { waiting, admitted, active, moved };
}
function stageSettings(seats: number) {
  return { ...settings, ratePerSecond: 1, burst: 2, seats };
}

/** The room before the last event of the log, and that event. */
function beforeTheLast(stage: QueueStage): { room: QueueRoom; event: QueueEvent; at: Millis } {
  const before = new QueueStage();
  before.log = stage.log.slice(0, -1);
  const last = stage.entries.at(-1)!;
  const [event, ...others] = last.events.toReversed();
  if (others.length > 0) before.log.push(JSON.stringify({ ...last, events: others.toReversed() }));
  return { room: before.replayed, event, at: last.at };
}

describe("an impossible log is rejected", () => {
  test("[RM2][RM5] wrong counts, in any event of any run", () => {
    let tried = 0;
    for (const chosen of [lanesLikeThese["any lane"], settingsLikeThese["many seats"]]) {
      const chance = new Chance(5);
      const stage = new QueueStage(chosen.terms(chance));
      for (let step = 0; step < 120; step++) {
        stage.goOn(stage.now + chosen.passes(chance));
        const decision = decide(stage.room, randomCommand(stage, chance, step, chosen), millis(stage.now));
        if (!("events" in decision)) continue;
        stage.write(decision.events);
        for (const count of ["waiting", "admitted", "active", "moved"] as const) {
          for (const by of [1, -1, undefined]) {
            const { room, event, at } = beforeTheLast(stage);
            if (event.type === "created") continue;
            const wrong = { ...event, [count]: by === undefined ? undefined : event[count] + by };
            assert.throws(() => evolve(room, wrong as QueueEvent, at, 1), /Impossible/, event.type);
            tried++;
          }
        }
      }
    }
    assert.ok(tried > 1_000);
  });

  test("[RM4][RM5] a duplicate entry", () => {
    const { stage } = story();
    let room: QueueRoom | undefined;
    for (const { at, version, events } of stage.entries) {
      for (const event of events) room = evolve(room, event, at, version);
      if (events.every(({ type }) => type === "configured")) continue;
      const copy = queueDecider.snapshots.restore(structuredClone(queueDecider.snapshots.save(room!)));
      assert.throws(
        () => events.reduce((state, event) => evolve(state, event, at, version), copy),
        /Impossible/,
        JSON.stringify(events),
      );
    }
  });

  test("[RM5] an unknown event, an event before the creation, or a second creation", () => {
    const { stage } = story();
    const room = () => stage.replayed;
    const same = counts(0, 1, 0, 3);
    const unknown = { type: "renamed", ...same } as unknown as QueueEvent;
    assert.throws(() => evolve(room(), unknown, millis(9_000), 1), /unknown type/);
    const left = { type: "left", ticket: ticket(3), reason: "left", ...same } as const;
    assert.throws(() => evolve(undefined, left, millis(9_000), 1), /before the waiting room was created/);
    const created = stage.entries[0].events[0];
    assert.throws(() => evolve(room(), created, millis(9_000), 1), /created twice/);
  });

  /** Ann has claimed, bob is admitted, cid and dan wait, and eve has left. */
  function standing(): QueueRoom {
    const stage = new QueueStage({ seats: 2, ratePerSecond: 1, burst: 2 });
    for (const name of ["ann", "bob", "cid", "dan", "eve"]) stage.enter(name);
    stage.do(about("claim", 1));
    stage.do(about("leave", 5));
    return stage.room;
  }
  const entered = (ticket: number, lane: number, behind: number, person = "fay") => ({
    ...{ type: "entered", person, ticket, lane, behind, estimate: null, askAgain: 1, ...counts(3, 1, 1, 2) },
  });
  const admitted = (ticket: number, waiting = 2) => ({
    ...{ type: "admitted", tickets: [ticket], claimBy: 9, ...counts(waiting, 2, 1, 3) },
  });
  const claimed = (ticket: number, person: string) => ({
    ...{ type: "claimed", ticket, person, until: 9, ...counts(2, 0, 2, 2) },
  });
  const completed = (ticket: number, waiting: number, unclaimed: number) => ({
    ...{ type: "completed", ticket, ...counts(waiting, unclaimed, 1, 2) },
  });
  const left = (ticket: number) => ({ type: "left", ticket, reason: "left", ...counts(2, 1, 0, 2) });
  const twice = { type: "expired", tickets: [3, 3], reason: "heartbeat_timeout", ...counts(0, 1, 1, 2) };
  const impossible: Record<string, object> = {
    "[RM3] a second live place of one person": entered(6, 0, 0, "dan"),
    "[LN1] a ticket that is not the next": entered(7, 0, 0),
    "[LN1] a ticket given before": entered(5, 0, 0),
    "[LN2] an unknown lane": entered(6, 4, 0),
    "[LN2] more behind than wait": entered(6, 3, 3),
    "[RM2] more people than seats": admitted(3, 1),
    "[RM4] admitting someone who is inside": admitted(2),
    "[RM4] admitting someone who is over": admitted(5),
    "[RM4] admitting nobody's ticket": admitted(600),
    "[RM4] claiming from the line": claimed(3, "cid"),
    "[RM4] claiming twice": claimed(1, "ann"),
    "[RM4] completing what was not claimed": completed(2, 2, 0),
    "[RM4] completing from the line": completed(3, 1, 1),
    "[RM4] leaving what is over": left(5),
    "[RM4] leaving what never was": left(99),
    "[RM4] one that expires twice": twice,
  };
  for (const [name, event] of Object.entries(impossible)) {
    test(`${name} is refused`, () => {
      assert.throws(() => evolve(standing(), event as QueueEvent, millis(1_000), 1), /Impossible/);
    });
  }

  test("[AD3] more admissions than the rate allows", () => {
    const stage = new QueueStage({ seats: 9, ratePerSecond: 1, burst: 1 });
    for (const name of ["ann", "bob", "cid"]) stage.enter(name);
    const admitted = (tickets: number[], moved: number) =>
      ({
        type: "admitted",
        tickets,
        claimBy: 9,
        ...counts(3 - moved, moved, 0, moved),
      }) as unknown as QueueEvent;
    assert.throws(() => evolve(stage.replayed, admitted([2], 2), millis(1_999), 1), /the rate allows/);
    assert.throws(() => evolve(stage.replayed, admitted([2, 3], 3), millis(2_000), 1), /the rate allows/);
    assert.equal(evolve(stage.replayed, admitted([2], 2), millis(2_000), 1).moved, 2);
  });
});
