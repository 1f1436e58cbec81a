import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  countsOf,
  livePlaceIn,
  type QueuePlace,
  queueDecider,
  queuePlace,
  queueStatistics,
} from "@openseat/kernel";
import { queueLimits } from "../src/queue/limits.ts";
import { Roster } from "../src/room/roster.ts";
import { about, Chance, enter, QueueStage } from "./queue-stage.ts";
import { millis, person, ticket, withLimits } from "./room-stage.ts";

const { save, restore } = queueDecider.snapshots;

/** With fewer places kept than by default: otherwise hundreds of thousands of people would have to come and go. */
const keepingFew = (run: () => void) => () => withLimits(queueLimits, { overKeptMax: 2_048 }, run);

/** A room with a rate so low that only premium people get in: they come and go, the others stay. */
function stageWithStayers(): QueueStage {
  const stage = new QueueStage({ seats: 10, ratePerSecond: 0.001, burst: 1, sessionDurationMs: 10_000_000 });
  stage.keepsLog = false;
  stage.enter("inside");
  stage.do(about("claim", 1, "inside"));
  for (let number = 0; number < 6; number++) stage.enter(`waits-${number}`, number % 3);
  return stage;
}

function passThrough(stage: QueueStage, people: number, look: () => void = () => {}): void {
  for (let number = 0; number < people; number++) {
    stage.enter(`passes-${stage.room.roster.tickets}`, 3);
    const newest = stage.room.roster.tickets;
    if (number % 3 === 0) stage.do(about("claim", newest));
    stage.do(about(number % 3 === 0 ? "complete" : "leave", newest));
    if (number % 500 === 0) look();
  }
}

function placeOf(stage: QueueStage, number: number): Partial<QueuePlace> {
  const { estimate: _, askAgainSeconds: __, ...place } = stage.placeOf(number);
  return place;
}

describe("forgetting places that are over", () => {
  const passing = 30_000;
  test(
    "[RM4][LN5] many people pass through; memory stays small, tickets rise, those who stay are unharmed",
    keepingFew(() => {
      const stage = stageWithStayers();
      const stayers = [1, 2, 3, 4, 5, 6, 7];
      const before = stayers.map((number) => placeOf(stage, number));
      const order = stage.names;
      let rememberedMost = 0;
      passThrough(stage, passing, () => {
        rememberedMost = Math.max(rememberedMost, stage.room.roster.remembered);
      });
      assert.ok(rememberedMost <= queueLimits.overKeptMax + 10, `${rememberedMost} were remembered`);
      const saved = stage.saved;
      const bytes = Object.values(saved.columns).reduce((sum, column) => sum + column.byteLength, 0);
      assert.ok(bytes < 100 * queueLimits.overKeptMax, `${bytes} bytes are saved`);

      assert.equal(stage.room.roster.tickets, passing + 7);
      assert.equal(queueStatistics(stage.room, millis(stage.now)).entered, passing + 7);
      assert.deepEqual(countsOf(stage.room), { waiting: 6, admitted: 0, active: 1, moved: passing + 1 });
      assert.deepEqual(
        stayers.map((number) => placeOf(stage, number)),
        before,
      );
      assert.deepEqual(stage.names, order);
      assert.equal(livePlaceIn(stage.room, person("inside"), millis(stage.now))?.ticket, 1);
      assert.equal(stage.refusal(enter("inside")).code, "place.exists");
      assert.deepEqual(stage.refusal(enter("waits-3")).data, { ticket: 5 });

      stage.enter("passes-8", 1);
      assert.equal(
        livePlaceIn(stage.room, person("passes-8"), millis(stage.now))?.ticket,
        passing + 8,
        "comes anew",
      );
      stage.do(about("complete", 1, "inside"));
      stage.do(about("leave", passing + 8, "passes-8"));
      const admitted: string[] = [];
      for (let turn = 0; turn < 6; turn++) {
        const [front] = stage.names;
        stage.goOn(stage.now + 1_000_000);
        admitted.push(front);
      }
      assert.deepEqual(admitted, order, "all are admitted, in the order of the line");
      assert.deepEqual(countsOf(stage.room), { waiting: 0, admitted: 1, active: 0, moved: passing + 7 });
    }),
  );

  test(
    "[RM4] a place long gone is refused with `place.over` whatever is asked; one that never was is not found",
    keepingFew(() => {
      const stage = stageWithStayers();
      passThrough(stage, queueLimits.overKeptMax + 1);
      const { roster } = stage.room;
      assert.ok(!roster.remembers(8) && roster.remembers(7) && roster.remembers(roster.tickets));
      for (const type of ["leave", "claim", "complete", "terminate"] as const) {
        for (const by of [undefined, "passes-7", "somebody-else"])
          assert.equal(stage.refusal(about(type, 8, by)).code, "place.over");
        for (const never of [0, -1, roster.tickets + 1])
          assert.equal(stage.refusal(about(type, never)).code, "place.not-found");
      }
      const asked = queuePlace(stage.room, ticket(8), person("passes-7"), millis(stage.now));
      assert.equal("refusal" in asked && asked.refusal.code, "place.over");
      assert.equal(placeOf(stage, roster.tickets).state, "left", "the newest are still remembered");
    }),
  );

  test(
    "[LN8] those who are there are never forgotten, even when they are many more than those who are over",
    keepingFew(() => {
      const stage = new QueueStage({ seats: 3, ratePerSecond: null, patienceMs: 0 });
      stage.keepsLog = false;
      const waiting = queueLimits.overKeptMax + 1_000;
      for (let number = 0; number < waiting; number++) stage.enter(`w${number}`);
      for (let number = 0; number < queueLimits.overKeptMax + 1; number++) {
        stage.enter(`c${number}`);
        stage.do(about("leave", stage.room.roster.tickets));
      }
      const { roster } = stage.room;
      assert.equal(roster.remembered, roster.tickets, "most places are live, so none was forgotten");
      for (let number = 0; number < 1_000; number++) {
        stage.enter(`d${number}`);
        stage.do(about("leave", roster.tickets));
      }
      assert.ok(roster.remembered < roster.tickets, "now most are over");
      assert.equal(stage.room.line.length, waiting - 3);
      assert.deepEqual(stage.names.slice(0, 3), ["w3", "w4", "w5"]);
      assert.equal(placeOf(stage, waiting).position, waiting - 3);
    }),
  );

  test("room.tickets-exhausted: the last ticket that fits in four bytes is given, and none after it", () => {
    const { head, columns } = save(new QueueStage({ seats: 1 }).room);
    const stage = new QueueStage();
    stage.room = restore({ head: { ...head, tickets: 0xffffffff - 2 }, columns });
    stage.enter("ann");
    stage.enter("bob", 3);
    assert.deepEqual(stage.order, [0xffffffff]);
    assert.equal(stage.refusal(enter("cid")).code, "room.tickets-exhausted");
    stage.do(about("leave", 0xffffffff - 1));
    assert.equal(placeOf(stage, 0xffffffff).state, "admitted");
  });
});

