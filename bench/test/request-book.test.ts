import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestBook } from "../src/request-book.ts";

test("a book gives back every request as it was added, through all its growing", () => {
  const book = new RequestBook();
  const texts = Array.from({ length: 10_000 }, (_, index) => `${index}:${"x".repeat(index % 500)}`);
  for (const text of texts) book.addText(text);
  const taken: string[] = [];
  while (book.left > 0) taken.push(book.bytesOf(book.take()).toString());
  assert.deepEqual(taken, texts);
  book.rewind();
  assert.equal(book.left, texts.length);
  assert.equal(book.bytesOf(book.take(3), 3).toString(), texts.slice(0, 3).join(""));
  book.clear();
  assert.equal(book.count, 0);
  assert.equal(book.left, 0);
});
