import assert from "node:assert/strict";
import type { Log, StreamName } from "../../src/log/log.ts";
import { type Beat, type RemoteHeartbeats, sharingLimits } from "../../src/log/sharing.ts";
import { testsNeeding } from "../support/needs.ts";
import { sharingOf } from "../support/sharing-of.ts";
import { type Nodes, type NodesFactory, withNodes } from "./sharing-contract.ts";

const { goneAfterMs, leaderMs, outageMs } = sharingLimits;
const beat = (log: Log, heard: readonly RemoteHeartbeats[] = []): Promise<Beat> => sharingOf(log).beat(heard);
const isLeader = async (log: Log) => (await beat(log)).isLeader;
const othersOf = async (log: Log) => [...(await beat(log)).others.keys()].sort();

function heardOf(stream: StreamName, ...bytes: number[]): RemoteHeartbeats {
  return { stream, pages: Uint8Array.from(bytes) };
}
const plain = (heard: readonly RemoteHeartbeats[]) =>
  heard.map(({ stream, pages }) => [stream, ...pages].join(" ")).sort();

/** Nodes without a heartbeat for 2 s are gone, and PostgreSQL measures that by its own clock. */
const withBeats = (open: NodesFactory, work: (nodes: Nodes, ...logs: Log[]) => Promise<void>) =>
  withNodes(open, work, goneAfterMs / 2);

/** The contract for node heartbeats on every shared log. */
export function testBeatContract(name: string, open: NodesFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  describe(`node heartbeats on ${name}`, () => {
    test(
      "[CL5] the first node to send a heartbeat is the leader, and stays it while it sends them",
      withBeats(open, async (nodes, ann, bob, cleo) => {
        const beats = await Promise.all([ann, bob, cleo].map((log) => beat(log)));
        const place = beats.findIndex((each) => each.isLeader);
        const [first, ...rest] = [ann, bob, cleo]
          .toSpliced(place, 1)
          .toSpliced(0, 0, [ann, bob, cleo][place]);
        assert.equal(beats.filter((each) => each.isLeader).length, 1);
        for (let round = 0; round < 5; round++) {
          await nodes.pass(leaderMs / 3);
          assert.deepEqual(await Promise.all(rest.map(isLeader)), [false, false]);
          assert.equal(await isLeader(first), true);
        }
      }),
    );

    test(
      "[CL5] of many concurrent heartbeats one makes the leader, and it gets the place heartbeats of all",
      withBeats(open, async (_, ann, bob, cleo) => {
        const heard: RemoteHeartbeats[] = [];
        const rounds = 40;
        for (let round = 0; round < rounds; round++) {
          const told = [heardOf("queue/q", round)];
          const beats = await Promise.all([ann, bob, cleo].map((log) => beat(log, told)));
          assert.equal(beats.filter((each) => each.isLeader).length, 1);
          for (const each of beats) heard.push(...each.heard);
        }
        for (const log of [ann, bob, cleo]) heard.push(...(await beat(log)).heard);
        const times = Array.from(
          { length: rounds },
          (_, round) => heard.filter(({ pages }) => pages[0] === round).length,
        );
        assert.deepEqual(times, Array(rounds).fill(2));
      }),
    );

    test(
      "[CL5] when the leader is silent for too long, the next node takes over, and it does not come back",
      withBeats(open, async (nodes, ann, bob) => {
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
      withBeats(open, async (_, ann, bob, cleo) => {
        await beat(ann);
        await beat(bob);
        await sharingOf(bob).leave();
        assert.equal(await isLeader(cleo), false);
        await sharingOf(ann).leave();
        assert.equal(await isLeader(cleo), true);
        assert.equal(await isLeader(ann), false);
      }),
    );

    test(
      "[CL3] nodes know which others are alive and until when each has reported; silent and departed ones are gone",
      withBeats(open, async (nodes, ann, bob, cleo) => {
        assert.deepEqual(await othersOf(ann), []);
        const { at } = await beat(bob);
        assert.deepEqual(
          [...(await beat(ann)).others],
          [["bob", 0]],
          "it may have heard of somebody on its way",
        );
        await beat(bob);
        assert.deepEqual([...(await beat(ann)).others], [["bob", at]]);
        assert.deepEqual(await othersOf(cleo), ["ann", "bob"]);
        await nodes.pass(goneAfterMs / 10);
        assert.deepEqual(await othersOf(ann), ["bob", "cleo"]);
        await nodes.pass(goneAfterMs);
        assert.deepEqual(await othersOf(ann), []);
        assert.deepEqual(await othersOf(bob), ["ann"]);
        await sharingOf(ann).leave();
        assert.deepEqual(await othersOf(bob), []);
        assert.deepEqual(await othersOf(ann), ["bob"], "one that comes back is there again");
      }),
    );

    test(
      "[CL3] place heartbeats of other nodes reach the leader once",
      withBeats(open, async (_, ann, bob, cleo) => {
        await beat(ann);
        const told = [heardOf("queue/q", 1, 2, 255), heardOf("queue/r")];
        assert.deepEqual((await beat(bob, told)).heard, []);
        assert.deepEqual((await beat(cleo, [heardOf("queue/q", 9)])).heard, []);
        const own = [heardOf("queue/own", 4)];
        assert.deepEqual(plain((await beat(ann, own)).heard), ["queue/q 1 2 255", "queue/q 9", "queue/r"]);
        assert.deepEqual((await beat(ann)).heard, []);
        await beat(bob, [heardOf("queue/q", 3)]);
        assert.deepEqual(plain((await beat(ann)).heard), ["queue/q 3"]);
      }),
    );

    test(
      "[CL3] place heartbeats that no leader has fetched reach the next one",
      withBeats(open, async (nodes, ann, bob, cleo) => {
        await beat(ann);
        await beat(bob, [heardOf("queue/q", 1)]);
        await nodes.pass(leaderMs);
        const next = await beat(cleo, [heardOf("queue/own", 2)]);
        assert.equal(next.isLeader, true);
        assert.deepEqual(plain(next.heard), ["queue/q 1"]);
        await beat(bob, [heardOf("queue/q", 3)]);
        await sharingOf(cleo).leave();
        assert.deepEqual(plain((await beat(ann)).heard), ["queue/q 3"]);
      }),
    );

    test(
      "[CL5] the start of service moves after an outage, and only then",
      withBeats(open, async (nodes, ann, bob) => {
        const first = await beat(ann);
        assert.equal(first.servedSince, first.at);
        const servedFor = async (log: Log) => {
          const { at, servedSince } = await beat(log);
          return at - servedSince;
        };
        for (let round = 1; round <= 4; round++) {
          await nodes.pass(outageMs / 4);
          assert.ok((await servedFor(round % 2 === 0 ? ann : bob)) >= (round * outageMs) / 4);
        }
        await sharingOf(ann).leave();
        assert.ok((await servedFor(bob)) >= outageMs, "nobody was left alone");
        await nodes.pass(outageMs);
        assert.equal(await servedFor(ann), 0);
        await nodes.pass(outageMs / 4);
        assert.ok((await servedFor(bob)) >= outageMs / 4);
      }),
    );
  });
}