describe("the roster", () => {
  test("gives the same answers for every ticket as a complete list, however often it forgets", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const chance = new Chance(seed);
      let roster = new Roster();
      const model: { person: string; isLive: boolean; at: number }[] = [];
      for (let step = 0; step < 400; step++) {
        if (chance.percent(60)) {
          const name = person(`p${chance.below(300)}`);
          if (roster.livePlace(name)) continue;
          assert.equal(roster.enter(name, "waiting", millis(step)), model.length + 1);
          model.push({ person: name, isLive: true, at: step });
        } else if (chance.percent(85)) {
          const number = 1 + chance.below(model.length);
          if (!model[number - 1]?.isLive) continue;
          roster.move(ticket(number), "left", millis(step));
          model[number - 1].isLive = false;
        } else {
          const newest = chance.of([0, 0, 3, 20, 1_000]);
          const rows = roster.forgetOver(newest);
          assert.equal(rows.length, roster.remembered);
          const living = model.filter(({ isLive }) => isLive).length;
          assert.ok(roster.remembered <= living + newest, "no more ended places than are to be kept");
          if (chance.percent(50)) roster = Roster.restore(structuredClone(roster.save()), model.length);
        }
        assertSameRoster(roster, model);
      }
    }
  });
});

function assertSameRoster(
  roster: Roster,
  model: readonly { person: string; isLive: boolean; at: number }[],
): void {
  assert.equal(roster.tickets, model.length);
  let row = 0;
  model.forEach((place, index) => {
    const number = ticket(index + 1);
    // Live places are always remembered; the newest of those that are over may be.
    if (place.isLive) assert.ok(roster.remembers(number));
    if (!roster.remembers(number)) {
      assert.equal(roster.rowOf(number), -1);
      assert.equal(roster.rowsUpTo(number), row);
      return;
    }
    assert.equal(roster.rowOf(number), row++);
    assert.equal(roster.rowsUpTo(number), row);
    assert.equal(roster.ticketAt(row - 1), number);
    const { person: name, enteredAt, state } = roster.place(number);
    assert.deepEqual([name, enteredAt, state], [place.person, place.at, place.isLive ? "waiting" : "left"]);
    if (place.isLive) assert.equal(roster.livePlace(name)?.ticket, number);
  });
  assert.equal(roster.remembered, row);
  assert.equal(roster.remembers(model.length + 1), false);
  assert.equal(roster.remembers(0), false);
}
