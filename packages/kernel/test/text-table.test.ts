import assert from "node:assert/strict";
import { test } from "node:test";
import { asWord, TextTable } from "@openseat/kernel";
import fc from "fast-check";

function tableOf(size: number): TextTable {
  const table = new TextTable();
  for (let number = 0; number < size; number++) assert.equal(table.add(`person-${number}`), number);
  return table;
}

test("an empty table", () => {
  const table = new TextTable();
  assert.equal(table.size, 0);
  assert.equal(table.find(""), -1);
  assert.equal(table.find("ada"), -1);
  assert.throws(() => table.text(0), /never added/);
  const restored = TextTable.restore(table.save());
  assert.equal(restored.size, 0);
  assert.equal(restored.add("ada"), 0);
});

test("texts are numbered in the order in which they first came", () => {
  const table = new TextTable();
  assert.deepEqual(
    ["ada", "bob", "ada", "", "bob", "cyd", ""].map((text) => table.add(text)),
    [0, 1, 0, 2, 1, 3, 2],
  );
  assert.equal(table.size, 4);
  assert.deepEqual(
    [0, 1, 2, 3].map((number) => table.text(number)),
    ["ada", "bob", "", "cyd"],
  );
  assert.deepEqual(
    ["cyd", "", "bo", "bobb", "Ada"].map((text) => table.find(text)),
    [3, 2, -1, -1, -1],
  );
});

test("texts of any script are told apart as a Map tells them, before and after a restore", () => {
  const letters = fc.constantFrom(
    "a",
    "B",
    "ł",
    "é",
    "e\u0301",
    "ß",
    "日",
    "本",
    "🎲",
    "🎰",
    "\u{10ffff}",
    " ",
  );
  const wide = fc.array(letters, { maxLength: 200 }).map((all) => all.join(""));
  const printable = fc.string({ unit: fc.nat(0x5e).map((code) => String.fromCharCode(0x20 + code)) });
  const texts = fc.array(fc.oneof(wide, printable));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const model = new Map<string, number>();
      let table = new TextTable();
      for (const text of [...before, ...after]) {
        if (!model.has(text)) model.set(text, model.size);
        assert.equal(table.add(text), model.get(text));
        if (model.size === before.length) table = TextTable.restore(structuredClone(table.save()));
      }
      assert.equal(table.size, model.size);
      for (const [text, number] of model) assert.equal(table.text(number), text);
      for (const text of after) assert.equal(table.find(`${text}é`), model.get(`${text}é`) ?? -1);
    }),
  );
});

test("a hundred thousand texts keep their numbers, in the memory that they need", () => {
  assert.ok(tableOf(2).bytes < 300);
  const table = tableOf(100_000);
  for (let number = 0; number < 100_000; number++) {
    assert.equal(table.find(`person-${number}`), number);
    assert.equal(table.text(number), `person-${number}`);
    assert.equal(table.find(`nobody-${number}`), -1);
  }
  const needed = 100_000 * ("person-12345".length + 4 + 8);
  assert.ok(table.bytes > needed && table.bytes < 2 * needed, `${table.bytes} bytes`);
});

test("no addition makes more than a small part of the index anew, for everybody would wait meanwhile", () => {
  const table = new TextTable();
  let before = 0;
  for (let number = 0; number < 100_000; number++) {
    table.add(`person-${number}`);
    const { bytes, ends } = table.save();
    const index = table.bytes - bytes.buffer.byteLength - ends.buffer.byteLength;
    assert.ok(index - before <= 32_768, `${index - before} bytes more at ${number}`);
    before = index;
  }
  assert.ok(before > 800_000);
});

test("what was saved stays as it was while the table grows, because a snapshot is being written", () => {
  const table = new TextTable();
  const saves: { save: ReturnType<TextTable["save"]>; bytes: Uint8Array; ends: Uint32Array }[] = [];
  for (let number = 0; number < 2_000; number++) {
    table.add(`person-${number}`);
    table.find(`somebody who is not there ${number}`);
    const save = table.save();
    saves.push({ save, bytes: save.bytes.slice(), ends: save.ends.slice() });
  }
  for (const { save, bytes, ends } of saves) {
    assert.deepEqual(save.bytes, bytes);
    assert.deepEqual(save.ends, ends);
  }
});

test("a restored table has its own memory and goes on numbering", () => {
  const saved = structuredClone(tableOf(3_000).save());
  const table = TextTable.restore(saved);
  saved.bytes.fill(0);
  saved.ends.fill(0);
  for (let number = 0; number < 3_000; number++) {
    assert.equal(table.find(`person-${number}`), number);
    assert.equal(table.text(number), `person-${number}`);
  }
  assert.equal(table.add("new"), 3_000);
  assert.equal(table.text(3_000), "new");
});

test("the bytes of a text are its UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
      fc.pre(!/\p{Cc}/u.test(text));
      const table = new TextTable();
      table.add(text);
      assert.deepEqual(Buffer.from(table.save().bytes), Buffer.from(text, "utf8"));
    }),
  );
});

test("[AU8] ids are words that no other id and text after it give", () => {
  const ids = ["ann", "ann lee", "ann%20lee", "ann ", " ann", "a n n", "@operator", "änn lee", "ann  lee"];
  const texts = ["lee 7", "7", " 7", "", "lee lee 7"];
  const all = ids.flatMap((id) => texts.map((text) => `${asWord(id)} ${text}`));
  assert.equal(new Set(all).size, all.length);
  assert.equal(asWord("auth0|5f7c%20"), "auth0|5f7c%20", "the form in existing logs never changes");
});

test("no control character, no half of a pair and nothing too long comes in, nor is mistaken for something else", () => {
  const table = new TextTable();
  table.add("B");
  const longest = "x".repeat(1_024);
  assert.equal(table.text(table.add(longest)), longest);
  const controls = ["\n", "é\n", "\x7f", "é\x7f", "\u0080", "a\0"];
  for (const text of [...controls, "\ud83c", "é\udfb2", `${longest}x`, "é".repeat(513)]) {
    assert.equal(table.find(text), -1);
    assert.throws(() => table.add(text), /control characters/);
  }
  assert.equal(table.size, 2);
  assert.equal(table.find("B"), 0);
});

test("columns that no table has saved are refused", () => {
  const { bytes, ends } = tableOf(3).save();
  assert.throws(() => TextTable.restore({ bytes: bytes.subarray(1), ends }), /truncated/);
  assert.throws(() => TextTable.restore({ bytes, ends: ends.subarray(0, 2) }), /belong to no text/);
  assert.throws(() => TextTable.restore({ bytes, ends: ends.slice().reverse() }), /negative length/);
  assert.throws(() => TextTable.restore({ bytes: bytes.slice().fill(65), ends }), /saved twice/);
});
