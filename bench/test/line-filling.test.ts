import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countsOf,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
  type TicketNumber,
} from "@openseat/kernel";
import { Host, MemoryLog, systemClock } from "@openseat/server";
import { fillLine, laneOf } from "../src/line-filling.ts";
import { queueSeats } from "../src/room-settings.ts";

test("a filled line has as many waiting as were ordered, each in their lane", async () => {
  const host = new Host({ log: new MemoryLog(), clock: systemClock, deciders: { queue: queueDecider } });
  const lines = host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  const lanes = [0, 2, 3, 1];
  let entered = 0;
  await fillLine(lines, { queue: "long", waiting: 3_000, lanes, keyStart: "00000000" }, (count) => {
    entered = count;
  });
  const found = await lines.read("long", (room) => {
    const tickets = Array.from({ length: room!.roster.tickets }, (_, index) => index + 1);
    return {
      ...countsOf(room!),
      lanes: tickets.map((ticket) => room!.particulars.laneOf(ticket as TicketNumber)),
    };
  });
  assert.ok("value" in found);
  assert.equal(entered, 3_000 + queueSeats);
  assert.equal(found.value.waiting, 3_000);
  assert.equal(found.value.admitted, queueSeats);
  assert.deepEqual(
    found.value.lanes,
    found.value.lanes.map((_, index) => laneOf(index + 1, lanes)),
  );
  await host.stop();
});
