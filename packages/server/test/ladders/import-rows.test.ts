import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { importRows } from "../../src/app/ladders/import/import-rows.ts";
import { type Json, range } from "../support/http.ts";

const head = "playerA,playerB,scoreA,scoreB";
const match = { players: ["ann", "bob"], scores: [1, 0] };
const oneself = { players: ["ann", "ann"], scores: [1, 0] };

/** Why the file is refused. */
function refusalOf(file: string | readonly unknown[]): { message: string; data?: { rows?: Json[] } } {
  const type = typeof file === "string" && !file.startsWith("{") ? "csv" : "json";
  const text = typeof file === "string" ? file : JSON.stringify({ matches: file });
  const read = importRows({ type, text, rowsMax: 100_000 }, Date.parse("2026-01-01") as Millis);
  assert.ok("refusal" in read, "the file is accepted");
  assert.match(read.refusal.code, /^import\.invalid$|^input\.invalid$/);
  return read.refusal as ReturnType<typeof refusalOf>;
}

const badRowsIn = (file: string | readonly unknown[]) => refusalOf(file).data?.rows;

suite("rows of a file", () => {
  test("[LD5] an invalid row of CSV is named with its problem", () => {
    for (const [row, problem] of [
      ["ann,ann,1,0", /different people/],
      [",bob,1,0", /^playerA/],
      ["ann,b\u0085b,1,0", /^playerB/],
      ["@operator,bob,1,0", /^playerA/],
      [`${"x".repeat(129)},bob,1,0`, /^playerA/],
      ["ann,bob,-1,0", /^scoreA must be a whole number from 0 to 1000/],
      ["ann,bob,1,1001", /^scoreB/],
      ["ann,bob,1e2,0", /^scoreA/],
      ["ann,bob", /^scoreA/],
      ["ann,bob,1,0,yesterday", /^at/],
      ["ann,bob,1,0,2024-02-30T10:00:00Z", /^at/],
      ["ann,bob,1,0,9999-01-01", /^at/],
    ] as const) {
      const rows = badRowsIn(`${head},at\nann,bob,1,0,\n${row}\nbob,ann,1,0,\n`)!;
      assert.deepEqual([rows.length, rows[0].row], [1, 2], row);
      assert.match(rows[0].problem, problem);
    }
  });

  test("[LD5] in JSON, an element that is not a match is named", () => {
    for (const row of [
      ...[null, 5, [], {}, { ...match, players: "ann" }, { ...match, scores: [1] }],
      ...[
        { ...match, players: [{ userId: 5 }, "bob"] },
        { ...match, at: 5 },
      ],
    ])
      assert.deepEqual(
        badRowsIn([match, row, match])?.map((fault) => fault.row),
        [2],
        JSON.stringify(row),
      );
  });

  test("[LD5] row numbers are those of the file, including skipped rows that never counted", () => {
    const text = `${head},status\nann,bob,1,0,voided\nann,bob,1,0,counted\nann,ann,1,0,counted\n`;
    for (const file of [text, [{ ...match, status: "lapsed" }, match, oneself]])
      assert.deepEqual(
        badRowsIn(file)?.map((fault) => fault.row),
        [3],
      );
  });

  test("[LD5] [LM10] at most twenty invalid rows are listed, and the rest of the file is not read", () => {
    const csvWith = (faults: number) => `${head}\n${"ann,ann,1,0\n".repeat(faults)}ann,"bob`;
    const jsonWith = (faults: number) =>
      `{"matches":[${`${JSON.stringify(oneself)},`.repeat(faults)}nonsense`;
    for (const fileWith of [csvWith, jsonWith]) {
      assert.equal(badRowsIn(fileWith(19)), undefined, "a broken end makes the whole file invalid");
      assert.deepEqual(
        badRowsIn(fileWith(20))?.map((fault) => fault.row),
        range(20).map((index) => index + 1),
      );
    }
  });

  test("[LD5] a file without matches is refused with a message", () => {
    for (const [text, words] of [
      ["ann,bob,1,0\n", /playerA is missing/],
      ["playerA,playerB,scoreA\nann,bob,1\n", /scoreB is missing/],
      [`${head}\n"ann,bob,1,0\n`, /quote/],
      [`${head}\n\n`, /no match/],
      ["\0\u0001\ufffd", /playerA is missing/],
    ] as const)
      assert.match(refusalOf(text).message, words);
  });

  test("[LM1] fields of many megabytes are read and refused like any other", () => {
    for (const rest of [
      `"${"x".repeat(15_000_000)}",bob,1,0\n`,
      `"${"y".repeat(15_000_000)}`,
      `"${'""'.repeat(7_000_000)}"`,
      "z".repeat(15_000_000),
      ",".repeat(15_000_000),
      "\n".repeat(15_000_000),
    ])
      refusalOf(`${head}\n${rest}`);
  });
});
