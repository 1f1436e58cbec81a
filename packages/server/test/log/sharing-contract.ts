import assert from "node:assert/strict";
import type { Millis } from "@openseat/kernel";
import { type Tail, tailEntriesMax, type Wanted } from "../../src/log/commit.ts";
import type { Append, StreamName } from "../../src/log/log.ts";
import type { StreamAdvanced } from "../../src/log/sharing.ts";
import { testsNeeding } from "../support/needs.ts";
import { againIfLate } from "../support/patience.ts";
import { sharingOf } from "../support/sharing-of.ts";
import { until } from "../support/test-clock.ts";
import { appendTo, assertWhole, fill, type LadderLog, linesOf } from "./contract.ts";
import { asRows, matchRow, playersCalled } from "./ladder-contract.ts";
import { sending } from "./outbox-contract.ts";
import { addTogether, Replica, versionsOf } from "./replica.ts";

/** Nodes on one log that starts empty. */
export interface Nodes {
  /** Starts one more node. */
  start(name: string): Promise<LadderLog>;
  /** Breaks this node's connections; it keeps running. */
  cut(name: string): Promise<void>;
  /** Advances the log's clock by this time. */
  pass(ms: number): Promise<void>;
  dispose(): Promise<void>;
}
export type NodesFactory = () => Promise<Nodes>;

/**
 * Starts as many nodes as the test names, and stops them with it. `realMsMax` is for cases that depend on a real clock: the
 * test must not take longer than that.
 */
export function withNodes<N extends Nodes>(
  open: () => Promise<N>,
  work: (nodes: N, ...logs: LadderLog[]) => Promise<void>,
  realMsMax = Number.POSITIVE_INFINITY,
) {
  return () =>
    againIfLate(async (inTime) => {
      const nodes = await open();
      try {
        const names = ["ann", "bob", "cleo"].slice(0, work.length - 1);
        const logs: LadderLog[] = [];
        for (const name of names) logs.push(await nodes.start(name));
        await inTime(realMsMax, () => work(nodes, ...logs));
      } finally {
        await nodes.dispose();
      }
    });
}

const textsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).events[0].text);

