import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultLanes,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  type QueueSettings,
} from "@openseat/kernel";
import type { NewQueue } from "@openseat/protocol";
import { Ladders, newLadderCommand } from "../../src/app/ladders/ladders.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { queueDefaults } from "../../src/app/queues/queues.ts";
import type { Result } from "../../src/app/result.ts";
import { newRoomId } from "../../src/app/rooms/rooms.ts";
import { Host } from "../../src/host/host.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { operator, person, WaitingStage } from "../queues/waiting-stage.ts";
import { freeCreation } from "../support/limits.ts";
import { codeOf } from "../support/results.ts";
import { answered, TestClock } from "../support/test-clock.ts";

/** `done`, `replayed`, or the code of the refusal. */
async function cameTo(result: Promise<Result<unknown>>): Promise<string> {
  const found = await answered(result);
  return codeOf(found) ?? ("replayed" in found && found.replayed ? "replayed" : "done");
}

test("[ID1] a queue made or changed with a key before the default burst of slow rates changed is answered again", async () => {
  const { host, rooms } = new WaitingStage();
  const streams = host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  const { by } = operator;
  const settings: QueueSettings = {
    ...queueDefaults,
    ...{ burst: 2, title: "Slow", seats: 3, ratePerSecond: 0.5 },
  };
  const made: QueueCommand = {
    type: "create",
    ...{ settings, lanes: [...defaultLanes], placesPerAddressMax: null, creator: by },
  };
  await answered(streams.ask("slow", { command: made, by, key: "make" }));
  const changes = { burst: 2, ratePerSecond: 0.25 };
  await answered(streams.ask("slow", { command: { type: "configure", changes }, by, key: "change" }));

  const given: NewQueue = { id: "slow", title: "Slow", maxActive: 3, rate: 0.5 };
  const make = (wanted: NewQueue) => cameTo(rooms.queues.create(operator, wanted, "make"));
  assert.equal(await make(given), "replayed");
  assert.equal(await make({ ...given, burst: 1 }), "key.reused");
  const change = (rate: number) => cameTo(rooms.queues.change(operator, "slow", { rate }, "change"));
  assert.equal(await change(0.25), "replayed");
  assert.equal(await change(0.125), "key.reused");
});

test("[ID1] a ladder made with a key before open ladders asked for confirmation is answered again", async () => {
  const host = new Host({
    log: new MemoryLog(),
    clock: new TestClock(),
    deciders: { ladder: ladderDecider },
  });
  host.start();
  const streams = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  const creation = freeCreation();
  const ladders = new Ladders({
    streams,
    nicknameOf: async () => null,
    creation,
    networks: new NetworkHashes("a secret"),
    isUnlisted: () => false,
  });
  const ann = person("ann");
  const given = { title: "Club" };
  const id = newRoomId("ladder", ann, "make", creation.idSecret);
  const command = newLadderCommand({ ...given, confirm: false }, ann.by);
  await answered(streams.ask(id, { command, by: ann.by, key: "make" }));
  assert.equal(await cameTo(ladders.create(ann, given, "make")), "replayed");
  assert.equal(await cameTo(ladders.create(ann, { ...given, confirm: true }, "make")), "key.reused");

  // Since then, a request that relies on the default and one that refuses it explicitly are different.
  const since = { title: "Since" };
  assert.equal(await cameTo(ladders.create(ann, since, "again")), "done");
  assert.equal(await cameTo(ladders.create(ann, since, "again")), "replayed");
  assert.equal(await cameTo(ladders.create(ann, { ...since, confirm: false }, "again")), "key.reused");
  await host.stop();
});
