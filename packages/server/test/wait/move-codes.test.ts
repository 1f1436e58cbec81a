import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Millis, TicketNumber } from "@openseat/kernel";
import { MoveCodes } from "../../src/transport/wait/move-codes.ts";

const minute = 60_000;
const start = (1_700_000_000_000 - (1_700_000_000_000 % (5 * minute))) as Millis;
const later = (ms: number) => (start + ms) as Millis;
const ticket = (value: number) => value as TicketNumber;

suite("codes that move a place", () => {
  const codes = new MoveCodes("a secret of this server's alone");

  test("a code is short, in groups, and without letters that look like others", () => {
    for (const [number, length] of [
      [1, 8],
      [1_000, 9],
      [30_000, 10],
      [1_000_000, 11],
      [0xffffffff, 14],
    ]) {
      const { code } = codes.codeFor("shop", ticket(number), start);
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-)+[0-9A-HJKMNP-TV-Z]{1,4}$|^[0-9A-HJKMNP-TV-Z]{4}$/);
      assert.equal(code.replaceAll("-", "").length, length, code);
      assert.equal(codes.ticketOf("shop", code, start), number);
    }
  });

  test("it can be typed as people type", () => {
    for (let number = 1; number < 200; number++) {
      const { code } = codes.codeFor("shop", ticket(number), start);
      const sloppy = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
      assert.equal(codes.ticketOf("shop", sloppy, start), number, sloppy);
      assert.equal(codes.ticketOf("shop", code.replaceAll("1", "I").replaceAll("-", ""), start), number);
    }
  });

  test("it is good for at least ten minutes and at most fifteen, to the moment that it says", () => {
    for (const since of [0, 1, 2 * minute, 5 * minute - 1]) {
      const made = later(since);
      const { code, expiresAt } = codes.codeFor("shop", ticket(7), made);
      assert.ok(expiresAt - made > 10 * minute && expiresAt - made <= 15 * minute);
      assert.equal(codes.ticketOf("shop", code, made), 7);
      assert.equal(codes.ticketOf("shop", code, (expiresAt - 1) as Millis), 7);
      assert.equal(codes.ticketOf("shop", code, expiresAt), undefined);
      assert.equal(codes.ticketOf("shop", code, later(since - 5 * minute)), undefined, "before its time");
    }
  });

  test("another server under the same secret takes it; one under another does not", () => {
    const { code } = codes.codeFor("shop", ticket(7), start);
    assert.equal(new MoveCodes("a secret of this server's alone").ticketOf("shop", code, start), 7);
    assert.equal(new MoveCodes("another secret altogether").ticketOf("shop", code, start), undefined);
  });

  test("it is of no use for another line or another ticket", () => {
    const { code } = codes.codeFor("shop", ticket(7), start);
    assert.equal(codes.ticketOf("shops", code, start), undefined);
    assert.equal(codes.ticketOf("shop", code.replace(/^7/, "8"), start), undefined);
  });

  test("whatever else is typed is no code", () => {
    const { code } = codes.codeFor("shop", ticket(7), start);
    const bad = [
      "",
      " ",
      "-",
      "7",
      "UUUU-UUUU",
      "ÄÖÜ",
      `${code}0`,
      code.slice(1),
      `0${code}U`,
      "0".repeat(64),
      "x".repeat(10_000),
    ];
    for (const typed of bad) assert.equal(codes.ticketOf("shop", typed, start), undefined, typed);
  });
});
