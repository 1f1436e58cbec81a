import assert from "node:assert/strict";
import type { Millis } from "@openseat/kernel";
import type { Append, Log, Outgoing, StreamName } from "../../src/log/log.ts";
import { appendAll } from "../support/append-all.ts";
import { testsNeeding } from "../support/needs.ts";
import { appendTo, type LogFactory } from "./contract.ts";

/** An entry with effects. */
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

const at = 1_234 as Millis;
const always = { after: 0, upTo: Number.MAX_SAFE_INTEGER } as const;

function textsOf(items: readonly Outgoing[]): unknown[] {
  return items.map(({ body }) => body.text);
}

/** The contract for the outbox of every log. */
export function testOutboxContract(name: string, open: LogFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
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
      "[OP3] the sizes include the number of waiting effects and the age of the oldest",
      withLog(async (log) => {
        // An in-memory log stores nothing.
        if (!log.sizes) return;
        const empty = await log.sizes();
        assert.ok(empty.databaseBytes > 0 && (empty.walBytes ?? 0) >= 0);
        assert.deepEqual([empty.outboxWaiting, empty.outboxOldestAt], [0, undefined]);
        await appendAll(log, [sending("arena/a", ["one", "two"]), sending("arena/b", ["three"])]);
        const { outboxWaiting, outboxOldestAt } = await log.sizes();
        // As `appendTo` has it for version 1.
        assert.deepEqual([outboxWaiting, outboxOldestAt], [3, 1_001]);
        const [first] = await log.outbox(0, 1);
        await log.undeliverable([first.number], "nobody is there", at);
        const after = await log.sizes();
        assert.deepEqual([after.outboxWaiting, after.outboxOldestAt], [2, 1_002]);
      }),
    );

    test(
      "[LD12] effects wait in the order in which they were written, and only together with their entry",
      withLog(async (log) => {
        assert.deepEqual(await log.outbox(0, 10), []);
        await appendAll(log, [sending("arena/a", ["one", "two"]), sending("arena/b", ["three"], "ladder/m")]);
        assert.deepEqual(await appendAll(log, [sending("arena/a", ["never"])]), ["conflict"]);
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
      "[LD12] delivered and undeliverable effects no longer wait, and no number is reused",
      withLog(async (log) => {
        await appendAll(log, [sending("arena/a", ["one", "two", "three"])]);
        const [one, two, three] = await log.outbox(0, 10);
        await log.undeliverable([one.number], "ladder.not-found", at);
        await log.delivered([three.number]);
        assert.deepEqual(await log.outbox(0, 10), [two]);
        await log.delivered([three.number]);
        await log.delivered([]);
        await log.delivered([two.number]);
        assert.deepEqual(await log.outbox(0, 10), []);
        await appendAll(log, [sending("arena/b", ["four"])]);
        const [four] = await log.outbox(0, 10);
        assert.ok(four.number > three.number, "a deleted number must not be reused");
      }),
    );

    test(
      "[CH7] waiting effects of one route are found in order, from one stream or all",
      withLog(async (log) => {
        await appendAll(log, [
          sending("arena/a", ["a1", "a2"], "sms/1"),
          sending("arena/b", ["b1", "b2", "b3"], "sms/1"),
          sending("arena/c", ["c1"], "sms/11"),
        ]);
        await appendAll(log, [sending("arena/a", ["a3"], "sms/1", 2)]);
        const all = await log.outboxOf({ to: "sms/1" }, always, 10);
        assert.deepEqual(textsOf(all), ["a1", "a2", "b1", "b2", "b3", "a3"]);
        assert.deepEqual(
          all,
          (await log.outbox(0, 10)).filter(({ to }) => to === "sms/1"),
        );
        const ofA = { from: "arena/a", to: "sms/1" } as const;
        assert.deepEqual(textsOf(await log.outboxOf(ofA, always, 10)), ["a1", "a2", "a3"]);
        assert.deepEqual(textsOf(await log.outboxOf(ofA, always, 2)), ["a1", "a2"]);
        assert.deepEqual(textsOf(await log.outboxOf({ to: "sms/1" }, always, 4)), ["a1", "a2", "b1", "b2"]);
        const [, a2, b1, b2] = all;
        const between = { after: a2.number, upTo: b2.number };
        assert.deepEqual(await log.outboxOf({ to: "sms/1" }, between, 10), [b1, b2]);
        assert.deepEqual(await log.outboxOf(ofA, between, 10), []);
        for (const route of [{ to: "sms/2" }, { from: "arena/none", to: "sms/1" }] as const)
          assert.deepEqual(await log.outboxOf(route, always, 10), []);
        await log.delivered([b1.number]);
        await log.undeliverable([a2.number], "Gone.", at);
        assert.deepEqual(textsOf(await log.outboxOf({ to: "sms/1" }, always, 10)), ["a1", "b2", "b3", "a3"]);
        assert.deepEqual(textsOf(await log.outboxOf(ofA, always, 10)), ["a1", "a3"]);
      }),
    );

    test(
      "[CH7] dead letters are listed with reason and time, newest first, page by page",
      withLog(async (log) => {
        assert.deepEqual(await log.deadLetters(undefined, 10), []);
        await appendAll(log, [sending("arena/a", ["one", "two", "three", "four"], "sms/1")]);
        const [one, two, three, four] = await log.outbox(0, 10);
        await log.undeliverable([three.number], "", at);
        await log.undeliverable([one.number, four.number], "Blocked: 'quoted'; --", (at + 1) as Millis);
        const later = { reason: "Blocked: 'quoted'; --", setAsideAt: at + 1 };
        const letters = [
          { ...four, ...later },
          { ...three, reason: "", setAsideAt: at },
          { ...one, ...later },
        ];
        assert.deepEqual(await log.deadLetters(undefined, 10), letters);
        assert.deepEqual(await log.deadLetters(undefined, 2), letters.slice(0, 2));
        assert.deepEqual(await log.deadLetters(three.number, 2), letters.slice(2));
        assert.deepEqual(await log.deadLetters(one.number, 2), []);
        assert.deepEqual(await log.outbox(0, 10), [two], "even without a reason");
      }),
    );

    test(
      "[CH7] a resent letter waits behind everything else under a new number, and is no longer a dead letter",
      withLog(async (log) => {
        await appendAll(log, [sending("arena/a", ["one", "two", "three"], "sms/1")]);
        const [one, two, three] = await log.outbox(0, 10);
        await log.undeliverable([one.number, two.number], "Blocked.", at);
        const resent = await log.resend(one.number);
        assert.ok(resent && resent.number > three.number);
        assert.deepEqual(resent, { ...one, number: resent.number });
        assert.deepEqual(await log.outbox(0, 10), [three, resent]);
        assert.deepEqual(await log.outboxOf({ from: "arena/a", to: "sms/1" }, always, 10), [three, resent]);
        assert.deepEqual(textsOf(await log.deadLetters(undefined, 10)), ["two"]);
        await log.undeliverable([resent.number], "Blocked again.", at);
        assert.deepEqual(textsOf(await log.deadLetters(undefined, 10)), ["one", "two"]);
      }),
    );

    test(
      "[CH7] only dead letters can be resent, and only once",
      withLog(async (log) => {
        await appendAll(log, [sending("arena/a", ["one", "two", "three"], "sms/1")]);
        const [one, two, three] = await log.outbox(0, 10);
        await log.delivered([one.number]);
        await log.undeliverable([two.number], "Blocked.", at);
        for (const number of [0, one.number, three.number, 999])
          assert.equal(await log.resend(number), undefined);
        const both = await Promise.all([log.resend(two.number), log.resend(two.number)]);
        assert.equal(both.filter((resent) => resent !== undefined).length, 1);
        assert.deepEqual(textsOf(await log.outbox(0, 10)), ["three", "two"]);
      }),
    );

    test(
      "[CH7] recording an effect that no longer exists changes nothing",
      withLog(async (log) => {
        await appendAll(log, [sending("arena/a", ["one"], "sms/1")]);
        const [one] = await log.outbox(0, 10);
        await log.delivered([one.number]);
        await log.undeliverable([one.number, 999], "Blocked.", at);
        assert.deepEqual(await log.deadLetters(undefined, 10), []);
        assert.deepEqual(await log.outbox(0, 10), []);
      }),
    );

    test(
      "[LD12] any text arrives as it was sent",
      withLog(async (log) => {
        const texts = ["line\nbreak", '"\\', "👩‍👩‍👧 \u0301", "'; --", ""];
        await appendAll(log, [sending("arena/a", texts)]);
        assert.deepEqual(
          (await log.outbox(0, 10)).map(({ body }) => body.text),
          texts,
        );
      }),
    );
  });
}
