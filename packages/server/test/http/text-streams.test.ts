import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { sendText } from "../../src/transport/http/text-stream.ts";
import { ConcurrencyLimit } from "../../src/transport/limits/concurrency.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { limitConcurrency } from "../../src/transport/limits/limit-concurrency.ts";
import { testAddresses } from "../support/addresses.ts";
import { range, within } from "../support/http.ts";
import { TestClock, until } from "../support/test-clock.ts";

const readTimeoutMs = 30_000;

suite("long answers", () => {
  let app: FastifyInstance;
  let clock: TestClock;
  const limit = new ConcurrencyLimit({ max: 1, perAddressMax: 1 });
  const given = { begun: 0, pieces: 0, ends: 0 };

  /** As many pieces as are read, each larger than the buffers in between. */
  async function* endless(): AsyncGenerator<string> {
    given.begun++;
    try {
      for (; ; given.pieces++) {
        yield "x".repeat(100_000);
        await new Promise(setImmediate);
      }
    } finally {
      given.ends++;
    }
  }

  const checks: { waiting?: () => void; isGone: boolean } = { isGone: false };
  const work: { finish?: () => void; isGone: boolean } = { isGone: false };
  const slow = {
    isWanted: false,
    give() {},
    async *pieces() {
      yield "the beginning\n";
      await new Promise<void>((resolve) => {
        Object.assign(slow, { isWanted: true, give: resolve });
      });
      yield "the end";
    },
  };

  before(async () => {
    app = Fastify();
    clock = new TestClock();
    identifyAddresses(app, testAddresses());
    const onRequest = limitConcurrency(limit, { address: "one is", all: "many are" });
    app.get("/endless", { onRequest }, (_, reply) => sendText(reply, endless(), clock));
    app.get("/slow", (_, reply) => sendText(reply, slow.pieces(), clock));
    const check = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      checks.waiting = done;
      request.raw.socket.once("close", () => {
        checks.isGone = true;
      });
    };
    app.get("/late-check", { onRequest: [check, onRequest] }, async () => "served");
    app.get("/work", { onRequest }, (request) => {
      request.raw.socket.once("close", () => {
        work.isGone = true;
      });
      request.work = new Promise<void>((resolve) => {
        work.finish = resolve;
      });
      return request.work;
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
  });
  after(() => app.close());

  async function reader(method = "GET", path = "/endless"): Promise<Socket> {
    const { port } = app.server.address() as { port: number };
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
    await within("the answer begins", once(socket, "data"));
    return socket;
  }

  /** Resolves when all buffers are full: nothing more is requested. */
  async function stuck(): Promise<void> {
    for (let before = -1; before !== given.pieces; ) {
      before = given.pieces;
      for (const _ of range(200)) await new Promise(setImmediate);
    }
  }

  test("[LM10] a reader that reads nothing for 30 seconds is disconnected, and its place is released", async () => {
    const socket = await reader();
    socket.pause();
    await stuck();
    const { ends } = given;
    await clock.advance(readTimeoutMs - 1);
    assert.deepEqual([limit.total, given.ends], [1, ends], "the reader still has time");
    await clock.advance(readTimeoutMs);
    await until(() => limit.total === 0, "the permit is released");
    await until(() => given.ends === ends + 1, "no further pieces are made");
    assert.equal(clock.timers, 0);
    socket.destroy();
  });

  test("[LM10] a slow reader is not disconnected while it keeps reading", async () => {
    const socket = await reader();
    for (const _ of range(10)) {
      socket.pause();
      await stuck();
      await clock.advance(readTimeoutMs - 1);
      const { pieces } = given;
      socket.resume();
      await until(() => given.pieces > pieces, "it reads on");
    }
    assert.equal(limit.total, 1);
    socket.destroy();
    await until(() => limit.total === 0, "the permit is released");
    assert.equal(clock.timers, 0);
  });

  test("[LM10] a reader is not disconnected while it waits for a piece that takes long to make", async () => {
    const socket = await reader("GET", "/slow");
    await until(() => slow.isWanted, "the next piece is requested");
    await clock.advance(10 * readTimeoutMs);
    slow.give();
    const [rest] = await within("the rest", once(socket, "data"));
    assert.match(String(rest), /the end/);
    socket.destroy();
    await until(() => clock.timers === 0, "no timer is left");
  });

  test("[LM10] a place is released if the client disconnects before it is taken, and when its work is done", async () => {
    const { port } = app.server.address() as { port: number };
    const ask = (path: string) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
      return socket;
    };
    const early = ask("/late-check");
    await until(() => checks.waiting !== undefined, "its token is being checked");
    early.destroy();
    await until(() => checks.isGone, "it is gone");
    checks.waiting!();
    await new Promise(setImmediate);
    assert.equal(limit.total, 0);
    const leaving = ask("/work");
    await until(() => work.finish !== undefined, "the work has begun");
    leaving.destroy();
    await until(() => work.isGone, "it is gone");
    assert.equal(limit.total, 1, "the work continues");
    work.finish!();
    await until(() => limit.total === 0, "the permit is released");
  });

  test("[LM10] HEAD makes none of the content of GET", async () => {
    const { begun } = given;
    const socket = await reader("HEAD");
    await until(() => limit.total === 0, "the permit is released");
    assert.equal(given.begun, begun);
    assert.equal(clock.timers, 0);
    socket.destroy();
  });
});
