import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Millis, TicketNumber } from "@openseat/kernel";
import { MoveCodes } from "../../src/app/queues/move-codes.ts";

const minute = 60_000;
const start = (1_700_000_000_000 - (1_700_000_000_000 % (5 * minute))) as Millis;
const later = (ms: number) => (start + ms) as Millis;
const ticket = (value: number) => value as TicketNumber;

suite("codes that move a place", () => {
  const codes = new MoveCodes("a secret of this server's alone");
  const ticketOf = (queue: string, typed: string, now: Millis, by = codes) =>
    by.check(queue, typed, 0, now) === "good" ? by.ticketIn(typed) : undefined;

  test("a code is short, in groups, and without ambiguous letters", () => {
    for (const [number, length] of [
      [1, 8],
      [1_000_000, 11],
      [0xffffffff, 14],
    ]) {
      const { code } = codes.codeFor("shop", ticket(number), 0, start);
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-)+[0-9A-HJKMNP-TV-Z]{1,4}$|^[0-9A-HJKMNP-TV-Z]{4}$/);
      assert.equal(code.replaceAll("-", "").length, length, code);
      assert.equal(ticketOf("shop", code, start), number);
    }
  });

  test("it can be typed in any case and with separators", () => {
    for (let number = 1; number < 100; number++) {
      const { code } = codes.codeFor("shop", ticket(number), 0, start);
      const sloppy = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
      assert.equal(ticketOf("shop", sloppy, start), number, sloppy);
      assert.equal(ticketOf("shop", code.replaceAll("1", "I").replaceAll("-", ""), start), number);
    }
  });

  test("it is valid for at least ten minutes and at most fifteen, exactly until the time that it states", () => {
    for (const since of [0, 1, 2 * minute, 5 * minute - 1]) {
      const made = later(since);
      const { code, expiresAt } = codes.codeFor("shop", ticket(7), 0, made);
      assert.ok(expiresAt - made > 10 * minute && expiresAt - made <= 15 * minute);
      assert.equal(ticketOf("shop", code, made), 7);
      assert.equal(ticketOf("shop", code, (expiresAt - 1) as Millis), 7);
      assert.equal(ticketOf("shop", code, expiresAt), undefined);
      assert.equal(ticketOf("shop", code, later(since - 5 * minute)), undefined, "before its time");
    }
  });

  test("a server with the same secret accepts it; one with another secret does not", () => {
    const { code } = codes.codeFor("shop", ticket(7), 0, start);
    const under = (secret: string) => ticketOf("shop", code, start, new MoveCodes(secret));
    assert.equal(under("a secret of this server's alone"), 7);
    assert.equal(under("another secret altogether"), undefined);
  });

  test("it is not valid for another line or another ticket", () => {
    const { code } = codes.codeFor("shop", ticket(7), 0, start);
    assert.equal(ticketOf("shops", code, start), undefined);
    assert.equal(ticketOf("shop", code.replace(/^7/, "8"), start), undefined);
  });

  test("[LS6] it belongs to a number of moves: used after the next move, and recognised as used for a few more", () => {
    const { code } = codes.codeFor("shop", ticket(7), 3, start);
    const check = (moves: number) => codes.check("shop", code, moves, start);
    assert.deepEqual([2, 3, 4, 11, 12].map(check), ["wrong", "good", "used", "used", "wrong"]);
  });

  test("any other input is not a code", () => {
    const { code } = codes.codeFor("shop", ticket(7), 0, start);
    const bad = ["", "-", "7", "UUUU-UUUU", "ÄÖÜ", `${code}0`, code.slice(1), "0".repeat(64)];
    for (const typed of bad) assert.equal(ticketOf("shop", typed, start), undefined, typed);
  });
});
