import assert from "node:assert/strict";
import { test } from "node:test";
import { Openseat } from "../src/index.ts";
import { ManualClock } from "./support/clocks.ts";

/** A browser says the same whether the network failed or the page's origin is not allowed. */
async function messageOfFailure(): Promise<string> {
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const clock = new ManualClock();
  const openseat = new Openseat({ url: "http://localhost:1", fetch, clock });
  const failed = openseat.games.list().then(
    () => "",
    (error: Error) => error.message,
  );
  const passTime = setInterval(() => clock.advance(10_000), 1);
  const message = await failed;
  clearInterval(passTime);
  openseat.close();
  return message;
}

test("an unreachable server is reported with its reason; in a browser, the reason may be the page's origin", async () => {
  assert.equal(await messageOfFailure(), "The server cannot be reached: Failed to fetch.");
  Object.assign(globalThis, { document: new EventTarget() });
  try {
    const message = "The server cannot be reached: Failed to fetch, or it does not allow this page's origin.";
    assert.equal(await messageOfFailure(), message);
  } finally {
    Reflect.deleteProperty(globalThis, "document");
  }
});
