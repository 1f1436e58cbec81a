import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  countsOf,
  type QueueCommand,
  type QueueEvent,
  queueDecider,
  queuePlace,
  queueStatistics,
  queueStatusOf,
} from "@openseat/kernel";
import { QueueModel } from "./queue-model.ts";
import { lanesLikeThese, type Mix, mix, randomCommand, settingsLikeThese } from "./queue-script.ts";
import { Chance, createQueue, QueueStage, type StageTerms } from "./queue-stage.ts";
import { millis, ticket } from "./room-stage.ts";

const { decide, nextDue, tick } = queueDecider;

const longLine = (chance: Chance): StageTerms => ({
  seats: 1 + chance.below(4),
  ratePerSecond: 20,
  patienceMs: chance.of([2_000, 600_000]),
  claimTimeoutMs: 300,
  sessionDurationMs: 300,
});
const long: Partial<Mix> = {
  terms: longLine,
  steps: 3_000,
  people: 100_000,
  entries: 85,
  passes: (chance) => chance.of([0, 0, 0, 1, 5]),
};
const longLines: Record<string, Mix> = {
  "all normal": mix({ ...long, lane: () => 0 }),
  "all VIP": mix({ ...long, lane: () => 2 }),
  "all premium": mix({ ...long, lane: () => 3 }),
  "any lane": mix(long),
};

function inWords(event: QueueEvent): string {
  if (event.type === "created") return event.type;
  return `${eventInWords(event)} | ${event.waiting} ${event.admitted} ${event.active} ${event.moved}`;
}

function eventInWords(event: Exclude<QueueEvent, { type: "created" }>): string {
  switch (event.type) {
    case "entered": {
      const { estimate } = event;
      assert.ok(estimate === null || estimate.low <= estimate.high);
      return `entered ${event.ticket} ${event.person} lane ${event.lane} behind ${event.behind}`;
    }
    case "admitted":
      return `admitted ${event.tickets} claim by ${event.claimBy}`;
    case "claimed":
      return `claimed ${event.ticket} until ${event.until}`;
    case "left":
      return `left ${event.ticket} ${event.reason}`;
    case "completed":
      return `completed ${event.ticket}`;
    case "ended":
      return "ended";
    case "expired":
      return `expired ${event.tickets} ${event.reason}`;
    case "taken-along":
      return `taken-along ${event.ticket}`;
    case "away":
    case "back":
      return `${event.type} ${event.tickets}`;
    case "configured":
      return `configured ${JSON.stringify(event.settings)} ${queueStatusOf(event)}`;
  }
}

/** All that has happened in any run, without the numbers. */
const met = new Set<string>();

function kindOf(happened: string): string {
  const words = happened.split(" |")[0].split(" ");
  return words[0] === "expired" || words[0] === "left" ? `${words[0]} ${words.at(-1)}` : words[0];
}

/** Both do the same command at the same time. */
function doBoth(stage: QueueStage, model: QueueModel, command: QueueCommand): void {
  model.passTo(stage.now);
  const decision = decide(stage.room, command, millis(stage.now));
  const expected = model.do(command);
  for (const words of expected) met.add(kindOf(words));
  if ("refusal" in decision) {
    assert.deepEqual([decision.refusal.code], expected);
    return;
  }
  assert.deepEqual(decision.events.map(inWords), expected);
  assert.ok(expected.length > 0, `${command.type} led to nothing`);
  stage.write(decision.events);
}

/** Everything due by `target` happens: at its time, or all of it late. */
function goOnBoth(stage: QueueStage, model: QueueModel, target: number, isLate: boolean): void {
  for (let due = nextDue(stage.room); due !== undefined && due <= target; due = nextDue(stage.room)) {
    stage.now = isLate ? target : Math.max(stage.now, due);
    doBoth(stage, model, tick);
    assertSame(stage, model);
  }
  stage.now = target;
}

