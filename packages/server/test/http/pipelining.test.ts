import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { livePath } from "../../src/transport/live/live-routes.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { range, until, within } from "../support/http.ts";
import { type ConnectionStage, connectionStage } from "./connection-stage.ts";

const quick = requestText("GET /quick");
const held = (id: string, method = "GET") => requestText(`${method} /held/${id}`);
const upgrade = requestText(`GET ${livePath}`, [
  ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
]);

describe("pipelined requests", () => {
  let stage: ConnectionStage;
  const open: RawClient[] = [];
  before(async () => {
    stage = await connectionStage();
  });
  after(() => stage.close());
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    stage.held.length = 0;
    await until("every connection to be closed", async () => (await stage.open()) === 0);
  });

  async function connect(): Promise<RawClient> {
    const client = await RawClient.open(stage.url);
    open.push(client);
    return client;
  }

  const askedIds = () => stage.held.map(({ id }) => id);

  /** A round trip on another connection, after which everything pending has started. */
  async function settle(): Promise<void> {
    const other = await connect();
    for (const _ of range(3)) assert.equal((await other.ask(quick)).status, 200);
  }

  test("[LM5] sixteen may be unanswered, of any kind; each gets its response", async () => {
    const client = await connect();
    const unknown = requestText("GET /nowhere");
    const head = requestText("HEAD /quick");
    client.send(held("a") + unknown + head + quick.repeat(13));
    await until("the first", () => stage.held.length === 1);
    stage.held[0].release();
    assert.equal((await client.answer()).status, 200);
    assert.equal((await client.answer()).status, 404);
    const headAnswer = await within("the answer to HEAD", client.head());
    assert.match(headAnswer, /^HTTP\/1\.1 200 [\s\S]*content-length: 14/);
    for (const _ of range(13)) assert.match((await client.answer()).body, /quick/);
  });

  const excess: Record<string, string> = {
    "ordinary ones": quick,
    "ones without a Host": "GET /quick HTTP/1.1\r\n\r\n",
    "ones with a malformed address": requestText("GET /%zz"),
    "ones with an expectation that nobody meets": requestText("GET /quick", ["Expect: much"]),
    "ones that want to be told to go on": requestText("POST /held/b", ["Expect: 100-continue"]),
    "ones with bodies": requestText("POST /held/b", ["Content-Length: 200"], "x".repeat(200)),
    "ones with bodies in chunks": requestText(
      "POST /held/b",
      ["Transfer-Encoding: chunked"],
      "1\r\nx\r\n0\r\n\r\n",
    ),
  };
  for (const [name, bytes] of Object.entries(excess))
    test(`[LM5] a seventeenth closes the connection, and no waiting request is started: ${name}`, async () => {
      const client = await connect();
      client.send(held("a") + bytes.repeat(16));
      assert.equal(await client.rest(), "");
      stage.held[0]?.release();
      await settle();
      assert.deepEqual(askedIds(), ["a"]);
    });

  test("[LM5] a large response that nobody reads is made once", async () => {
    const before = stage.large();
    const client = await connect();
    client.socket.pause();
    client.send(requestText("GET /large").repeat(16));
    await until("the first", () => stage.large() > before);
    await settle();
    assert.equal(stage.large(), before + 1);
  });

  test("[LM5] requests that wait behind a disconnected client are dropped", async () => {
    const client = await connect();
    client.send(held("a") + held("b") + held("c"));
    await until("the first", () => stage.held.length === 1);
    client.socket.resetAndDestroy();
    await until("the connection to be closed", async () => (await stage.open()) === 0);
    stage.held[0].release();
    await settle();
    assert.deepEqual(askedIds(), ["a"]);
  });

  test("[LM5] the connection closes after the response to a request that asks for it", async () => {
    const client = await connect();
    client.send(held("a") + requestText("GET /quick", ["Connection: close"]));
    await until("the first", () => stage.held.length === 1);
    stage.held[0].release();
    assert.match((await client.answer()).body, /"a"/);
    const last = await client.answer();
    assert.match(last.head, /^connection: close\r$/im);
    assert.equal(await client.rest(), "");
  });

  test("[LM5] an upgrade behind unanswered requests gets an ordinary response, and no socket is lost", async () => {
    const client = await connect();
    client.send(held("a") + upgrade);
    await until("the first", () => stage.held.length === 1);
    stage.held[0].release();
    assert.equal((await client.answer()).status, 200);
    assert.equal((await client.answer()).status, 404);
    assert.match((await client.ask(quick)).body, /quick/);
  });
});

test("[LM5] a request for an upgrade with another method gets an ordinary response, and its socket ends with the client", async () => {
  const stage = await connectionStage();
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const client = await RawClient.open(stage.url);
    assert.equal((await client.ask(upgrade.replace("GET", method))).status, 404);
    client.close();
  }
  await until("every connection to be closed", async () => (await stage.open()) === 0);
  await stage.close();
});

test("[LM5] a shutdown answers the requests waiting on a connection", async () => {
  const stage = await connectionStage();
  const client = await RawClient.open(stage.url);
  client.send(held("a") + held("b"));
  await until("the first", () => stage.held.length === 1);
  const closed = stage.app.close();
  stage.held[0].release();
  await until("the second", () => stage.held.length === 2);
  stage.held[1].release();
  assert.match((await client.answer()).body, /"a"/);
  assert.match((await client.answer()).body, /"b"/);
  client.close();
  await within("the stop", closed);
});
