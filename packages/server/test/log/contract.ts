import assert from "node:assert/strict";
import type { Millis } from "@openseat/kernel";
import fc from "fast-check";
import { encodeEntry, entryFormat, firstHash, nextHash } from "../../src/log/entry.ts";
import type { LadderStore } from "../../src/log/ladder-store.ts";
import type { Append, Log, StreamName } from "../../src/log/log.ts";
import { appendAll } from "../support/append-all.ts";
import { testsNeeding } from "../support/needs.ts";

/** A log, and the rows of ladders beside it. */
export type LadderLog = Log & { readonly ladders: LadderStore };
export type LogFactory = () => Promise<{ log: LadderLog; dispose(): Promise<void> }>;

/** Encoded entries for a stream that is at `after` with this hash. */
export function appendTo(
  stream: StreamName,
  after: number,
  hash: string = firstHash(stream),
  { count = 1, due, status = "OPEN", text = "x", creator }: Partial<AppendTerms> = {},
): Append {
  const lines: string[] = [];
  let chained = hash;
  for (let version = after + 1; version <= after + count; version++) {
    const events = [{ type: "said", text: `${text} ${version}` }];
    const at = (1_000 + version) as Millis;
    const line = encodeEntry({ format: entryFormat, version, at, by: "ann", command: "say", events });
    lines.push(line);
    chained = nextHash(chained, line);
  }
  const listing = { status, summary: { upTo: after + count } };
  return { stream, after, lines, hash: chained, due, listing, ...(creator !== undefined && { creator }) };
}

interface AppendTerms {
  count: number;
  due: Millis | undefined;
  status: string;
  text: string;
  creator: string;
}

/** Appends batches of these sizes one after another, and returns what was appended. */
export async function fill(log: Log, stream: StreamName, sizes: readonly number[]): Promise<Append[]> {
  const appended: Append[] = [];
  for (const count of sizes) {
    const last = appended.at(-1);
    const next = appendTo(stream, last ? last.after + last.lines.length : 0, last?.hash, { count });
    assert.deepEqual(await appendAll(log, [next]), ["appended"]);
    appended.push(next);
  }
  return appended;
}

export async function linesOf(log: Log, stream: StreamName): Promise<string[]> {
  return (await log.read(stream, 0, Number.MAX_SAFE_INTEGER)).flatMap(({ lines }) => [...lines]);
}

/** Every stored entry follows from the previous one, and the head is the last. */
export async function assertWhole(log: Log, stream: StreamName): Promise<number> {
  let hash = firstHash(stream);
  let version = 0;
  for (const batch of await log.read(stream, 0, Number.MAX_SAFE_INTEGER)) {
    assert.equal(batch.first, version + 1);
    for (const line of batch.lines) {
      assert.equal(JSON.parse(line).version, ++version);
      hash = nextHash(hash, line);
    }
    assert.equal(batch.hash, hash);
  }
  assert.deepEqual(await log.head(stream), version === 0 ? undefined : { version, hash });
  return version;
}

