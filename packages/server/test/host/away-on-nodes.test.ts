import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  defaultLanes,
  type PersonId,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
  type TicketNumber,
} from "@openseat/kernel";
import { sharingLimits } from "../../src/log/sharing.ts";
import { answered } from "../support/test-clock.ts";
import { Nodes, type OneNode } from "./nodes.ts";

const awayAfterMs = 36_000;
/** At the latest: a window and a span, and until it is known whom the others have heard of (CL2). */
const awayMsMax = 1.5 * awayAfterMs + 4_000;

const settings = {
  title: "Tickets",
  seats: 1,
  ratePerSecond: null,
  burst: 1,
  lineLengthMax: 1_000,
  patienceMs: 600_000,
  heartbeatTimeoutMs: 60_000,
  claimTimeoutMs: 3_600_000,
  sessionDurationMs: 3_600_000,
  sessionTimeoutMs: null,
  returnAddresses: [],
};

/** Two nodes, of which the first is the caretaker, and a queue with one inside and these in the line, from ticket 2 on. */
class Line {
  readonly nodes = new Nodes();
  a!: OneNode;
  b!: OneNode;

  static async of(...names: string[]): Promise<Line> {
    const line = new Line();
    line.a = await line.nodes.start({ deciders: { queue: queueDecider } });
    line.b = await line.nodes.start({ deciders: { queue: queueDecider } });
    await line.ask({
      type: "create",
      settings,
      lanes: defaultLanes,
      placesPerAddressMax: null,
      creator: "@operator",
    });
    for (const name of ["inside", ...names])
      await line.ask({ type: "enter", person: name as PersonId, lane: 0, onBehalf: false });
    return line;
  }

  on({ host }: OneNode) {
    return host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  }

  ask(command: QueueCommand) {
    return answered(this.on(this.b).ask("q", { command, by: "ann" }));
  }

  heardOn(node: OneNode, ...tickets: number[]): void {
    for (const ticket of tickets) this.on(node).heard("q", ticket as TicketNumber);
  }

  /** Time passes, in which these are heard of on that node. */
  async pass(ms: number, node: OneNode, ...tickets: number[]): Promise<void> {
    for (let left = ms; left > 0; left -= 2_000) {
      await this.nodes.clock.advance(Math.min(2_000, left));
      this.heardOn(node, ...tickets);
    }
  }

  /** Who went and came back, in order. */
  async told(): Promise<string[]> {
    const entries = await this.nodes.entries<QueueEvent>("queue/q");
    return entries.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.type === "away" || event.type === "back" ? [`${event.type} ${event.tickets}`] : [],
      ),
    );
  }

  async admitted(): Promise<number[]> {
    const entries = await this.nodes.entries<QueueEvent>("queue/q");
    return entries.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "admitted" ? event.tickets : [])),
    );
  }
}

describe("people who are away, on several nodes", () => {
  test("[LN11] [LN12] [CL2] a place that any node hears of is there; one that no node hears of is passed over by all", async () => {
    const line = await Line.of("gone", "there");
    await line.pass(awayMsMax, line.b, 3);
    assert.deepEqual(await line.told(), ["away 2"]);
    await line.ask({ type: "leave", ticket: 1 as TicketNumber, person: undefined });
    assert.deepEqual(await line.admitted(), [1, 3]);
    await line.a.stop();
    await line.b.stop();
  });

  test("[LN11] [CL2] a heartbeat on another node than the caretaker brings people back with its next beat", async () => {
    const line = await Line.of("ann", "bob");
    await line.pass(awayMsMax, line.b, 3);
    line.heardOn(line.b, 2);
    await line.nodes.clock.advance(2 * sharingLimits.beatMs);
    assert.deepEqual(await line.told(), ["away 2", "back 2"]);
    const held = line.on(line.b).hold("q", 2 as TicketNumber);
    await line.pass(2 * awayMsMax, line.b, 3);
    assert.deepEqual(await line.told(), ["away 2", "back 2"], "nor is a live connection away");
    held.release();
    await line.a.stop();
    await line.b.stop();
  });

  test("[LS4] [CL3] when the caretaker dies, nobody is away before a full window, and who was away stays so until heard of", async () => {
    const line = await Line.of("ann", "bob", "cid");
    await line.pass(awayMsMax, line.b, 3, 4);
    await line.nodes.clock.advance(1_000);
    line.a.crash();
    await line.nodes.clock.advance(awayAfterMs - 5_000);
    assert.equal(line.b.host.isCaretaker, true);
    assert.deepEqual(await line.told(), ["away 2"]);
    line.heardOn(line.b, 2);
    await line.pass(awayMsMax, line.b, 2, 3);
    assert.deepEqual(await line.told(), ["away 2", "back 2", "away 4"]);
    await line.b.stop();
  });

  test("[LN11] [CL4] somebody is back while no turn can be had: it is tried again with each heartbeat of the node, not all the time", async () => {
    const line = await Line.of("ann", "bob");
    await line.pass(awayMsMax, line.b, 3);
    line.nodes.isLost = (_, what) => what.startsWith("commit");
    const before = line.a.errors.length;
    line.heardOn(line.a, 2);
    await line.nodes.clock.advance(20 * sharingLimits.beatMs);
    const failed = line.a.errors.length - before;
    assert.ok(failed > 1 && failed < 50, `${failed} turns failed`);
    line.nodes.isLost = () => false;
    await line.nodes.clock.advance(2 * sharingLimits.beatMs);
    assert.deepEqual(await line.told(), ["away 2", "back 2"]);
    await line.a.stop();
    await line.b.stop();
  });

  test("[LS4] time in which the log was away makes nobody away", async () => {
    const line = await Line.of("ann");
    await line.nodes.clock.advance(awayAfterMs - 5_000);
    line.nodes.isLost = () => true;
    await line.nodes.clock.advance(10_000);
    line.nodes.isLost = () => false;
    await line.nodes.clock.advance(awayAfterMs - 1_000);
    assert.deepEqual(await line.told(), []);
    await line.nodes.clock.advance(awayMsMax);
    assert.deepEqual((await line.told()).slice(0, 1), ["away 2"]);
    await line.a.stop();
    await line.b.stop();
  });
});
