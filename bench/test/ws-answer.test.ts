import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer } from "../src/ws-answer.ts";

function read(message: object) {
  const bytes = Buffer.from(`....${JSON.stringify(message)}....`);
  const answer = readAnswer(bytes, 4, bytes.length - 4);
  return answer && { ...answer };
}

test("id and status are read in the usual order and in any other", () => {
  const body = { success: true, data: { id: 1, status: 500 } };
  assert.deepEqual(read({ id: 123456, type: "answer", status: 200, body }), { id: 123456, status: 200 });
  assert.deepEqual(read({ id: 7, type: "answer", status: 404 }), { id: 7, status: 404 });
  assert.deepEqual(read({ body, status: 409, type: "answer", id: 0 }), { id: 0, status: 409 });
  assert.deepEqual(read({ id: 8, body, type: "answer", status: 200 }), { id: 8, status: 200 });
});

test("messages that are no answers are left alone, unless they are about one of ours", () => {
  assert.equal(read({ type: "hello" }), undefined);
  assert.deepEqual(read({ id: 3, type: "error" }), { id: 3, status: 0 });
});