/** The contract for every log. */
export function testLogContract(name: string, open: LogFactory, missing?: string): void {
  const { describe, test } = testsNeeding(missing);
  const withLog = (work: (log: Log) => Promise<void>) => async () => {
    const { log, dispose } = await open();
    try {
      await work(log);
    } finally {
      await dispose();
    }
  };

  describe(`the log on ${name}`, () => {
    test(
      "[LG1] an append at the version that the stream has is stored and moves its head",
      withLog(async (log) => {
        assert.equal(await log.head("game/a"), undefined);
        assert.deepEqual(await log.read("game/a", 0, 10), []);
        const appended = await fill(log, "game/a", [1, 3, 2]);
        assert.deepEqual(await log.head("game/a"), { version: 6, hash: appended[2].hash });
        assert.equal(await assertWhole(log, "game/a"), 6);
      }),
    );

    test(
      "[LG1] an append at another version conflicts and changes nothing",
      withLog(async (log) => {
        const [, last] = await fill(log, "game/a", [2, 2]);
        const before = await everything(log);
        for (const after of [0, 1, 2, 3, 5, 100]) {
          const wrong = appendTo("game/a", after, last.hash, { due: 5 as Millis, status: "WRONG" });
          assert.deepEqual(await appendAll(log, [wrong]), ["conflict"], `after ${after}`);
        }
        assert.deepEqual(await appendAll(log, [appendTo("game/new", 3)]), ["conflict"]);
        assert.deepEqual(await everything(log), before);
        assert.equal(await log.head("game/new"), undefined);
      }),
    );

    test(
      "[LG1] making a stream twice conflicts",
      withLog(async (log) => {
        assert.deepEqual(await appendAll(log, [appendTo("game/a", 0)]), ["appended"]);
        assert.deepEqual(await appendAll(log, [appendTo("game/a", 0, undefined, { text: "y" })]), [
          "conflict",
        ]);
        assert.deepEqual(await linesOf(log, "game/a"), appendTo("game/a", 0).lines);
      }),
    );

    test(
      "[ID1] any single entry can be read as the line that was appended",
      withLog(async (log) => {
        const lines = (await fill(log, "game/a", [3, 1, 7, 2])).flatMap((append) => append.lines);
        for (const [index, line] of lines.entries()) assert.equal(await log.line("game/a", index + 1), line);
        assert.equal(await log.line("game/a", lines.length + 1), undefined);
        assert.equal(await log.line("game/none", 1), undefined);
      }),
    );

    test(
      "[FD1] reading from any version with any limit gives every later entry once, across batches",
      withLog(async (log) => {
        const sizes = [3, 1, 7, 2, 30, 1, 1, 5];
        const lines = (await fill(log, "game/a", sizes)).flatMap((append) => append.lines);
        await fill(log, "game/b", [4, 4]);
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 0, max: lines.length + 3 }),
            fc.integer({ min: 1, max: 60 }),
            async (from, limit) => {
              const read: string[] = [];
              for (let after = from; ; ) {
                const batches = await log.read("game/a", after, limit);
                if (batches.length === 0) break;
                const before = after;
                let entries = 0;
                for (const [index, { first, lines: stored }] of batches.entries()) {
                  assert.ok(entries < limit, "more was read than about the limit");
                  assert.ok(index === 0 ? first <= after + 1 : first === after + 1, "batches with a gap");
                  read.push(...stored.slice(after + 1 - first));
                  after = first + stored.length - 1;
                  entries += stored.length;
                }
                assert.ok(after > before, "a page without new entries");
              }
              assert.deepEqual(read, lines.slice(from));
            },
          ),
          { numRuns: 60 },
        );
      }),
    );

    test(
      "[LG4] any text comes back byte for byte",
      withLog(async (log) => {
        let after = 0;
        let hash = firstHash("game/a");
        const kept: string[] = [];
        await fc.assert(
          fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (text) => {
            const append = appendTo("game/a", after, hash, { count: 2, text });
            assert.deepEqual(await appendAll(log, [append]), ["appended"]);
            ({ hash } = append);
            after += 2;
            kept.push(...append.lines);
          }),
          {
            numRuns: 60,
            examples: [["line\nbreak\r\n"], ["\u2028\u2029\0"], ["\ud800 alone"], ["👩‍👩‍👧 \u0301"], ['"\\']],
          },
        );
        assert.deepEqual(await linesOf(log, "game/a"), kept);
        await assertWhole(log, "game/a");
      }),
    );

    test(
      "[LG4] a long batch and a long line are stored whole",
      withLog(async (log) => {
        const many = appendTo("game/a", 0, undefined, { count: 4_096 });
        const long = appendTo("game/b", 0, undefined, { text: "é".repeat(300_000) });
        assert.deepEqual(await appendAll(log, [many, long]), ["appended", "appended"]);
        assert.deepEqual(await linesOf(log, "game/a"), many.lines);
        assert.deepEqual(await linesOf(log, "game/b"), long.lines);
      }),
    );

    test(
      "[LG1] streams are listed newest first, by kind and status, with their latest listing",
      withLog(async (log) => {
        for (const id of ["a", "b", "c", "d"]) await appendAll(log, [appendTo(`game/${id}`, 0)]);
        await appendAll(log, [appendTo("games/x", 0), appendTo("queue/a", 0)]);
        const [{ hash }] = [appendTo("game/b", 0)];
        await appendAll(log, [appendTo("game/b", 1, hash, { status: "FULL", count: 4 })]);
        const names = async (query: Parameters<Log["list"]>[0]) =>
          (await log.list(query)).map(({ stream }) => stream);
        assert.deepEqual(await names({ kind: "game", limit: 10 }), ["game/d", "game/c", "game/b", "game/a"]);
        assert.deepEqual(await names({ kind: "game", status: "OPEN", limit: 10 }), [
          "game/d",
          "game/c",
          "game/a",
        ]);
        assert.deepEqual(await names({ kind: "game", status: "GONE", limit: 10 }), []);
        assert.deepEqual(await names({ kind: "queue", limit: 10 }), ["queue/a"]);
        const [b] = await log.list({ kind: "game", status: "FULL", limit: 10 });
        assert.deepEqual([b.stream, b.status, b.summary], ["game/b", "FULL", { upTo: 5 }]);
      }),
    );

    test(
      "[LM7] the streams that a person has made are counted by kind until they end",
      withLog(async (log) => {
        const kinds = ["game", "arena"];
        const count = (creator: string, limit = 10) => log.countLive({ creator, kinds, limit });
        assert.equal(await count("ann"), 0);
        const made = (stream: StreamName, creator?: string) =>
          appendTo(stream, 0, undefined, creator === undefined ? {} : { creator });
        const mine = [made("game/a", "ann"), made("arena/b", "ann"), made("ladder/c", "ann")];
        const others = [made("game/d", "ben"), made("game/e"), made("arena/f", "Ann")];
        const { length } = [...mine, ...others];
        assert.deepEqual(await appendAll(log, [...mine, ...others]), Array(length).fill("appended"));
        assert.deepEqual([await count("ann"), await count("ben"), await count("Ann")], [2, 1, 1]);
        assert.equal(await count("ann", 1), 1);
        // Neither another person's entry nor creating the stream again changes its creator.
        const next = appendTo("game/a", 1, mine[0].hash, { status: "FULL", creator: "ben" });
        const outcomes = await appendAll(log, [next, { ...made("game/d", "ann"), hash: "" }]);
        assert.deepEqual(outcomes, ["appended", "conflict"]);
        assert.deepEqual([await count("ann"), await count("ben")], [2, 1]);
        const last = appendTo("game/a", 2, next.hash, { status: "ENDED" });
        assert.deepEqual(await appendAll(log, [last]), ["appended"]);
        assert.deepEqual([await count("ann"), await count("ben")], [1, 1]);
      }),
    );

    test(
      "[RM8] streams that have not ended are listed apart, page by page, as their status changes",
      withLog(async (log) => {
        for (const id of ["a", "b", "c", "d"]) await appendAll(log, [appendTo(`game/${id}`, 0)]);
        const live = async (query: Partial<Parameters<Log["list"]>[0]> = {}) =>
          (await log.list({ kind: "game", isLive: true, limit: 10, ...query })).map(({ stream }) => stream);
        assert.deepEqual(await live(), ["game/d", "game/c", "game/b", "game/a"]);
        const [{ hash }] = [appendTo("game/c", 0)];
        await appendAll(log, [appendTo("game/c", 1, hash, { status: "ENDED" })]);
        assert.deepEqual(await live(), ["game/d", "game/b", "game/a"]);
        const [d] = await log.list({ kind: "game", isLive: true, limit: 1 });
        assert.deepEqual(await live({ before: d.number, limit: 1 }), ["game/b"]);
        assert.deepEqual(await live({ status: "ENDED" }), []);
        const all = await log.list({ kind: "game", limit: 10 });
        assert.equal(all.length, 4);
      }),
    );

    test(
      "[LG1] pages of the list neither skip nor repeat while streams are added and change",
      withLog(async (log) => {
        for (let number = 0; number < 25; number++) await appendAll(log, [appendTo(`game/${number}`, 0)]);
        for (const status of [undefined, "OPEN"]) {
          const seen: string[] = [];
          let before: number | undefined;
          for (let page = 0; page < 5; page++) {
            const listed = await log.list({
              kind: "game",
              limit: 5,
              ...(status && { status }),
              ...(before && { before }),
            });
            seen.push(...listed.map(({ stream }) => stream));
            before = listed.at(-1)!.number;
            await appendAll(log, [appendTo(`game/new-${status}-${page}`, 0)]);
          }
          const old = seen.filter((stream) => !stream.includes("new"));
          if (status === undefined) {
            assert.deepEqual(
              old,
              Array.from({ length: 25 }, (_, index) => `game/${24 - index}`),
            );
          }
          assert.equal(new Set(seen).size, seen.length);
          assert.deepEqual(await log.list({ kind: "game", limit: 5, before: 1 }), []);
        }
      }),
    );

    test(
      "[RM7] due streams come longest overdue first, and a stream is due as its last append says",
      withLog(async (log) => {
        assert.equal(await log.nextDue(0 as Millis), undefined);
        const due = (value: number | undefined) => ({ due: value as Millis | undefined });
        await appendAll(log, [
          appendTo("game/a", 0, undefined, due(300)),
          appendTo("game/b", 0, undefined, due(100)),
          appendTo("game/c", 0),
          appendTo("queue/d", 0, undefined, due(200)),
        ]);
        const now = (value: number) => value as Millis;
        assert.equal(await log.nextDue(0 as Millis), 100);
        assert.deepEqual(await log.due(now(99), 10), []);
        assert.deepEqual(await log.due(now(100), 10), ["game/b"]);
        assert.deepEqual(await log.due(now(1_000), 10), ["game/b", "queue/d", "game/a"]);
        assert.deepEqual(await log.due(now(1_000), 2), ["game/b", "queue/d"]);
        const { hash } = appendTo("game/b", 0);
        await appendAll(log, [appendTo("game/b", 1, hash), appendTo("game/c", 1, hash, due(50))]);
        assert.equal(await log.nextDue(0 as Millis), 50);
        assert.equal(await log.nextDue(50 as Millis), 200, "only later ones");
        assert.deepEqual(await log.due(now(1_000), 10), ["game/c", "queue/d", "game/a"]);
      }),
    );

    test(
      "[LG5] a snapshot replaces the one before it, with all its parts in order",
      withLog(async (log) => {
        const [first, second] = await fill(log, "game/a", [5, 5]);
        await fill(log, "game/b", [1]);
        assert.equal(await log.loadSnapshot("game/a"), undefined);
        const part = (size: number, fillWith: number) => new Uint8Array(size).fill(fillWith);
        const old = [part(10, 1), part(70_000, 2), part(0, 0), part(3, 3)];
        await log.saveSnapshot("game/a", { version: 5, hash: first.hash, parts: old });
        assert.deepEqual(
          plain(await log.loadSnapshot("game/a")),
          plain({ version: 5, hash: first.hash, parts: old }),
        );
        const young = Array.from({ length: 12 }, (_, index) => part(1_000, index));
        await log.saveSnapshot("game/a", { version: 10, hash: second.hash, parts: young });
        assert.deepEqual(
          plain(await log.loadSnapshot("game/a")),
          plain({ version: 10, hash: second.hash, parts: young }),
        );
        assert.equal(await log.loadSnapshot("game/b"), undefined);
        for (const [index, bytes] of young.entries()) {
          const found = await log.snapshotPart("game/a", index);
          assert.deepEqual([found!.version, [...found!.bytes]], [10, [...bytes]]);
        }
        assert.equal(await log.snapshotPart("game/a", young.length), undefined);
        assert.equal(await log.snapshotPart("game/b", 0), undefined);
        assert.equal(await assertWhole(log, "game/a"), 10);
      }),
    );

    test(
      "[LG5] a snapshot of the same version again, with fewer parts, leaves none of the old ones",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [5]);
        const parts = [1, 2, 3].map((number) => new Uint8Array([number]));
        await log.saveSnapshot("game/a", { version: 5, hash, parts });
        await log.saveSnapshot("game/a", { version: 5, hash, parts: [new Uint8Array([9])] });
        assert.deepEqual(plain(await log.loadSnapshot("game/a"))!.parts, [[9]]);
      }),
    );

    test(
      "[LG5] a snapshot whose saving breaks off leaves the old one",
      withLog(async (log) => {
        const [first, second] = await fill(log, "game/a", [5, 5]);
        const old = { version: 5, hash: first.hash, parts: [new Uint8Array([1, 2, 3])] };
        await log.saveSnapshot("game/a", old);
        function* broken() {
          yield new Uint8Array([9]);
          yield new Uint8Array([9]);
          throw new Error("the rest is gone");
        }
        await assert.rejects(
          log.saveSnapshot("game/a", { version: 10, hash: second.hash, parts: broken() }),
          /the rest is gone/,
        );
        assert.deepEqual(plain(await log.loadSnapshot("game/a")), plain(old));
        const whole = { version: 10, hash: second.hash, parts: [new Uint8Array([7])] };
        await log.saveSnapshot("game/a", whole);
        assert.deepEqual(plain(await log.loadSnapshot("game/a")), plain(whole));
      }),
    );

    test(
      "[LG5] appends go on while a snapshot is being written",
      withLog(async (log) => {
        const [{ hash }] = await fill(log, "game/a", [5]);
        let taken = 0;
        function* parts() {
          for (; taken < 40; taken++) yield new Uint8Array(100_000).fill(taken);
        }
        const saving = log.saveSnapshot("game/a", { version: 5, hash, parts: parts() });
        let last = appendTo("game/a", 5, hash);
        assert.deepEqual(await appendAll(log, [last]), ["appended"]);
        for (let version = 6; version < 30; version++) {
          last = appendTo("game/a", version, last.hash);
          assert.deepEqual(await appendAll(log, [last]), ["appended"]);
        }
        await saving;
        const snapshot = await log.loadSnapshot("game/a");
        assert.equal(snapshot!.version, 5);
        assert.deepEqual(
          snapshot!.parts.map((part) => part[0]),
          Array.from({ length: 40 }, (_, index) => index),
        );
        assert.equal(await assertWhole(log, "game/a"), 30);
      }),
    );
  });
}

function plain(snapshot: Awaited<ReturnType<Log["loadSnapshot"]>>) {
  return snapshot && { ...snapshot, parts: snapshot.parts.map((part) => [...part]) };
}

/** What a commit may change: `game/a`, the list of games, and the due streams. */
export async function everything(log: Log) {
  return {
    head: await log.head("game/a"),
    lines: await linesOf(log, "game/a"),
    list: await log.list({ kind: "game", limit: 100 }),
    due: await log.due(Number.MAX_SAFE_INTEGER as Millis, 100),
  };
}
