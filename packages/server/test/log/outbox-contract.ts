import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Append, Log, StreamName } from "../../src/log/log.ts";
import { appendTo, type LogFactory } from "./contract.ts";

/** An entry that causes something elsewhere. */
export function sending(
  stream: StreamName,
  bodies: readonly string[],
  to: StreamName = "ladder/l",
  after = 0,
): Append {
  const append = appendTo(stream, after, undefined, { count: bodies.length });
  const effects = bodies.map((text, index) => ({ to, body: { text }, version: after + index + 1 }));
  return { ...append, effects };
}

/** What every log has to do with that which entries cause elsewhere, whatever it is made of. */
export function testOutboxContract(name: string, open: LogFactory): void {
  const withLog = (work: (log: Log) => Promise<void>) => async () => {
    const { log, dispose } = await open();
    try {
      await work(log);
    } finally {
      await dispose();
    }
  };

  describe(`the outbox of the log on ${name}`, () => {
    test(
      "[LD12] what entries cause waits in the order in which it was written, and only with its entry",
      withLog(async (log) => {
        assert.deepEqual(await log.outbox(0, 10), []);
        await log.append([sending("arena/a", ["one", "two"]), sending("arena/b", ["three"], "ladder/m")]);
        assert.deepEqual(await log.append([sending("arena/a", ["never"])]), ["conflict"]);
        const all = await log.outbox(0, 10);
        const told = all.map(({ from, version, to, body }) => [from, version, to, body]);
        assert.deepEqual(told, [
          ["arena/a", 1, "ladder/l", { text: "one" }],
          ["arena/a", 2, "ladder/l", { text: "two" }],
          ["arena/b", 1, "ladder/m", { text: "three" }],
        ]);
        const numbers = all.map(({ number }) => number);
        assert.deepEqual(
          numbers.toSorted((a, b) => a - b),
          numbers,
        );
        assert.deepEqual(await log.outbox(numbers[0], 10), all.slice(1));
        assert.deepEqual(await log.outbox(0, 2), all.slice(0, 2));
        assert.deepEqual(await log.outbox(numbers[2], 10), []);
      }),
    );

    test(
      "[LD12] what has arrived is gone, what cannot arrive waits no more, and no number is given twice",
      withLog(async (log) => {
        await log.append([sending("arena/a", ["one", "two", "three"])]);
        const [one, two, three] = await log.outbox(0, 10);
        await log.undeliverable([one.number], "ladder.not-found");
        await log.delivered([three.number]);
        assert.deepEqual(await log.outbox(0, 10), [two]);
        await log.delivered([three.number]);
        await log.delivered([]);
        await log.delivered([two.number]);
        assert.deepEqual(await log.outbox(0, 10), []);
        await log.append([sending("arena/b", ["four"])]);
        const [four] = await log.outbox(0, 10);
        assert.ok(four.number > three.number, "a number that was struck off would be passed over");
      }),
    );

    test(
      "[LD12] any text arrives as it was sent",
      withLog(async (log) => {
        const texts = ["line\nbreak", '"\\', "👩‍👩‍👧 \u0301", "'; --", ""];
        await log.append([sending("arena/a", texts)]);
        assert.deepEqual(
          (await log.outbox(0, 10)).map(({ body }) => body.text),
          texts,
        );
      }),
    );
  });
}
