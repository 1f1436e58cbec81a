import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type QueueEvent, queueDecider, queueStatistics } from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { askAgainMsMax } from "../src/queue/pace/ask-again.ts";
import { throughBytes } from "./decider-stage.ts";
import { about, enter, QueueStage } from "./queue-stage.ts";
import { millis, ticket } from "./room-stage.ts";

const awayLease = queueDecider.presence!.leases[2];
const now = millis(0);
const away = (...tickets: number[]) => ({ type: "away", tickets: tickets.map(ticket) }) as const;
const back = (...tickets: number[]) => ({ type: "back", tickets: tickets.map(ticket) }) as const;

function admittedBy(events: readonly QueueEvent[]): readonly number[] {
  return events.flatMap((event) => (event.type === "admitted" ? event.tickets : []));
}

/** A queue with one person inside, and this many in the line, with tickets from 2 on. */
function lineOf(people: number, terms: ConstructorParameters<typeof QueueStage>[0] = {}): QueueStage {
  const stage = new QueueStage({ seats: 1, claimTimeoutMs: 1e9, ...terms });
  stage.enter("inside");
  for (let number = 2; number <= people + 1; number++) stage.enter(`p${number}`);
  return stage;
}

/** Frees the seat. */
const freed = (stage: QueueStage) => stage.do(about("leave", insideOf(stage)));
const insideOf = ({ room }: QueueStage) => [...room.agenda][0];

describe("a person who is away", () => {
  test("[LN11] is not admitted, and keeps ticket and position; people behind are admitted", () => {
    const stage = lineOf(4);
    stage.do(away(2, 3));
    assert.deepEqual(admittedBy(freed(stage)), [4]);
    assert.deepEqual(stage.order, [2, 3, 5]);
    const { position, away: isAway, state } = stage.placeOf(2);
    assert.deepEqual([position, isAway, state], [1, true, "waiting"]);
    assert.equal(queueStatistics(stage.room, millis(stage.now)).away, 2);
  });

  test("[LN6][LN12] counts in the positions of others", () => {
    const stage = lineOf(3);
    stage.do(away(2));
    assert.deepEqual([stage.placeOf(3).position, stage.placeOf(3).away], [2, false]);
  });

  test("[LN12][LN4] takes the next free seat once they are back, before the people behind", () => {
    const stage = lineOf(4);
    stage.do(away(2));
    assert.deepEqual(admittedBy(freed(stage)), [3]);
    assert.deepEqual(stage.do(back(2)), [
      { type: "back", tickets: [2], waiting: 3, admitted: 1, active: 0, moved: 2 },
    ]);
    assert.deepEqual(admittedBy(freed(stage)), [2]);
    assert.deepEqual(stage.order, [4, 5]);
  });

  test("[LN12] does not affect where newcomers are placed", () => {
    const stage = lineOf(2);
    stage.do(away(2, 3));
    const [entered, admitted] = stage.enter("premium", 3);
    assert.ok(entered.type === "entered");
    assert.equal(entered.behind, 2, "nobody is settled yet, so premium goes to the front");
    assert.equal(admitted, undefined);
    assert.deepEqual(stage.order, [4, 2, 3]);
  });

  test("[AD4][LN12] when everybody in the line is away, the front is admitted", () => {
    const stage = lineOf(3);
    stage.do(away(2, 3, 4));
    assert.deepEqual(admittedBy(freed(stage)), [2]);
    assert.deepEqual(stage.order, [3, 4]);
  });

  test("[AD4][LN12] present people are admitted first, then people who are away, while there are seats", () => {
    const stage = lineOf(5);
    stage.do(away(2, 4));
    const events = stage.do({ type: "configure", changes: { seats: 5 } });
    assert.deepEqual(admittedBy(events), [3, 5, 6, 2]);
    assert.deepEqual(stage.order, [4]);
  });

  test("[AD4] causes an admission by becoming away, if people behind need no token", () => {
    const stage = lineOf(1, { seats: 3, ratePerSecond: 0.001, burst: 1, patienceMs: 0 });
    stage.at(stage.now + 1);
    assert.deepEqual(admittedBy(stage.enter("premium", 3)), [], "nobody overtakes a place past patience");
    assert.deepEqual(admittedBy(stage.do(away(2))), [3]);
  });

  test("[AD4] is admitted on coming back, if they need no token", () => {
    const stage = new QueueStage({ seats: 1, ratePerSecond: 0.001, burst: 1, claimTimeoutMs: 1e9 });
    stage.enter("inside");
    stage.enter("premium", 3);
    stage.enter("normal");
    stage.do(away(2));
    assert.deepEqual(admittedBy(freed(stage)), [], "no token yet for the next person");
    assert.deepEqual(admittedBy(stage.do(back(2))), [2]);
  });

  test("[LN12] is no longer away after leaving, expiring or being admitted", () => {
    const stage = lineOf(4);
    stage.do(away(2, 3, 4, 5));
    stage.do(about("leave", 2));
    stage.do({ type: "expire", tickets: [ticket(3)], reason: "heartbeat_timeout" });
    assert.deepEqual(admittedBy(freed(stage)), [4]);
    assert.equal(queueStatistics(stage.room, millis(stage.now)).away, 1);
    for (const number of [2, 3, 4]) assert.equal(stage.placeOf(number).away, false);
  });

  test("[LN12] does not enter a second time", () => {
    const stage = lineOf(2);
    stage.do(away(2));
    assert.equal(stage.refusal(enter("p2")).code, "place.exists");
  });

  test("[LN11] going away twice or coming back while present is a bug of the host", () => {
    const stage = lineOf(2);
    stage.do(away(2));
    const decide = (command: ReturnType<typeof away> | ReturnType<typeof back>) =>
      queueDecider.decide(stage.room, command, millis(stage.now));
    for (const number of [1, 2, 9]) assert.throws(() => decide(away(number)), /Impossible/);
    for (const number of [1, 3, 9]) assert.throws(() => decide(back(number)), /Impossible/);
  });
});

