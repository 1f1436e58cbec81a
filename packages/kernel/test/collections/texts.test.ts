import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { packTexts, unpackTexts } from "../../src/collections/texts.ts";

describe("texts as one column", () => {
  test("no texts and empty texts are restored", () => {
    for (const texts of [[], [""], ["", ""], ["", "a", ""]])
      assert.deepEqual(unpackTexts(packTexts(texts)), texts);
    assert.equal(packTexts([]).length, 0);
  });

  test("any characters are restored, including lone surrogates; only zero ends a text", () => {
    const unit = fc.integer({ min: 1, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (texts) => {
        assert.deepEqual(unpackTexts(packTexts(texts)), texts);
      }),
    );
    assert.deepEqual(unpackTexts(packTexts(["🦊", "\ud83e", "李", "\u0100", "\uffff"])), [
      ...["🦊", "\ud83e", "李", "\u0100", "\uffff"],
    ]);
  });

  test("a text takes two bytes per unit, plus two", () => {
    assert.deepEqual([...packTexts(["aĀ", "b"])], [0x61, 0, 0, 1, 0, 0, 0x62, 0, 0, 0]);
  });

  test("a column that is part of a longer buffer is read from its own start", () => {
    const packed = packTexts(["ann", "bob"]);
    const buffer = new Uint8Array(packed.length + 6).fill(0x7a);
    buffer.set(packed, 3);
    assert.deepEqual(unpackTexts(buffer.subarray(3, 3 + packed.length)), ["ann", "bob"]);
  });
});
