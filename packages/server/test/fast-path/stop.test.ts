import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { until, within } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";
import { fastStage } from "./stage.ts";

const ann = `Authorization: Bearer ${tokenOf("ann")}`;
const echo = requestText("POST /echo/a", [ann]);
const held = requestText("GET /held/b", [ann]);
const ordinary = requestText("GET /ordinary");

/** Less than the 72 s that an idle connection is kept: a shutdown that waits for those takes longer. */
const stopMsMax = 60_000;

/** Removes the time limit of the last responses, which would pass while the machine stalls. */
function giveTimeForAnswers({ mock }: TestContext): void {
  const { setTimeout } = globalThis;
  const stretched = (run: () => void, ms = 0) =>
    setTimeout(run, ms >= 1_000 && ms <= 10_000 ? 3_600_000 : ms);
  mock.method(globalThis, "setTimeout", stretched as typeof setTimeout);
}

describe("a shutdown of the server", () => {
  test("closes idle connections at once, whatever they were used for", async (context) => {
    giveTimeForAnswers(context);
    const stage = await fastStage();
    const clients = [];
    for (const uses of [[], [echo], [ordinary], [echo, ordinary], [ordinary, echo]]) {
      const client = await RawClient.open(stage.url);
      for (const bytes of uses) assert.equal((await client.ask(bytes)).status, 200);
      clients.push(client);
    }
    await within("the stop", stage.close(), stopMsMax);
    for (const client of clients) assert.equal(await client.rest(), "");
  });

  test("finishes requests in progress, as the last on their connections", async (context) => {
    giveTimeForAnswers(context);
    const stage = await fastStage();
    const client = await RawClient.open(stage.url);
    client.send(held);
    const slow = await RawClient.open(stage.url);
    slow.send(echo + requestText("GET /slow"));
    assert.equal((await slow.answer()).status, 200);
    await until("all to be asked", () => stage.held.length === 2);
    const stopped = stage.close();
    await until("the stop to begin", () => stage.fastPath.isClosing);
    // Sent too late: neither answered nor executed.
    client.send(echo);
    const asked = stage.asks.length;
    for (const { release } of stage.held) release();
    const answer = await client.answer();
    assert.equal(answer.status, 200);
    assert.match(answer.head, /^connection: close\r$/im);
    assert.equal(await client.rest(), "");
    assert.equal((await slow.answer()).status, 200);
    assert.equal(await slow.rest(), "", "Node's HTTP server ends it when it is idle");
    await within("the stop", stopped, stopMsMax);
    assert.equal(stage.asks.length, asked);
  });

  test("answers a connection opened during the shutdown one last time", async (context) => {
    giveTimeForAnswers(context);
    const stage = await fastStage();
    const busy = await RawClient.open(stage.url);
    busy.send(held);
    await until("it to be asked", () => stage.held.length === 1);
    const before = stage.fastPath.answered;
    const stopped = stage.close();
    await until("the stop to begin", () => stage.fastPath.isClosing);
    const late = await RawClient.open(stage.url);
    const answer = await late.ask(echo);
    assert.equal(answer.status, 200);
    assert.match(answer.head, /^connection: close\r$/im);
    assert.equal(stage.fastPath.answered, before, "the ordinary way");
    stage.held[0].release();
    await within("the stop", stopped, stopMsMax);
  });

  test("ends as soon as a slow client has read its responses", async (context) => {
    giveTimeForAnswers(context);
    const stage = await fastStage();
    const client = await RawClient.open(stage.url);
    client.socket.pause();
    client.send(requestText("GET /large/a", [ann]).repeat(200));
    await until("some answers", () => stage.fastPath.answered > 0);
    const other = await RawClient.open(stage.url);
    await other.ask(echo);
    const stopped = stage.close();
    await until("the stop to begin", () => stage.fastPath.isClosing);
    const { answered } = stage.fastPath;
    client.socket.resume();
    await within("the stop", stopped, stopMsMax);
    const received = await client.rest();
    const one = received.indexOf("HTTP/1.1 200", 1);
    assert.equal(received.length, one * (answered - 1), "every response is complete");
  });

  test("does not wait forever for a client that does not read its response", async () => {
    const stage = await fastStage();
    const client = await RawClient.open(stage.url);
    client.socket.pause();
    client.send(requestText("GET /large/a", [ann]).repeat(200));
    await until("some answers", () => stage.fastPath.answered > 0);
    client.send(held);
    await within("the stop", stage.close(), stopMsMax);
    client.close();
  });
});
