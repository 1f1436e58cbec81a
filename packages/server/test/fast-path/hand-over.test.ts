import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";

const fast = requestText("GET /api/v1/games/none/can-join", [`Authorization: Bearer ${tokenOf("ann")}`]);
const ordinary = requestText("GET /api/v1/games/none");
const upgrade = requestText("GET /api/v1/live", [
  ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
]);
const ping = '{"id":7,"type":"ping"}';
const upgradeAndPing = Buffer.concat([
  Buffer.from(upgrade),
  Buffer.from([0x81, 0x80 | ping.length, 0, 0, 0, 0]),
  Buffer.from(ping),
]);
/** Connections attacked concurrently. */
const atOnce = 40;

describe("a connection that leaves the fast path for a WebSocket", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  /** Sends both parts as separate packets, and waits for the handshake and the pong. */
  async function becomesLive(asked: readonly string[], head: Buffer, tail: Buffer): Promise<void> {
    const client = await RawClient.open(server.url);
    for (const request of asked) await client.ask(request);
    let received = "";
    client.socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    client.send(head);
    await pause(1);
    client.send(tail);
    const isAnswered = () => received.includes("101 Switching") && received.includes('"id":7,');
    await until(`the answer to ${head.length} and ${tail.length} bytes`, isAnswered);
    client.close();
  }

  for (const [name, asked, together] of [
    ["at once", [], ""],
    ["after a fast request", [fast], ""],
    ["after an ordinary request", [ordinary], ""],
    ["together with a fast request", [], fast],
  ] as const) {
    test(`${name}, is answered wherever the bytes are split`, async () => {
      const bytes = Buffer.concat([Buffer.from(together), upgradeAndPing]);
      for (let from = 0; from < bytes.length; from += atOnce) {
        const splits = range(Math.min(atOnce, bytes.length - from)).map((index) => from + index);
        await Promise.all(splits.map((at) => becomesLive(asked, bytes.subarray(0, at), bytes.subarray(at))));
      }
    });
  }

  test("leaves nothing behind if its client ends or resets it on the way", async () => {
    const { hostname, port } = new URL(server.url);
    const bytes = Buffer.concat([Buffer.from(fast), upgradeAndPing]);
    const attack = async (number: number) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.on("error", () => {});
      socket.resume();
      const at = number % bytes.length;
      socket.write(bytes.subarray(0, at));
      if (number % 3 > 0) await pause(number % 7);
      if (number % 2 > 0) socket.write(bytes.subarray(at));
      if (number % 5 < 2) socket.resetAndDestroy();
      else if (number % 5 < 4) socket.end();
      else socket.destroy();
    };
    for (let from = 0; from < 2 * bytes.length; from += atOnce)
      await Promise.all(range(atOnce).map((index) => attack(from + index)));
    await becomesLive([], upgradeAndPing.subarray(0, 30), upgradeAndPing.subarray(30));
    await until("all connections to be gone", async () => (await connections(server)) === 0);
  });
});

function connections({ app }: TestServer): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}
