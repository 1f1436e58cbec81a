import assert from "node:assert/strict";
import fc from "fast-check";
import type { Decide, Tail, Wanted } from "../../src/log/commit.ts";
import type { Append, Log, StreamName } from "../../src/log/log.ts";
import { testsNeeding } from "../support/needs.ts";
import { appendTo, assertWhole, everything, fill, type LogFactory } from "./contract.ts";
import { sending } from "./outbox-contract.ts";
import { addTogether, Replica, versionsOf } from "./replica.ts";

/** The contract for every log whose only writer is this process. */
export function testCommitContract(name: string, open: LogFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  const withLog = (work: (log: Log) => Promise<void>) => async () => {
    const { log, dispose } = await open();
    try {
      await work(log);
    } finally {
      await dispose();
    }
  };

  describe(`commits on ${name}`, () => {
    test(
      "[CL2] decide is called once, with an empty tail for each stream that nobody else appended to",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [2]);
        const calls: (readonly Tail[])[] = [];
        const deciding =
          (...decided: ReturnType<Decide>): Decide =>
          (tails) => {
            calls.push(tails);
            return decided;
          };
        const wanted = [
          newStream("game/b"),
          { stream: "game/a", after: 2, hash },
          newStream("game/c"),
        ] as const;
        const nothing = [undefined, undefined, undefined];
        const some = [appendTo("game/b", 0), appendTo("game/a", 2, hash), undefined];
        await log.commit(wanted, deciding(...nothing));
        await log.commit(wanted, deciding(...some));
        const empty = [[], [], []];
        assert.deepEqual(calls, [empty, empty]);
        const conflicting = deciding(appendTo("game/c", 7));
        assert.deepEqual(await log.commit([newStream("game/c")], conflicting), ["conflict"]);
        assert.deepEqual(calls, [empty, empty, [[]]], "also when its result conflicts");
      }),
    );

    test(
      "[LG1] outcomes are in the order of the streams that were wanted, also when some appends are undefined or conflict",
      withLog(async (log) => {
        const place = fc.record({
          exists: fc.boolean(),
          decision: fc.constantFrom("append", "nothing", "conflict"),
        });
        let run = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 8 }), async (places) => {
            run++;
            const wanted: Wanted[] = [];
            for (const [index, { exists }] of places.entries()) {
              const stream: StreamName = `game/${run}-${index}`;
              if (!exists) wanted.push(newStream(stream));
              else wanted.push({ stream, after: 1, hash: (await fill(log, stream, [1]))[0].hash });
            }
            const outcomes = await log.commit(wanted, () =>
              places.map(({ decision }, index) => decided(decision, wanted[index])),
            );
            assert.deepEqual(
              outcomes,
              places.map(({ decision }) => (decision === "conflict" ? "conflict" : "committed")),
            );
            assert.deepEqual(
              await Promise.all(wanted.map(({ stream }) => assertWhole(log, stream))),
              places.map(({ decision }, index) => wanted[index].after + (decision === "append" ? 1 : 0)),
            );
          }),
          { numRuns: 40 },
        );
      }),
    );

    test(
      "[LG1] a conflict in one stream leaves the other streams committed, and writes nothing of its own",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [1]);
        const wanted = [
          { stream: "game/a", after: 1, hash },
          newStream("game/b"),
          newStream("game/c"),
        ] as const;
        const outcomes = await log.commit(wanted, () => [
          appendTo("game/a", 1, hash),
          sending("game/b", ["never"], "ladder/l", 5),
          sending("game/c", ["told"], "ladder/l"),
        ]);
        assert.deepEqual(outcomes, ["committed", "conflict", "committed"]);
        assert.deepEqual(await versionsOf(log, ["game/a", "game/b", "game/c"]), [2, 0, 1]);
        const waiting = await log.outbox(0, 10);
        assert.deepEqual(
          waiting.map(({ from, body }) => [from, body.text]),
          [["game/c", "told"]],
        );
      }),
    );

    test(
      "[LG1] a commit whose decide throws rejects with the error and writes nothing, and the log goes on",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [1]);
        const before = await everything(log);
        const wanted = [{ stream: "game/a", after: 1, hash }, newStream("game/b")] as const;
        // More often than there are shards: each must be released again.
        for (let round = 0; round <= log.shards; round++) {
          const mistake = new Error(`mistake ${round}`);
          const failing = log.commit(wanted, () => {
            throw mistake;
          });
          await assert.rejects(failing, (error) => error === mistake);
        }
        assert.deepEqual(await everything(log), before);
        const outcomes = await log.commit(wanted, () => [appendTo("game/a", 1, hash), appendTo("game/b", 0)]);
        assert.deepEqual(outcomes, ["committed", "committed"]);
        assert.deepEqual(await versionsOf(log, ["game/a", "game/b"]), [2, 1]);
      }),
    );

    test(
      "[LG1] a commit that appends nothing is committed and writes nothing",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [2]);
        const before = await everything(log);
        const wanted = [{ stream: "game/a", after: 2, hash }, newStream("game/b")] as const;
        for (let round = 0; round <= log.shards; round++) {
          const outcomes = await log.commit(wanted, () => [undefined, undefined]);
          assert.deepEqual(outcomes, ["committed", "committed"]);
        }
        assert.deepEqual(await everything(log), before);
        assert.equal(await log.head("game/b"), undefined);
      }),
    );

    test(
      "[LG1] one commit per shard may be in flight, in different streams, and none is lost",
      withLog(async (log) => {
        const rounds = 60;
        const shards = Array.from({ length: log.shards }, (_, shard) =>
          (["a", "b", "c"] as const).map((id) => new Replica(log, `game/${shard}${id}`)),
        );
        const runAll = shards.map(async (replicas) => {
          for (let round = 0; round < rounds; round++) {
            const outcomes = await addTogether(replicas, `round ${round}`, 1 + (round % 3));
            assert.deepEqual(outcomes, ["committed", "committed", "committed"]);
          }
        });
        await Promise.all(runAll);
        for (const { stream } of shards.flat()) assert.equal(await assertWhole(log, stream), 2 * rounds);
      }),
    );
  });
}

function newStream(stream: StreamName): Wanted {
  return { stream, after: 0, hash: "" };
}

function decided(decision: string, { stream, after, hash }: Wanted): Append | undefined {
  if (decision === "nothing") return undefined;
  const conflicting = after === 0 ? 3 : 0;
  return appendTo(stream, decision === "append" ? after : conflicting, hash === "" ? undefined : hash);
}
