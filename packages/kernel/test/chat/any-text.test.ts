import assert from "node:assert/strict";
import { describe, test } from "node:test";
import vm from "node:vm";
import { nicknameFrom, understand } from "@openseat/kernel";
import fc from "fast-check";
import { messageLengthMax, type Saying } from "../../src/chat/grammar.ts";
import { clipped, tidied } from "../../src/chat/tidy.ts";

/** Any UTF-16 code units, including lone surrogates. */
const units = fc
  .array(fc.nat(0xffff), { maxLength: 1_200, size: "max" })
  .map((codes) => String.fromCharCode(...codes));
/** Whole characters of any script. */
const characters = fc.string({ unit: "binary", maxLength: 600, size: "max" });
/** Random sequences of the parts that messages consist of. */
const pieces = fc
  .array(
    fc.constantFrom(
      ..."throw match nick rating register rock ✊🏽 rated vs me @ @bob bob".split(" "),
      ...["/", "!", "?", ".", ":", "-", "–", "3", "1", "3-1", " ", "  ", "\n", "\u00a0", "\u200f", "\ufe0f"],
      ...["\u0301", "\ud83d", "\udc00", "\u0000", "__proto__", "constructor", "@OpenseatBot"],
    ),
    { maxLength: 60, size: "max" },
  )
  .map((all) => all.join(""));
const anyText = fc.oneof(units, characters, pieces);

/** All names mentioned in a message. */
function namesIn(saying: Saying): string[] {
  if (saying.type === "throw") return saying.at === undefined ? [] : [saying.at];
  if (saying.type === "match") return saying.players.filter((name) => name !== undefined);
  return saying.type === "rating" || saying.type === "history" ? [saying.of ?? []].flat() : [];
}

describe("any text", () => {
  test("[CH5] is always understood as something, with names without punctuation", () => {
    const property = fc.property(anyText, (text) => {
      const saying = understand(text);
      if (text.length > messageLengthMax) assert.deepEqual(saying, { type: "unclear", why: "long" });
      for (const name of namesIn(saying))
        assert.match(name, /^[^@\s\p{Cc}\p{Cf}](?:[^\s\p{Cc}\p{Cf}]*[^\s.,;:!?])?$/u);
      if (saying.type !== "match") return;
      for (const score of saying.scores) assert.ok(Number.isSafeInteger(score) && score >= 0);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("[CH5] means the same after normalising, and with extra spaces and invisible characters", () => {
    const added = fc.constantFrom(" ", "\t\n", "\u00a0", "\u3000 ", "\u0007");
    const property = fc.property(anyText, added, added, (text, before, behind) => {
      fc.pre(text.length < messageLengthMax / 2);
      const tidy = tidied(text);
      assert.equal(tidied(tidy), tidy);
      assert.equal(tidy.normalize("NFC"), tidy);
      const words = tidy.split(" ").join(`\u200b${behind}\u202e`);
      const meaning = understand(text);
      for (const other of [tidy, before + text + behind, before + words])
        assert.deepEqual(understand(other), meaning, JSON.stringify(other));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("[CH5] means the same in any case, with `/` or a bot's name at the first word", () => {
    const words = ["help", "nick", "throw", "games", "register", "match", "rating", "top", "undo", "quit"];
    const property = fc.property(fc.constantFrom(...words), pieces, fc.nat(1_023), (word, rest, capitals) => {
      fc.pre(rest.length < messageLengthMax / 2);
      const any = [...word]
        .map((letter, nth) => ((capitals >> nth) & 1 ? letter.toUpperCase() : letter))
        .join("");
      const meaning = understand(`${word} ${rest}`);
      for (const first of [any, `/${any}`, `!${any}`, `/${any}@Some_Bot`, `${any}!`])
        assert.deepEqual(understand(`${first} ${rest}`), meaning, first);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("[CH5] is clipped to whole characters", () => {
    assert.equal(clipped("ab💥", 3), "ab");
    assert.equal(clipped("ab💥", 4), "ab💥");
    const property = fc.property(characters, fc.nat(50), (text, max) => {
      const short = clipped(text, max);
      assert.ok(short.length <= max && short.length >= Math.min(max - 1, text.length));
      assert.ok(text.startsWith(short) && short.isWellFormed());
    });
    fc.assert(property);
    assert.ok(clipped("\udc00\ud83d", 5).isWellFormed());
  });
});

/** Inputs that make backtracking patterns slow: long repetitions with a different end. */
function* adversaries(): Generator<string> {
  const heads = ["", "nick ", "throw ", "match ", "rating ", "register ", "/", "rock ", "match @a @b "];
  const repeated = [
    ...["a", " ", "@", "/", "!", ".", "?!", "1", "1 ", "1-", " 1-1", "3:", "- ", ": ", "a@", "@a ", "a."],
    ..."e\u0301 \u0301 \u200b \ufe0f 🏽 ✊🏽 \ud83d \udc00 _- ﷺ 각".split(" "),
    ...["vs ", "me ", "rated "],
  ];
  const ends = ["", "x", "!", "@", " 1-", "1-1", "\u0000", "\ud83d"];
  for (const head of heads)
    for (const unit of repeated)
      for (const end of ends)
        yield head +
          unit.repeat(messageLengthMax).slice(0, messageLengthMax - head.length - end.length) +
          end;
}

test("[CH5] a text of a thousand characters is parsed quickly", () => {
  const texts = [...adversaries()];
  assert.ok(texts.every(({ length }) => length <= messageLengthMax) && texts.length > 2_000);
  const read = () => {
    for (const text of texts) {
      understand(text);
      nicknameFrom(text);
    }
  };
  // Run with a timeout: a pattern that backtracks without end would never return.
  vm.runInNewContext("read()", { read }, { timeout: 60_000 });
});
