import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { Allowance } from "../../src/transport/live/allowance.ts";
import { Intake } from "../../src/transport/live/intake.ts";
import { Sending } from "../../src/transport/live/sending.ts";
import { range, until, within } from "../support/http.ts";
import { TestClock } from "../support/test-clock.ts";

const framesPerTickMax = 16;

test("[LM5] an allowance grants a burst, can be overdrawn, and returns when the debt is paid", () => {
  const allowance = new Allowance(10, 0);
  assert.deepEqual(
    range(50).map(() => allowance.spend(0)),
    range(50).map(() => 0),
  );
  assert.deepEqual([allowance.spend(0), allowance.spend(0)], [100, 200]);
  assert.equal(allowance.spend(300), 0, "three tokens were added, two of them were owed");
  assert.equal(allowance.spend(300), 100);
  for (const _ of range(50)) assert.equal(allowance.spend(60_000), 0);
  assert.equal(allowance.spend(60_000), 100, "no more than a burst accumulates");
});

suite("reading a WebSocket", () => {
  let server: WebSocketServer;

  before(async () => {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1", autoPong: false, perMessageDeflate: false });
    await once(server, "listening");
  });
  after(() => server.close());

  interface Pair {
    readonly client: WebSocket;
    readonly wire: Socket;
    readonly socket: WebSocket;
    readonly intake: Intake;
    readonly clock: TestClock;
  }

  async function withPair(work: (pair: Pair) => Promise<void>): Promise<void> {
    const connected = once(server, "connection");
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket, request] = await within("the connection", connected);
    await within("the client is open", once(client, "open"));
    const clock = new TestClock();
    const wire = (client as unknown as { _socket: Socket })._socket;
    const intake = new Intake(socket, new Sending(socket, request.socket), clock);
    try {
      await work({ client, wire, socket, intake, clock });
    } finally {
      client.terminate();
      socket.terminate();
    }
  }

  /** Sent at once, so that they arrive in as few reads as possible. */
  function sendAtOnce({ client, wire }: Pair, send: (client: WebSocket) => void, count: number): void {
    wire.cork();
    for (const _ of range(count)) send(client);
    wire.uncork();
  }

  test("[LM5] of many messages that arrive at once, only a few are handled per tick of the event loop", () =>
    withPair(async (pair) => {
      const perTick: number[] = [];
      let isOver = false;
      const tick = () => {
        perTick.push(0);
        if (!isOver) setImmediate(tick);
      };
      tick();
      let handled = 0;
      pair.socket.on("message", () => {
        pair.intake.take();
        handled++;
        perTick[perTick.length - 1]++;
      });
      sendAtOnce(pair, (client) => client.send("{}"), 1_000);
      await until("all are handled", () => handled === 1_000);
      isOver = true;
      // The count may start in the middle of a tick, and then includes two ticks.
      assert.ok(Math.max(...perTick) <= 2 * framesPerTickMax, `${Math.max(...perTick)} in one tick`);
    }));

  test("[LM5] a connection over its allowance is not read until the debt is paid", () =>
    withPair(async (pair) => {
      const { socket, intake, clock } = pair;
      intake.allow(10);
      let handled = 0;
      socket.on("message", () => {
        intake.take();
        handled++;
      });
      sendAtOnce(pair, (client) => client.send("{}"), 60);
      await until("all of one read are handled", () => handled === 60);
      assert.ok(socket.isPaused);
      await clock.advance(900);
      assert.ok(socket.isPaused, "ten too many arrived, nine of which have been made up for");
      await clock.advance(100);
      assert.ok(!socket.isPaused);
      sendAtOnce(pair, (client) => client.send("{}"), 1);
      await until("the next is read", () => handled === 61);
      intake.allow(10);
      assert.ok(socket.isPaused, "the same token again does not refill the bucket");
    }));

  test("[LM5] without an allowance, reading keeps pace with answering", () =>
    withPair(async (pair) => {
      const { socket, intake } = pair;
      intake.allow(undefined);
      let handled = 0;
      socket.on("message", () => {
        intake.take();
        intake.asked();
        handled++;
      });
      sendAtOnce(pair, (client) => client.send("{}"), 128);
      await until("all are handled", () => handled === 128);
      assert.ok(socket.isPaused);
      for (const _ of range(64)) intake.answered();
      assert.ok(socket.isPaused);
      intake.answered();
      assert.ok(!socket.isPaused, "half of them are answered");
    }));

  test("[LM5] a few pings are answered, and a flood of pings or pongs closes that connection", () =>
    withPair(async (pair) => {
      const { client, socket, intake, clock } = pair;
      let pongs = 0;
      client.on("pong", () => pongs++);
      sendAtOnce(pair, (it) => it.ping(""), 25);
      await until("the answers", () => pongs === 25);
      sendAtOnce(pair, (it) => it.pong(""), 25);
      const closed = once(client, "close");
      sendAtOnce(pair, (it) => it.ping(""), 2);
      await until("the goodbye", () => socket.readyState === socket.CLOSING);
      assert.ok(socket.isPaused);
      assert.equal(intake.take(), false, "messages already read are no longer handled");
      await until("the client knows", () => client.readyState === client.CLOSING);
      await clock.advance(1_000);
      const [code, reason] = await within("the close", closed);
      assert.deepEqual([code, String(reason), pongs], [1008, "Too many pings.", 25]);
    }));
});
