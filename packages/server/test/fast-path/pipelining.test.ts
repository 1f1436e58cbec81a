import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { setImmediate as soon } from "node:timers/promises";
import { range, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";
import { fastStage, type Stage } from "./stage.ts";

const ann = `Authorization: Bearer ${tokenOf("ann")}`;
const echo = (id: string) => requestText(`POST /echo/${id}`, [ann]);
const ordinary = requestText("GET /ordinary");
const slow = requestText("GET /slow");
const idIn = ({ body }: { body: string }) => JSON.parse(body).data?.id;

describe("pipelined requests in the fast path", () => {
  let stage: Stage;
  /** How often a route was called in this tick of the event loop. */
  let asked = 0;
  let askedMost = 0;
  let isOver = false;
  const sockets: Socket[] = [];
  const open: RawClient[] = [];

  before(async () => {
    stage = await fastStage({
      onAsk: () => {
        asked++;
      },
    });
    stage.app.server.prependListener("connection", (socket) => sockets.push(socket));
    const comeRound = () => {
      askedMost = Math.max(askedMost, asked);
      asked = 0;
      if (!isOver) setImmediate(comeRound);
    };
    comeRound();
  });
  after(async () => {
    isOver = true;
    await stage.close();
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
    sockets.length = 0;
    stage.held.length = 0;
    stage.asks.length = 0;
  });

  async function connect(): Promise<RawClient> {
    const client = await RawClient.open(stage.url);
    open.push(client);
    return client;
  }

  test("[LM5] thousands of requests to its routes are answered in order, a few at a time", async () => {
    const client = await connect();
    const before = stage.fastPath.answered;
    const ids = range(2_000).map((index) => `n${index}`);
    askedMost = 0;
    client.send(ids.map(echo).join(""));
    for (const id of ids) assert.equal(idIn(await client.answer()), id);
    assert.equal(stage.fastPath.answered - before, ids.length);
    await soon();
    assert.ok(askedMost <= 8, `${askedMost} before the event loop came round`);
  });

  test("[LM5] requests of all sizes that come together are answered in order", async () => {
    const client = await connect();
    // Around the number of bytes that the fast path reads at first.
    const sizes = [0, 500, 700, 1_900, 3_000, 0, 4_000, 1, 4_096, 7_000];
    const ids = range(60).map((index) => `n${index}`);
    const sized = (id: string, index: number) =>
      requestText(`POST /echo/${id}`, [ann, `X-Pad: ${"x".repeat(sizes[index % sizes.length])}`]);
    client.send(ids.map(sized).join(""));
    for (const id of ids) assert.equal(idIn(await client.answer()), id);
    assert.deepEqual(
      stage.asks.map(({ id }) => id),
      ids,
    );
  });

  test("[LM5] requests to other routes start one at a time", async () => {
    const client = await connect();
    client.send(slow.repeat(3) + echo("last"));
    for (const index of range(3)) {
      await until(`request ${index}`, () => stage.held.length === index + 1);
      const other = await connect();
      await other.ask(ordinary);
      assert.equal(stage.held.length, index + 1);
      stage.held[index].release();
      assert.match((await client.answer()).body, /slow/);
    }
    assert.equal(idIn(await client.answer()), "last");
  });

  test("[LM5] a request that cannot be answered yet is not read", async () => {
    const client = await connect();
    client.send(requestText("GET /held/a", [ann]));
    await until("it to be asked", () => stage.held.length === 1);
    client.send(ordinary.repeat(100_000));
    const other = await connect();
    for (const _ of range(50)) await other.ask(ordinary);
    assert.ok(sockets[0].bytesRead < 400_000, `${sockets[0].bytesRead} bytes were read`);
    client.socket.resetAndDestroy();
    stage.held[0].release();
    await other.ask(echo("goes-on"));
  });

  test("[LM5] of thousands of requests that go to Node, few are parsed, none past the sixteenth is started, and the connection is closed", async () => {
    const client = await connect();
    let parsed = 0;
    const count = () => void parsed++;
    stage.app.server.on("request", count);
    client.send(echo("a") + slow + ordinary.repeat(2_000));
    await client.rest();
    stage.app.server.off("request", count);
    await (await connect()).ask(echo("b"));
    assert.deepEqual(
      stage.asks.map(({ id }) => id),
      ["a", "b"],
    );
    assert.equal(stage.held.length, 1);
    assert.ok(parsed > 16 && parsed < 200, `${parsed} were parsed`);
  });

  test("[LM5] a packet of garbage is refused once", async () => {
    const client = await connect();
    let errors = 0;
    const count = () => void errors++;
    stage.app.server.on("clientError", count);
    client.send(Buffer.alloc(60_000));
    assert.match(await client.rest(), /^HTTP\/1\.1 400 /);
    stage.app.server.off("clientError", count);
    assert.equal(errors, 1);
  });

  test("[LM5] sixteen requests of all sizes that go to Node are answered in order", async () => {
    const client = await connect();
    const sizes = [0, 4_000, 3_900, 1, 9_000, 500];
    const bodies = range(16).map((index) =>
      JSON.stringify({ name: `${index}`, more: "x".repeat(sizes[index % sizes.length]) }),
    );
    const posts = bodies.map((body, index) => {
      const headers = [ann, "X:\ty", "Content-Type: application/json", `Content-Length: ${body.length}`];
      return requestText(`POST /echo/n${index}`, headers, body);
    });
    client.send(posts.join(""));
    for (const index of range(16))
      assert.equal(JSON.parse((await client.answer()).body).data?.id, `n${index}`);
  });

  test("[LM5] large bodies in a form that goes to Node arrive complete", async () => {
    const client = await connect();
    const bodies = range(6).map((index) => JSON.stringify({ name: `${index}`, more: "x".repeat(60_000) }));
    const posts = bodies.map((body, index) => {
      const headers = [ann, "X:\ty", "Content-Type: application/json", `Content-Length: ${body.length}`];
      return requestText(`POST /echo/n${index}`, headers, body);
    });
    client.send(posts.join(""));
    for (const index of range(6)) assert.equal(idIn(await client.answer()), `n${index}`);
    assert.deepEqual(
      stage.asks.map(({ body }) => JSON.stringify(body)),
      bodies,
    );
  });

  test("[LM5] the start of a request behind others is completed by the next packet", async () => {
    const all = echo("a") + echo("b");
    for (let cut = echo("a").length + 1; cut < all.length; cut += 7) {
      const client = await connect();
      const before = stage.fastPath.answered;
      client.send(all.slice(0, cut));
      assert.equal(idIn(await client.answer()), "a");
      client.send(all.slice(cut));
      assert.equal(idIn(await client.answer()), "b");
      assert.equal(stage.fastPath.answered - before, 2);
    }
  });

  test("[LM5] an incomplete request goes to Node, with its time limit", async () => {
    const client = await connect();
    client.send(echo("a") + echo("b").slice(0, 30));
    assert.equal(idIn(await client.answer()), "a");
    const before = stage.fastPath.answered;
    stage.fastPath.tick += 2;
    const tick = stage.fastPath.tick;
    await until("the next tick", () => stage.fastPath.tick > tick);
    client.send(echo("b").slice(30));
    assert.equal(idIn(await client.answer()), "b");
    assert.equal(stage.fastPath.answered, before);
  });

  test("[LM5] an incomplete request at the end of the connection is malformed", async () => {
    const client = await connect();
    client.send(echo("a") + echo("b").slice(0, 30));
    assert.equal(idIn(await client.answer()), "a");
    client.socket.end();
    assert.match(await client.rest(), /^HTTP\/1\.1 400 /);
  });
});