/** The contract for commits on every shared log. */
export function testTurnContract(name: string, open: NodesFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  describe(`shared commits on ${name}`, () => {
    test(
      "[CL2] a commit without new entries gets an empty tail, and its decision is durable",
      withNodes(open, async (_, ann, bob) => {
        const replica = new Replica(ann, "game/a");
        assert.equal(await replica.add("one", 3), "committed");
        assert.equal(await replica.add("two"), "committed");
        assert.deepEqual(await bob.head("game/a"), { version: 4, hash: replica.hash });
        assert.equal(await assertWhole(bob, "game/a"), 4);
      }),
    );

    test(
      "[CL2] a commit gets other nodes' batches even if it appends nothing",
      withNodes(open, async (_, ann, bob) => {
        const batches = await fill(ann, "game/a", [2, 3]);
        const [other] = await fill(ann, "game/b", [1]);
        const wanted: Wanted[] = [
          { stream: "game/b", after: 1, hash: other.hash },
          { stream: "game/a", after: 2, hash: batches[0].hash },
          { stream: "game/none", after: 0, hash: "" },
        ];
        let seen: readonly Tail[] = [];
        const outcomes = await bob.commit(wanted, (tails) => {
          seen = tails;
          return wanted.map(() => undefined);
        });
        assert.deepEqual(outcomes, ["committed", "committed", "committed"]);
        const { lines, hash } = batches[1];
        assert.deepEqual(seen, [[], [{ first: 3, lines, hash }], []]);
        assert.equal(await bob.head("game/none"), undefined);
      }),
    );

    test(
      "[CL2] of two concurrent commits, the second gets what was committed while it waited",
      withNodes(open, async (_, ann, bob) => {
        await fill(ann, "game/a", [1]);
        const [one, two] = [new Replica(ann, "game/a"), new Replica(bob, "game/a")];
        for (let round = 0; round < 50; round++) {
          const outcomes = await Promise.all([one.add(`ann ${round}`), two.add(`bob ${round}`)]);
          assert.deepEqual(outcomes, ["committed", "committed"]);
        }
        assert.equal(await assertWhole(ann, "game/a"), 101);
      }),
    );

    test(
      "[CL2] two nodes with a thousand commits each on one stream lose nothing, and conflict only at its creation",
      withNodes(open, async (_, ann, bob) => {
        const turns = 1_000;
        const conflicts: number[] = [];
        const count = async (log: LadderLog, who: string) => {
          const replica = new Replica(log, "game/counter");
          for (let turn = 0; turn < turns; turn++) {
            while ((await replica.add(`${who}-${turn}`)) === "conflict") conflicts.push(turn);
          }
        };
        await Promise.all([count(ann, "ann"), count(bob, "bob")]);
        assert.equal(await assertWhole(bob, "game/counter"), 2 * turns);
        // In an encoded entry, the version comes after the text.
        const said = textsOf(await linesOf(ann, "game/counter")).map((text) => text.split(" ")[0]);
        for (const who of ["ann", "bob"]) {
          const theirs = said.filter((text) => text.startsWith(who));
          assert.deepEqual(
            theirs,
            Array.from({ length: turns }, (_, turn) => `${who}-${turn}`),
          );
        }
        assert.ok(conflicts.length <= 1 && conflicts.every((turn) => turn === 0), `${conflicts}`);
      }),
    );

    test(
      "[CL2] commits over the same streams in opposite orders do not deadlock",
      withNodes(open, async (_, ann, bob, cleo) => {
        const streams: StreamName[] = ["game/x", "game/y", "game/z"];
        for (const stream of streams) await fill(ann, stream, [1]);
        const take = async (log: LadderLog, order: readonly StreamName[]) => {
          const replicas = order.map((stream) => new Replica(log, stream));
          for (let round = 0; round < 60; round++)
            assert.deepEqual(await addTogether(replicas, "x"), ["committed", "committed", "committed"]);
        };
        await Promise.all([
          take(ann, streams),
          take(bob, streams.toReversed()),
          take(cleo, ["game/y", "game/z", "game/x"]),
        ]);
        for (const stream of streams) assert.equal(await assertWhole(cleo, stream), 181);
      }),
    );

    test(
      "[LG1] nodes that create the same streams at once each know which are theirs",
      withNodes(open, async (_, ann, bob) => {
        for (let round = 0; round < 20; round++) {
          const streams: StreamName[] = [`game/a${round}`, `game/b${round}`, `game/c${round}`];
          const make = (log: LadderLog, order: readonly StreamName[]) =>
            addTogether(
              order.map((stream) => new Replica(log, stream)),
              "mine",
            );
          const [byAnn, byBob] = await Promise.all([make(ann, streams), make(bob, streams.toReversed())]);
          const taken = byAnn.map((outcome, place) =>
            [outcome, byBob.toReversed()[place]].filter((each) => each === "committed"),
          );
          assert.ok(
            taken.every(({ length }) => length > 0),
            "each was made by some node",
          );
          assert.deepEqual(
            await versionsOf(ann, streams),
            taken.map(({ length }) => length),
          );
          for (const stream of streams) await assertWhole(bob, stream);
        }
      }),
    );

    test(
      "[CL2] an exception in decide is rethrown, nothing is written, and the stream is unlocked",
      withNodes(open, async (_, ann, bob) => {
        const [first] = await fill(ann, "game/a", [1]);
        const wanted = [
          { stream: "game/a", after: 1, hash: first.hash },
          { stream: "game/b", after: 0, hash: "" },
        ] as const;
        const mistake = new Error("a mistake");
        const failing = ann.commit(wanted, () => {
          throw mistake;
        });
        await assert.rejects(failing, (error) => error === mistake);
        const outcomes = await addTogether(
          [new Replica(bob, "game/a"), new Replica(bob, "game/b")],
          "after it",
        );
        assert.deepEqual(outcomes, ["committed", "committed"]);
        assert.deepEqual(await versionsOf(ann, ["game/a", "game/b"]), [2, 1]);
        assert.equal(await new Replica(ann, "game/a").add("and ann again"), "committed");
      }),
    );

    test(
      "[CL2] nothing is decided in a stream that is further behind than a commit reads",
      withNodes(open, async (_, ann, bob) => {
        const [first] = await fill(ann, "game/long", [1, tailEntriesMax - 1, 1]);
        await fill(ann, "game/short", [1]);
        const head = (await ann.head("game/long"))!;
        const { hash } = (await ann.head("game/short"))!;
        const long = { stream: "game/long", after: 0, hash: "" } as const;
        const short = { stream: "game/short", after: 1, hash } as const;
        const seen: Tail[] = [];
        const outcomes = await bob.commit([long, short], (tails) => {
          seen.push(...tails);
          return [appendTo("game/long", head.version, head.hash), appendTo("game/short", 1, hash)];
        });
        assert.deepEqual(outcomes, ["behind", "committed"]);
        assert.deepEqual(seen, ["long", []]);
        assert.deepEqual(await versionsOf(bob, ["game/long", "game/short"]), [head.version, 2]);
        const outcome = await bob.commit([{ ...long, after: 1, hash: first.hash }], ([tail]) => {
          assert.ok(typeof tail !== "string");
          assert.equal(tail.flatMap(({ lines }) => lines).length, tailEntriesMax, "whole batches");
          return [undefined];
        });
        assert.deepEqual(outcome, ["committed"]);
      }),
    );

    test(
      "[CL6] nothing is decided in a stream whose memory differs from the log; other streams of the commit continue",
      withNodes(open, async (_, ann, bob) => {
        const [first, second] = await fill(ann, "game/a", [2, 3]);
        const [other] = await fill(ann, "game/b", [1]);
        const wrong = "0".repeat(64);
        const forks: Wanted[] = [
          { stream: "game/a", after: 5, hash: wrong },
          { stream: "game/a", after: 2, hash: wrong },
          { stream: "game/a", after: 2, hash: second.hash },
          { stream: "game/a", after: 3, hash: first.hash },
          { stream: "game/a", after: 6, hash: second.hash },
          { stream: "game/gone", after: 1, hash: wrong },
        ];
        const good = new Replica(bob, "game/b");
        for (const fork of forks) {
          const outcomes = await bob.commit([fork, good.wanted], ([forked, tail]) => {
            assert.equal(forked, "forked", JSON.stringify(fork));
            good.absorb(tail);
            const append = good.next("x");
            good.version = append.after + 1;
            good.hash = append.hash;
            return [appendTo(fork.stream, fork.after, fork.hash), append];
          });
          assert.deepEqual(outcomes, ["forked", "committed"]);
        }
        assert.equal(other.after, 0);
        assert.deepEqual(await versionsOf(ann, ["game/a", "game/b", "game/gone"]), [5, 1 + forks.length, 0]);
        for (const stream of ["game/a", "game/b"] as const) await assertWhole(bob, stream);
      }),
    );

    test(
      "[CL2] effects, rows, due times and listings are committed with their entries",
      withNodes(open, async (_, ann, bob) => {
        const rows = asRows({
          ...playersCalled(["Ada", "Bea"]),
          matches: [matchRow(1, [1, 2], [0, 0], "pending")],
        });
        const due = 77 as Millis;
        const append: Append = { ...sending("ladder/l", ["told"], "conversation/c"), rows, due };
        const wanted = [{ stream: "ladder/l", after: 0, hash: "" }] as const;
        assert.deepEqual(await ann.commit(wanted, () => [append]), ["committed"]);
        const told = (await bob.outbox(0, 10)).map(({ from, version, to, body }) => [
          from,
          version,
          to,
          body,
        ]);
        assert.deepEqual(told, [["ladder/l", 1, "conversation/c", { text: "told" }]]);
        const query = { stream: "ladder/l", status: "pending", order: "newest", limit: 5 } as const;
        assert.deepEqual(
          (await bob.ladders.matches(query)).map(({ number }) => number),
          [1],
        );
        assert.deepEqual(await bob.due(due, 5), ["ladder/l"]);
        assert.deepEqual((await bob.list({ kind: "ladder", limit: 5 }))[0].summary, append.listing.summary);
      }),
    );

    test(
      "[CL4] a node whose connections broke recovers by itself, and no stream stays locked",
      withNodes(open, async (nodes, ann, bob) => {
        const replica = new Replica(ann, "game/a");
        assert.equal(await replica.add("before"), "committed");
        const under = ann.commit([replica.wanted], () => [undefined]).catch(() => "broken");
        await nodes.cut("ann");
        await under;
        assert.equal(await new Replica(bob, "game/a").add("meanwhile"), "committed");
        assert.equal(await eventually(() => replica.add("after")), "committed");
        assert.equal(await assertWhole(ann, "game/a"), 3);
      }),
    );
  });
}

