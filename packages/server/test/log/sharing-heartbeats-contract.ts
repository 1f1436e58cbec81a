import assert from "node:assert/strict";
import type { Log, StreamName } from "../../src/log/log.ts";
import { type ClusterState, type RemoteHeartbeats, sharingLimits } from "../../src/log/sharing.ts";
import { testsNeeding } from "../support/needs.ts";
import { sharingOf } from "../support/sharing-of.ts";
import { type Nodes, type NodesFactory, withNodes } from "./sharing-contract.ts";

const { goneAfterMs, leaderMs, outageMs } = sharingLimits;
const send = (log: Log, received: readonly RemoteHeartbeats[] = []): Promise<ClusterState> =>
  sharingOf(log).heartbeat(received);
const isLeader = async (log: Log) => (await send(log)).isLeader;
const othersOf = async (log: Log) => [...(await send(log)).others.keys()].sort();

function heartbeatsOf(stream: StreamName, ...bytes: number[]): RemoteHeartbeats {
  return { stream, pages: Uint8Array.from(bytes) };
}
const plain = (received: readonly RemoteHeartbeats[]) =>
  received.map(({ stream, pages }) => [stream, ...pages].join(" ")).sort();

/** Nodes without a heartbeat for 2 s are gone, and PostgreSQL measures that by its own clock. */
const onNodes = (open: NodesFactory, work: (nodes: Nodes, ...logs: Log[]) => Promise<void>) =>
  withNodes(open, work, goneAfterMs / 2);

