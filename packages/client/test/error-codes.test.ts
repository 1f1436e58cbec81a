import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type RefusalCode as Catalogued, refusals } from "@openseat/kernel";
import { type ErrorCode, OpenseatError, type RefusalCode } from "../src/index.ts";

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const source = readFileSync(new URL("../src/error-codes.ts", import.meta.url), "utf8");

/** The members of a union in the source. */
function membersOf(name: string): string[] {
  const [, union] = new RegExp(`export type ${name} =([^;]*);`).exec(source)!;
  return [...union.matchAll(/"([^"]+)"/g)].map(([, code]) => code);
}

test("the codes of the client's type are those of the server's catalogue", () => {
  const isSame: IsSame<RefusalCode, Catalogued> = true;
  assert.ok(isSame);
  assert.deepEqual(membersOf("RefusalCode").sort(), Object.keys(refusals).sort());
});

test("the README names every code of the client's own", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const own = membersOf("ClientCode");
  assert.ok(own.length >= 5);
  for (const code of own) assert.ok(readme.includes(`\`${code}\``), code);
});

test("an error accepts a code that this client does not know yet", () => {
  const code: string = new OpenseatError("seat.heated", "A code of a newer server.").code;
  const known: ErrorCode = new OpenseatError("room.full", "Full.").code;
  assert.deepEqual([code, known], ["seat.heated", "room.full"]);
});
