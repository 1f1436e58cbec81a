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

  test("[LM9] a client that sends nothing, or half of a head, a body or a chunk, gets 408, and the connection is closed", async () => {
    const chunked = half.replace("Content-Length: 99", "Transfer-Encoding: chunked");
    const sent = ["", half, `${half}\r\n{"a":`, `${chunked}\r\nff\r\nx`];
    await Promise.all(
      sent.map(async (bytes) => {
        const client = await RawClient.open(stage.url);
        client.send(bytes);
        assert.match(await client.rest(), /^HTTP\/1\.1 408 [\s\S]*"code":"input\.too-slow"/);
        client.close();
      }),
    );
    await until("the connections to be closed", async () => (await stage.open()) === 0);
  });

  test("[LM9] a client that sends a byte occasionally is disconnected as well", async (t) => {
    const client = await RawClient.open(stage.url);
    client.send(half);
    const dripping = setInterval(() => client.send("x"), 20);
    t.after(() => clearInterval(dripping));
    assert.match(await client.rest(), /^HTTP\/1\.1 (408|400) /);
    client.close();
  });

  test("[LM9] a client that reads nothing of one response, or of sixteen, is disconnected", async () => {
    const before = stage.large();
    const clients = await Promise.all([1, 16].map(() => RawClient.open(stage.url)));
    for (const [index, client] of clients.entries()) {
      client.socket.pause();
      client.send(requestText("GET /large").repeat([1, 16][index]));
    }
    await until("the requests", () => stage.large() === before + 2);
    await until("the connections to be closed", async () => (await stage.open()) === 0);
    for (const client of clients) client.close();
  });

  test("[LM9] a client that reads slowly, for longer than the limit, gets all of a large response", async (t) => {
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

  test("[LM9] a slow response is waited for, also on a connection that was behind before", async () => {
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