/** Retries until it is not refused, limited by the log's own timeouts. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** The contract for announcements on every shared log. */
export function testHintContract(name: string, open: NodesFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  const streamsOf = (received: readonly (readonly StreamAdvanced[] | undefined)[]) =>
    received.flatMap((advanced) => advanced ?? []);
  const meet = async (...logs: LadderLog[]) => {
    for (const log of [...logs, ...logs]) await sharingOf(log).heartbeat([]);
  };
  const listening = async (log: LadderLog) => {
    const received: (readonly StreamAdvanced[] | undefined)[] = [];
    sharingOf(log).listen((advanced) => void received.push(advanced));
    await until(
      () => received.includes(undefined),
      "it is notified that it may have missed earlier announcements",
    );
    return received;
  };

  describe(`announcements among nodes on ${name}`, () => {
    test(
      "[CL1] heads include everything acknowledged before the query",
      withNodes(open, async (_, ann, bob) => {
        assert.deepEqual(await versionsOf(bob, []), []);
        assert.deepEqual(await versionsOf(bob, ["game/a", "game/b"]), [0, 0]);
        await fill(ann, "game/b", [2]);
        const replica = new Replica(ann, "game/a");
        for (let round = 1; round <= 100; round++) {
          await replica.add("x");
          assert.deepEqual(await versionsOf(bob, ["game/b", "game/a", "game/b"]), [2, round, 2]);
        }
      }),
    );

    test(
      "[CL1] an announcement reaches the other nodes asynchronously, and not its sender",
      withNodes(open, async (_, ann, bob, cleo) => {
        const [byAnn, byBob, byCleo] = await Promise.all([ann, bob, cleo].map(listening));
        await meet(ann, bob, cleo);
        const advanced = { stream: "game/a", version: 7, hasEffects: true } as const;
        sharingOf(ann).announce([]);
        sharingOf(ann).announce([advanced]);
        assert.deepEqual(streamsOf(byBob), []);
        await until(
          () => streamsOf(byBob).length > 0 && streamsOf(byCleo).length > 0,
          "both have been notified",
        );
        sharingOf(bob).announce([{ ...advanced, version: 8, hasEffects: false }]);
        await until(
          () => streamsOf(byAnn).length > 0 && streamsOf(byCleo).length > 1,
          "the others have been notified",
        );
        assert.deepEqual(streamsOf(byAnn), [{ ...advanced, version: 8, hasEffects: false }]);
        assert.deepEqual(streamsOf(byBob), [advanced]);
        assert.deepEqual(streamsOf(byCleo), [advanced, { ...advanced, version: 8, hasEffects: false }]);
      }),
    );

    test(
      "[CL1] all announcements arrive, in order per stream",
      withNodes(open, async (_, ann, bob) => {
        const received = await listening(bob);
        await meet(ann, bob);
        const long = "n".repeat(90);
        const rounds = 3;
        for (let version = 1; version <= rounds; version++)
          sharingOf(ann).announce(
            Array.from({ length: 300 }, (_, n) => ({
              stream: `game/${long}${n}` as StreamName,
              version,
              hasEffects: n % 2 === 0,
            })),
          );
        const latest = () => new Map(streamsOf(received).map(({ stream, version }) => [stream, version]));
        const areAllThere = () => latest().size === 300 && [...latest().values()].every((v) => v === rounds);
        await until(areAllThere, "all have been announced");
        for (const [index, { stream, version }] of streamsOf(received).entries()) {
          const later = streamsOf(received.slice(index + 1)).filter((advanced) => advanced.stream === stream);
          assert.ok(later.every((advanced) => advanced.version >= version));
        }
      }),
    );

    test(
      "[CL1] a node that may have missed announcements is notified, and receives later ones",
      withNodes(open, async (nodes, ann, bob) => {
        const received = await listening(bob);
        await meet(ann, bob);
        received.length = 0;
        await nodes.cut("bob");
        await until(() => received.includes(undefined), "it was told");
        await eventually(() => meet(ann, bob));
        sharingOf(ann).announce([{ stream: "game/a", version: 1, hasEffects: false }]);
        await until(() => streamsOf(received).length > 0, "it receives again");
      }),
    );
  });
}
