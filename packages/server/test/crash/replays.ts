import assert from "node:assert/strict";
import { type Answer, eachOf } from "../support/http.ts";

/** ID1: each request, sent again under its key, is answered as it was, to the letter. */
export async function assertReplays<Act extends { answer?: Answer }>(
  acts: readonly Act[],
  send: (act: Act) => Promise<Answer>,
): Promise<void> {
  await eachOf(acts, 48, async (act) => {
    const again = await send(act);
    const first = act.answer!;
    const about = `${JSON.stringify({ ...act, answer: first.text })} again: ${again.status} ${again.text}`;
    assert.deepEqual([again.status, again.text], [first.status, first.text], about);
    assert.equal(again.headers["idempotent-replayed"], "true", about);
  });
}
