import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { ImportReader } from "../../src/app/ladders/import/import-reader.ts";
import type { ImportFile, ImportRead } from "../../src/app/ladders/import/import-worker.ts";
import { within } from "../support/http.ts";
import { TestClock, turns } from "../support/test-clock.ts";

const fileOf = (text: string, type: ImportFile["type"] = "csv"): ImportFile => ({
  ...{ type, rowsMax: 100, now: 1_700_000_000_000 as Millis },
  bytes: new TextEncoder().encode(text),
});

/** A thread that fails in this way on CSV, and finds nothing in JSON. */
function failing(how: string): URL {
  const program = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ type }) => {
      if (type === "csv") { ${how} }
      parentPort.postMessage({ digest: "none", chunks: [] });
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

const refusalIn = (read: ImportRead) => ("refusal" in read ? read.refusal : undefined);
const readOf = (reader: ImportReader, file: ImportFile) => within("the file is read", reader.read(file));

suite("the thread that reads imports", () => {
  test("[LM10] [LD5] files are read one after the other, and each answer belongs to its file", async () => {
    const reader = new ImportReader(new TestClock());
    const head = "playerA,playerB,scoreA,scoreB\n";
    const [good, bad, again] = await Promise.all(
      [`${head}a,b,1,0\n`, `${head}a,a,1,0\n`, `\ufeff${head}a,b,1,0\n`].map((text) =>
        readOf(reader, fileOf(text)),
      ),
    );
    assert.ok("chunks" in good && "chunks" in again);
    assert.equal(good.digest, again.digest);
    const [row] = JSON.parse(new TextDecoder().decode(good.chunks[0]));
    assert.deepEqual([row.players, row.scores, row.at], [["a", "b"], [1, 0], null]);
    assert.equal(refusalIn(bad)?.code, "import.invalid");
    reader.close();
  });

  test("[LM10] a file that takes too long to read is refused, and the next is read", async () => {
    const clock = new TestClock();
    const reader = new ImportReader(clock, failing("for (;;) {}"));
    const slow = reader.read(fileOf("x"));
    const next = reader.read(fileOf("{}", "json"));
    await turns();
    await clock.advance(20_000);
    assert.match(String(refusalIn(await within("a refusal", slow))?.message), /too long to read/);
    assert.equal(refusalIn(await within("the next", next)), undefined);
    reader.close();
    assert.equal(clock.timers, 0);
  });

  test("[LM10] a file that takes too much memory is refused, and the next is read", async () => {
    const reader = new ImportReader(
      new TestClock(),
      failing("const held = []; for (;;) held.push(new Array(1_000_000).fill(0));"),
    );
    assert.match(String(refusalIn(await readOf(reader, fileOf("x")))?.message), /too much memory/);
    assert.equal(refusalIn(await readOf(reader, fileOf("{}", "json"))), undefined);
    reader.close();
  });

  for (const how of ["throw new Error('a fault');", "process.exit(1);"]) {
    test(`[LM10] a thread that ends by ${how} affects only its current file`, async () => {
      const reader = new ImportReader(new TestClock(), failing(how));
      const [lost, next] = [reader.read(fileOf("x")), reader.read(fileOf("{}", "json"))];
      await assert.rejects(within("an error", lost), /a fault|has ended/);
      assert.equal(refusalIn(await within("the next", next)), undefined);
      reader.close();
    });
  }

  test("[LM10] if no thread can be started, each file is refused with an error, and none waits forever", async () => {
    const reader = new ImportReader(new TestClock(), new URL("http://127.0.0.1/not-a-file"));
    for (const _ of [1, 2])
      await assert.rejects(readOf(reader, fileOf("x")), { code: "ERR_INVALID_URL_SCHEME" });
    reader.close();
  });

  test("[LM10] an idle thread ends after a while, and another is started when it is needed", async () => {
    const clock = new TestClock();
    const reader = new ImportReader(clock, failing(""));
    for (const _ of [1, 2]) {
      assert.equal(refusalIn(await readOf(reader, fileOf("x"))), undefined);
      await clock.advance(60_000);
      assert.equal(clock.timers, 0);
    }
    reader.close();
  });

  test("[LM10] a caller that waits for a file at shutdown gets an error", async () => {
    const reader = new ImportReader(new TestClock(), failing("for (;;) {}"));
    const waiting = [reader.read(fileOf("x")), reader.read(fileOf("{}", "json"))];
    reader.close();
    for (const read of waiting) await assert.rejects(within("an error", read), /stopped before/);
  });
});