describe("when a person becomes away", () => {
  const windowMs = (heartbeatTimeoutMs: number) => awayLease.windowMs(lineOf(1, { heartbeatTimeoutMs }).room);

  test("[LN11] after one and a half times the longest interval for asking again", () => {
    for (const heartbeatTimeoutMs of [5_000, 10_000, 60_000, 150_000, 600_000, 3_600_000]) {
      const ms = windowMs(heartbeatTimeoutMs);
      assert.equal(ms, 1.5 * askAgainMsMax({ heartbeatTimeoutMs }));
      assert.ok(1.5 * ms <= heartbeatTimeoutMs, "before the place may expire");
    }
    assert.equal(windowMs(60_000), 36_000);
    assert.equal(windowMs(3_600_000), 90_000);
  });

  test("[LN11] never where the lease is too short, or in an empty line", () => {
    assert.equal(windowMs(4_999), undefined);
    assert.equal(awayLease.windowMs(new QueueStage().room), undefined);
  });

  test("[LN11] people without heartbeats become away, front first; people with heartbeats come back", () => {
    const stage = lineOf(6);
    assert.equal(
      awayLease.lapse(stage.room, () => true, now),
      undefined,
    );
    const isPresent = (number: number) => number % 2 === 0;
    assert.deepEqual(awayLease.lapse(stage.room, isPresent, now), away(3, 5, 7));
    stage.do(away(3, 5, 7));
    assert.equal(awayLease.lapse(stage.room, isPresent, now), undefined, "they are already away");
    assert.deepEqual(
      awayLease.lapse(stage.room, (number) => number < 6, now),
      back(3, 5),
    );
    stage.do(back(3, 5));
    assert.deepEqual(
      awayLease.lapse(stage.room, (number) => number < 6, now),
      away(6),
    );
  });

  test("[LN11] once the lease is too short, people who are away can only come back", () => {
    const stage = lineOf(3);
    stage.do(away(2));
    stage.do({ type: "configure", changes: { heartbeatTimeoutMs: 1_000 } });
    assert.equal(awayLease.windowMs(stage.room), 1_000);
    assert.equal(
      awayLease.lapse(stage.room, () => false, now),
      undefined,
    );
    assert.deepEqual(
      awayLease.lapse(stage.room, () => true, now),
      back(2),
    );
    stage.do(back(2));
    assert.equal(awayLease.windowMs(stage.room), undefined);
  });

  test("[LN11][LS3] a crowd becomes away and comes back in several entries", () => {
    const max = queueLimits.eventTicketsMax;
    const stage = lineOf(2 * max + 5);
    const sizes = (isPresent: boolean) => {
      const found: number[] = [];
      for (;;) {
        const command = awayLease.lapse(stage.room, () => isPresent, now);
        if (!command) return found;
        assert.ok(command.type === (isPresent ? "back" : "away"));
        found.push(command.tickets.length);
        stage.do(command);
      }
    };
    const before = stage.order;
    assert.deepEqual(sizes(false), [max, max, 5]);
    assert.deepEqual(sizes(true), [max, max, 5]);
    assert.deepEqual(stage.order, before);
  });
});

describe("the log of people who were away", () => {
  test("[LG5][LN11] gives the same room when replayed, as does a snapshot", () => {
    const stage = lineOf(6);
    stage.do(away(2, 3, 5));
    stage.do(back(3));
    const saved = throughBytes(stage.saved);
    for (const room of [stage.replayed, queueDecider.snapshots.restore(saved)]) {
      assert.deepEqual(queueDecider.snapshots.save(room), stage.saved);
      assert.deepEqual([...room.line.asideToArray()], [2, 5]);
      const decided = queueDecider.decide(room, about("leave", 1), millis(stage.now));
      assert.ok("events" in decided);
      assert.deepEqual(admittedBy(decided.events), [3]);
    }
  });

  test("[LG5] a snapshot from before places could be away restores a line in which none is", () => {
    const stage = lineOf(3);
    const { head, columns } = throughBytes(stage.saved);
    assert.equal("away" in columns, false, "without away places, snapshots have the old format");
    const room = queueDecider.snapshots.restore({ head, columns });
    assert.equal(room.line.asideCount, 0);
  });
});

test("[LN12] admissions behind a crowd that is away are as fast as others", () => {
  const crowd = 200_000;
  const stage = new QueueStage({ seats: 1, claimTimeoutMs: 1e9 });
  stage.keepsLog = false;
  stage.enter("inside");
  for (let number = 2; number <= crowd + 1; number++) stage.enter(`p${number}`);
  for (let number = 2; number <= crowd; number += queueLimits.eventTicketsMax) {
    const tickets = Array.from({ length: queueLimits.eventTicketsMax }, (_, index) => number + index);
    stage.do(away(...tickets.filter((each) => each <= crowd)));
  }
  // Looking at each of them every time would take two thousand million steps.
  for (let time = 0; time < 10_000; time++) {
    stage.enter(`new-${time}`);
    const [, admitted] = freed(stage);
    assert.ok(admitted.type === "admitted" && admitted.tickets[0] > crowd);
  }
});
