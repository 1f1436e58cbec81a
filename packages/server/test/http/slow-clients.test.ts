import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { until, within } from "../support/http.ts";
import { type ConnectionStage, connectionStage } from "./connection-stage.ts";

const half =
  "POST /held/a HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 99\r\n";

describe("slow clients", () => {
  let stage: ConnectionStage;
  before(async () => {
    stage = await connectionStage({ requestTimeoutMs: 200, requestCheckMs: 50, unreadMsMax: 600 });
  });
  after(() => stage.close());

  const halves: Record<string, string> = {
    nothing: "",
    "half a head": half,
    "half a body": `${half}\r\n{"a":`,
    "half a chunk": `${half.replace("Content-Length: 99", "Transfer-Encoding: chunked")}\r\nff\r\nx`,
  };
  for (const [name, bytes] of Object.entries(halves))
    test(`[LM9] who sends ${name} is answered 408, and the connection is closed`, async () => {
      const client = await RawClient.open(stage.url);
      client.send(bytes);
      assert.match(await client.rest(), /^HTTP\/1\.1 408 [\s\S]*"code":"input\.too-slow"/);
      await until("the connection to be closed", async () => (await stage.open()) === 0);
      client.close();
    });

  test("[LM9] who sends a byte now and then is cut off all the same", async (t) => {
    const client = await RawClient.open(stage.url);
    client.send(half);
    const dripping = setInterval(() => client.send("x"), 20);
    t.after(() => clearInterval(dripping));
    assert.match(await client.rest(), /^HTTP\/1\.1 (408|400) /);
    client.close();
  });

  for (const requests of [1, 16])
    test(`[LM9] who reads nothing of an answer is cut off: ${requests} asked for`, async () => {
      const client = await RawClient.open(stage.url);
      client.socket.pause();
      client.send(requestText("GET /large").repeat(requests));
      await until("the connection", async () => (await stage.open()) === 1);
      await until("the connection to be closed", async () => (await stage.open()) === 0);
      client.close();
    });

  test("[LM9] a client that reads slowly, for longer than one may read nothing, gets all of a large answer", async (t) => {
    const patient = await connectionStage({ unreadMsMax: 3_000 });
    t.after(() => patient.close());
    const client = await RawClient.open(patient.url);
    let pauses = 0;
    let read = 0;
    client.socket.on("data", ({ length }) => {
      read += length;
      if (read < (pauses + 1) * 1_000_000) return;
      pauses++;
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 500);
    });
    client.send(requestText("GET /large"));
    assert.equal((await client.answer()).body.length, 8_000_000);
    assert.equal(pauses, 8);
    client.close();
  });

  test("[LM9] an answer that takes long to make is waited for, also on a connection that was behind once", async () => {
    const connected = once(stage.app.server, "connection");
    const client = await RawClient.open(stage.url);
    const [socket] = (await connected) as [Socket];
    client.send(requestText("GET /held/slow"));
    const request = await until("the request", () => stage.held.find(({ id }) => id === "slow"));
    const silent = once(stage.app.server, "timeout");
    socket.setTimeout(1);
    await within("the timer", silent);
    request.release();
    assert.equal((await client.answer()).status, 200);
    client.close();
  });
});
