import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import Fastify from "fastify";
import { WebSocket, WebSocketServer } from "ws";
import type { Identity } from "../../src/app/identity.ts";
import { expiredToken, invalidToken, type Proof } from "../../src/transport/auth/proof.ts";
import { ConcurrencyLimit } from "../../src/transport/limits/concurrency.ts";
import { LiveConnection, type LiveDeps } from "../../src/transport/live/connection.ts";
import { eventStreamRoutes } from "../../src/transport/live/event-stream-routes.ts";
import { Liveness } from "../../src/transport/live/liveness.ts";
import { WaitingStage } from "../queues/waiting-stage.ts";
import { type Json, range, until, within } from "../support/http.ts";
import { TestClock } from "../support/test-clock.ts";

const ann: Identity = { role: "person", by: "ann" };

suite("looking after open connections", () => {
  let server: WebSocketServer;

  before(async () => {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    await once(server, "listening");
  });
  after(() => server.close());

  async function pair(): Promise<{ client: WebSocket; socket: WebSocket; wire: Socket }> {
    const connected = once(server, "connection");
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket, request] = await within("the connection", connected);
    await within("the client is open", once(client, "open"));
    return { client, socket, wire: request.socket };
  }

  test("[LM9] a client that answers pings is alive; one that does not is disconnected", async () => {
    const { client, socket, wire } = await pair();
    const liveness = new Liveness(socket, wire);
    for (const _ of range(3)) {
      const answered = once(socket, "pong");
      assert.equal(liveness.check(), true);
      await within("the pong", answered);
    }
    assert.equal(liveness.check(), true);
    assert.equal(liveness.check(), false, "nothing was read in between");
    client.terminate();
  });

  test("[LM9] a client that answers pings but reads nothing is disconnected", async () => {
    const { client, socket, wire } = await pair();
    const liveness = new Liveness(socket, wire);
    (client as unknown as { _socket: Socket })._socket.pause();
    while (wire.writableLength === 0) {
      socket.send(Buffer.alloc(1_000_000));
      await new Promise(setImmediate);
    }
    // Pongs need no ping, and can be sent without reading anything.
    const check = () => {
      socket.emit("pong");
      return liveness.check();
    };
    assert.equal(check(), true);
    assert.equal(check(), false);
    client.terminate();
    socket.terminate();
  });

  test("[LM9] a client that reads slowly stays connected", async () => {
    const { client, socket, wire } = await pair();
    const liveness = new Liveness(socket, wire);
    const inner = (client as unknown as { _socket: Socket })._socket;
    for (const _ of range(3)) {
      inner.pause();
      while (wire.writableLength === 0) {
        socket.send(Buffer.alloc(1_000_000));
        await new Promise(setImmediate);
      }
      socket.emit("pong");
      assert.equal(liveness.check(), true);
      inner.resume();
      await until("it has read", () => wire.writableLength === 0);
    }
    client.terminate();
  });

  test("[AU5] a connection that only watches ends when its token becomes invalid, and not before", async () => {
    const { client, socket, wire } = await pair();
    let proof: Proof = { identity: ann };
    const prover = { prove: () => proof, renew: async () => proof };
    const parts = { clock: new TestClock(), messagesPerSecond: 10 } as unknown as LiveDeps;
    const origin = { address: "192.0.2.1", userAgent: undefined };
    const connection = new LiveConnection(socket, wire, { identity: ann, origin, prover }, parts);
    const answered = once(socket, "pong");
    connection.keepUp();
    await within("the pong", answered);
    const closed = once(client, "close");
    proof = invalidToken("its key was withdrawn");
    connection.keepUp();
    const [code, reason] = await within("the end", closed);
    assert.deepEqual([code, String(reason)], [1008, "The token was refused: its key was withdrawn."]);
  });

  test("[AU5] a place followed with the token of a message is released when that token becomes invalid, except if it is renewed", async () => {
    const { client, socket, wire } = await pair();
    const stage = new WaitingStage();
    const id = await stage.opened();
    const { position } = await stage.good(stage.enter(id, "ann"));
    const valid = new Set(["first.token", "second.token"]);
    const prove = (token: string): Proof =>
      valid.has(token) ? { identity: { ...ann, issuerKey: token } } : expiredToken;
    const prover = { prove, renew: ({ issuerKey }: Identity) => prove(issuerKey!) };
    const parts = {
      ...{ clock: new TestClock(), messagesPerSecond: 1_000, waiting: stage.rooms },
      gatekeeper: { shed: () => undefined, refusalFor: () => undefined },
    } as unknown as LiveDeps;
    const origin = { address: "192.0.2.1", userAgent: undefined };
    const connection = new LiveConnection(socket, wire, { identity: null, origin, prover }, parts);
    const answers: Json[] = [];
    client.on("message", (data) => answers.push(JSON.parse(String(data))));
    const say = async (id: number, message: object) => {
      client.send(JSON.stringify({ id, ...message }));
      return until("the answer", () => answers.find((answer) => answer.id === id));
    };
    const keptUp = async () => {
      const answered = once(socket, "pong");
      connection.keepUp();
      await within("the pong", answered);
    };
    const attend = { type: "attend", position: position.id, token: "first.token" };
    assert.equal((await say(1, attend)).status, 200);
    assert.equal(
      (await say(2, { type: "heartbeat", position: position.id, token: "second.token" })).status,
      200,
    );
    valid.delete("first.token");
    await keptUp();
    assert.equal(stage.lineBroadcast.size, 1);
    valid.delete("second.token");
    await keptUp();
    const ended = await until("the word of the end", () => answers.find((answer) => answer.id === null));
    assert.deepEqual([ended.status, ended.body.data.position.id], [401, position.id]);
    assert.equal(stage.lineBroadcast.size, 0);
    client.terminate();
    await stage.stop();
  });

  test("[AU5] an event stream ends when its token becomes invalid, and not before", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    let proof: Proof = { identity: ann };
    let renewals = 0;
    const prover = {
      renew: async () => {
        renewals++;
        return proof;
      },
    };
    const app = Fastify();
    app.decorateRequest("identity", null);
    app.addHook("onRequest", async (request) => {
      request.identity = ann;
    });
    const games = { lens: async () => ({}) };
    const hub = { watch: () => ({ close() {} }) };
    type Given = Parameters<typeof eventStreamRoutes>;
    const watchable = { games, arenas: games, hub } as unknown as Given[1];
    const entrances = { proverFor: () => prover } as unknown as Given[2];
    eventStreamRoutes(app, watchable, entrances, new ConcurrencyLimit({ max: 9, perAddressMax: 9 }));
    await app.listen({ port: 0, host: "127.0.0.1" });
    const reader = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    let received = "";
    reader.on("data", (chunk) => {
      received += chunk;
    });
    reader.write("GET /api/v1/games/g/events HTTP/1.1\r\nHost: here\r\n\r\n");
    await until("the stream opens", () => received.includes("retry:"));
    t.mock.timers.tick(15_000);
    await until("the token is checked", () => renewals === 1);
    assert.ok(!received.includes("\r\n0\r\n"), "it goes on");
    proof = invalidToken("its key was withdrawn");
    t.mock.timers.tick(15_000);
    await until("the end", () => received.includes("\r\n0\r\n"));
    reader.destroy();
    t.mock.timers.reset();
    await app.close();
  });
});