function assertSame(stage: QueueStage, model: QueueModel): void {
  const { room, now } = stage;
  model.passTo(now);
  const { line, live } = model;
  assert.deepEqual(
    stage.order,
    [...line].map(({ ticket }) => ticket),
    "the order",
  );
  const [admitted, active] = [model.in("admitted").length, model.in("active").length];
  assert.deepEqual(countsOf(room), { waiting: line.length, admitted, active, moved: model.moved });
  assert.equal(queueStatusOf(room), model.paused ? "PAUSED" : "OPEN");
  assert.deepEqual(room.settings, model.settings);
  assert.equal(nextDue(room), model.nextDue, "when something is due");
  assert.equal(queueStatistics(room, millis(now)).away, line.filter(({ away }) => away).length);
  const from = live.length > 100 ? (now * 31) % live.length : 0;
  for (const place of live.slice(from, from + 100)) assertSamePlace(stage, place, line.indexOf(place) + 1);
}

function assertSamePlace(
  { room, now }: QueueStage,
  place: QueueModel["places"][number],
  position: number,
): void {
  const found = queuePlace(room, ticket(place.ticket), undefined, millis(now));
  assert.ok("state" in found);
  const { state, changedAt, enteredAt, lane } = found;
  const until = place.state === "admitted" || place.state === "active" ? place.until : undefined;
  const same =
    found.person === place.person &&
    found.position === position &&
    found.until === until &&
    found.away === place.away &&
    found.reason === place.reason &&
    [state, changedAt, enteredAt, lane].join() ===
      [place.state, place.changedAt, place.enteredAt, place.lane].join();
  // Compared by hand, for this is done a million times.
  if (!same) assert.deepEqual(found, { ...place, position, until });
}

function run(chosen: Mix, seed: number): QueueModel {
  const chance = new Chance(seed);
  const terms = chosen.terms(chance);
  const stage = new QueueStage(terms);
  const model = new QueueModel(createQueue(terms) as Extract<QueueCommand, { type: "create" }>, stage.now);
  for (let step = 0; step < chosen.steps; step++) {
    try {
      goOnBoth(stage, model, stage.now + chosen.passes(chance), chance.percent(20));
      doBoth(stage, model, randomCommand(stage, chance, step, chosen));
      assertSame(stage, model);
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}, terms ${JSON.stringify(terms)}`, { cause: error });
    }
  }
  for (const place of model.places) assertSamePlace(stage, place, model.line.indexOf(place) + 1);
  return model;
}

describe("a waiting room does what the plain list does, step by step", () => {
  for (const [name, chosen] of Object.entries(lanesLikeThese)) {
    test(`[LN1][LN2][LN3][LN4][LN5][LN6][LN7][RM2][RM3][RM4] lanes: ${name}`, () => {
      for (let seed = 1; seed <= 4; seed++) run(chosen, seed);
    });
  }
  for (const [name, chosen] of Object.entries(settingsLikeThese)) {
    test(`[AD1][AD2][AD4][AD5][AD6][AD8][LN4][LN8][RM1] settings: ${name}`, () => {
      for (let seed = 101; seed <= 104; seed++) run(chosen, seed);
    });
  }
  for (const [name, chosen] of Object.entries(longLines)) {
    test(`[LN1][LN2][LN3][LN4][LN5][LN7] a line of thousands: ${name}`, () => {
      for (let seed = 201; seed <= 202; seed++) run(chosen, seed);
    });
  }

  test("in these runs everything happens that can happen", () => {
    met.clear();
    const heldBackBy = new Set<string>();
    const mixes = [...Object.values(lanesLikeThese), ...Object.values(settingsLikeThese)];
    for (const chosen of mixes) for (const reason of run(chosen, 301).heldBackBy) heldBackBy.add(reason);
    assert.deepEqual([...heldBackBy].sort(), ["an immediate lane", "someone settled", "the same lane"]);
    assert.deepEqual([...met].sort(), [
      "admitted",
      "away",
      "back",
      "claimed",
      "code.used",
      "completed",
      "configured",
      "entered",
      "expired claim_timeout",
      "expired heartbeat_timeout",
      "expired session_timeout",
      "expired terminated",
      "lane.unknown",
      "left cancelled",
      "left left",
      "limit.address",
      "line.full",
      "place.exists",
      "place.not-found",
      "place.over",
      "place.unready",
      "queue.paused",
      "queue.running",
      "room.exists",
      "taken-along",
    ]);
  });
});
