import assert from "node:assert/strict";
import { type QueueCommand, type QueueEvent, type QueueRoom, queueDecider } from "@openseat/kernel";
import type { Entering, NewQueue } from "@openseat/protocol";
import type { Identity } from "../../src/app/identity.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { AdmissionProofs } from "../../src/app/queues/admission-proofs.ts";
import { pulseReader, type WaitingRooms, waitingRooms } from "../../src/app/queues/waiting-rooms.ts";
import type { Result } from "../../src/app/result.ts";
import { newSigningKey } from "../../src/config/signing-keys.ts";
import { LineBroadcast } from "../../src/feed/line-broadcast.ts";
import { Host } from "../../src/host/host.ts";
import { HeldLog } from "../support/held-log.ts";
import type { Json } from "../support/http.ts";
import { raisedEnterLimits } from "../support/limits.ts";
import { codeOf, doneOf } from "../support/results.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";

export const person = (name: string): Identity => ({ role: "person", by: name });
export const operator: Identity = { role: "operator", by: "@operator" };

const origin = { address: "203.0.113.7", userAgent: undefined };

/** Waiting rooms on a clock and a log that the test controls: all of the server except HTTP. */
export class WaitingStage {
  readonly clock: TestClock;
  readonly log: HeldLog;
  readonly errors: unknown[] = [];
  readonly host: Host;
  readonly lineBroadcast: LineBroadcast;
  readonly rooms: WaitingRooms;

  constructor({ clock, log } = { clock: new TestClock(), log: new HeldLog() }) {
    this.clock = clock;
    this.log = log;
    const onError = (error: unknown) => void this.errors.push(error);
    this.host = new Host({
      log,
      clock,
      deciders: { queue: queueDecider },
      onCommit: (committed) => this.lineBroadcast.publish(committed),
      onDoubt: (stream) => (stream ? this.lineBroadcast.catchUp(stream) : this.lineBroadcast.catchUpAll()),
      onError,
    });
    this.host.start();
    const streams = this.host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
    const now = () => clock.now();
    this.lineBroadcast = new LineBroadcast(log, clock, pulseReader(streams), onError);
    const key = newSigningKey(clock.now());
    const keys = [key];
    const proofs = new AdmissionProofs({ keys: () => keys }, "https://wait.test");
    this.rooms = waitingRooms({
      streams,
      proofs,
      lineBroadcast: this.lineBroadcast,
      enterLimit: raisedEnterLimits(),
      networks: new NetworkHashes("a secret"),
      secret: "a secret of thirty-two characters",
      now,
    });
  }

  async opened(fields: Partial<NewQueue> = {}): Promise<string> {
    const given = { title: "Stage", maxActive: 1, ...fields };
    return (await this.good(this.rooms.queues.create(operator, given))).queue.id;
  }

  enter(queue: string, name: string, given?: Entering, key?: string) {
    return this.rooms.positions.enter(person(name), queue, { given, key, origin });
  }

  /** The value of a successful use case. */
  async good(result: Result<unknown> | Promise<Result<unknown>>): Promise<Json> {
    return doneOf(await answered(Promise.resolve(result))) as Json;
  }

  /** The code of a refusal. */
  async refused(result: Result<unknown> | Promise<Result<unknown>>): Promise<string | undefined> {
    return codeOf(await answered(Promise.resolve(result)));
  }

  /** Another process on the same log, after this one has stopped. */
  async restarted(): Promise<WaitingStage> {
    await this.stop();
    return new WaitingStage(this);
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
  }
}