/** The contract for node heartbeats on every shared log. */
export function testHeartbeatContract(name: string, open: NodesFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  describe(`node heartbeats on ${name}`, () => {
    test(
      "[CL5] the first node to send a heartbeat is the leader, and stays it while it sends them",
      onNodes(open, async (nodes, ann, bob, cleo) => {
        const states = await Promise.all([ann, bob, cleo].map((log) => send(log)));
        const place = states.findIndex((each) => each.isLeader);
        const [first, ...rest] = [ann, bob, cleo]
          .toSpliced(place, 1)
          .toSpliced(0, 0, [ann, bob, cleo][place]);
        assert.equal(states.filter((each) => each.isLeader).length, 1);
        for (let round = 0; round < 5; round++) {
          await nodes.pass(leaderMs / 3);
          assert.deepEqual(await Promise.all(rest.map(isLeader)), [false, false]);
          assert.equal(await isLeader(first), true);
        }
      }),
    );

    test(
      "[CL5] of many concurrent heartbeats one makes the leader, and it gets the place heartbeats of all",
      onNodes(open, async (_, ann, bob, cleo) => {
        const received: RemoteHeartbeats[] = [];
        const rounds = 40;
        for (let round = 0; round < rounds; round++) {
          const told = [heartbeatsOf("queue/q", round)];
          const states = await Promise.all([ann, bob, cleo].map((log) => send(log, told)));
          assert.equal(states.filter((each) => each.isLeader).length, 1);
          for (const each of states) received.push(...each.heartbeats);
        }
        for (const log of [ann, bob, cleo]) received.push(...(await send(log)).heartbeats);
        const times = Array.from(
          { length: rounds },
          (_, round) => received.filter(({ pages }) => pages[0] === round).length,
        );
        assert.deepEqual(times, Array(rounds).fill(2));
      }),
    );

    test(
      "[CL5] when the leader is silent for too long, the next node takes over, and it does not come back",
      onNodes(open, async (nodes, ann, bob) => {
        assert.equal(await isLeader(ann), true);
        await nodes.pass(leaderMs / 3);
        assert.equal(await isLeader(bob), false);
        await nodes.pass((leaderMs * 2) / 3);
        assert.equal(await isLeader(bob), true);
        assert.equal(await isLeader(ann), false);
        assert.equal(await isLeader(bob), true);
      }),
    );

    test(
      "[CL5] when the leader leaves, the next heartbeat takes over at once; when another node leaves, nothing changes",
      onNodes(open, async (_, ann, bob, cleo) => {
        await send(ann);
        await send(bob);
        await sharingOf(bob).leave();
        assert.equal(await isLeader(cleo), false);
        await sharingOf(ann).leave();
        assert.equal(await isLeader(cleo), true);
        assert.equal(await isLeader(ann), false);
      }),
    );

    test(
      "[CL3] nodes know which others are alive and until when each has reported; silent and departed ones are gone",
      onNodes(open, async (nodes, ann, bob, cleo) => {
        assert.deepEqual(await othersOf(ann), []);
        const { at } = await send(bob);
        assert.deepEqual(
          [...(await send(ann)).others],
          [["bob", 0]],
          "it may have received a heartbeat meanwhile",
        );
        await send(bob);
        assert.deepEqual([...(await send(ann)).others], [["bob", at]]);
        assert.deepEqual(await othersOf(cleo), ["ann", "bob"]);
        await nodes.pass(goneAfterMs / 10);
        assert.deepEqual(await othersOf(ann), ["bob", "cleo"]);
        await nodes.pass(goneAfterMs);
        assert.deepEqual(await othersOf(ann), []);
        assert.deepEqual(await othersOf(bob), ["ann"]);
        await sharingOf(ann).leave();
        assert.deepEqual(await othersOf(bob), []);
        assert.deepEqual(await othersOf(ann), ["bob"], "a node that comes back is listed again");
      }),
    );

    test(
      "[CL3] place heartbeats of other nodes reach the leader once",
      onNodes(open, async (_, ann, bob, cleo) => {
        await send(ann);
        const told = [heartbeatsOf("queue/q", 1, 2, 255), heartbeatsOf("queue/r")];
        assert.deepEqual((await send(bob, told)).heartbeats, []);
        assert.deepEqual((await send(cleo, [heartbeatsOf("queue/q", 9)])).heartbeats, []);
        const own = [heartbeatsOf("queue/own", 4)];
        assert.deepEqual(plain((await send(ann, own)).heartbeats), [
          "queue/q 1 2 255",
          "queue/q 9",
          "queue/r",
        ]);
        assert.deepEqual((await send(ann)).heartbeats, []);
        await send(bob, [heartbeatsOf("queue/q", 3)]);
        assert.deepEqual(plain((await send(ann)).heartbeats), ["queue/q 3"]);
      }),
    );

    test(
      "[CL3] place heartbeats that no leader has fetched reach the next one",
      onNodes(open, async (nodes, ann, bob, cleo) => {
        await send(ann);
        await send(bob, [heartbeatsOf("queue/q", 1)]);
        await nodes.pass(leaderMs);
        const next = await send(cleo, [heartbeatsOf("queue/own", 2)]);
        assert.equal(next.isLeader, true);
        assert.deepEqual(plain(next.heartbeats), ["queue/q 1"]);
        await send(bob, [heartbeatsOf("queue/q", 3)]);
        await sharingOf(cleo).leave();
        assert.deepEqual(plain((await send(ann)).heartbeats), ["queue/q 3"]);
      }),
    );

    test(
      "[CL5] the start of service moves after an outage, and only then",
      onNodes(open, async (nodes, ann, bob) => {
        const first = await send(ann);
        assert.equal(first.servedSince, first.at);
        const servedFor = async (log: Log) => {
          const { at, servedSince } = await send(log);
          return at - servedSince;
        };
        for (let round = 1; round <= 4; round++) {
          await nodes.pass(outageMs / 4);
          assert.ok((await servedFor(round % 2 === 0 ? ann : bob)) >= (round * outageMs) / 4);
        }
        await sharingOf(ann).leave();
        assert.ok((await servedFor(bob)) >= outageMs, "at least one node was always there");
        await nodes.pass(outageMs);
        assert.equal(await servedFor(ann), 0);
        await nodes.pass(outageMs / 4);
        assert.ok((await servedFor(bob)) >= outageMs / 4);
      }),
    );
  });
}
