import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setImmediate as soon } from "node:timers/promises";
import fc from "fast-check";
import { range, until } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";
import { fastStage, type Stage } from "./stage.ts";

const ann = `Authorization: Bearer ${tokenOf("ann")}`;
const echo = (id: string) => requestText(`POST /echo/${id}`, [ann]);
const held = (id: string) => requestText(`GET /held/${id}`, [ann]);
const ordinary = requestText("GET /ordinary");
const idIn = ({ body }: { body: string }) => JSON.parse(body).data.id;

describe("connections on the fast path", () => {
  let stage: Stage;
  const open: RawClient[] = [];

  before(async () => {
    stage = await fastStage();
  });
  after(() => stage.close());
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
    stage.held.length = 0;
    stage.asks.length = 0;
  });

  async function connect(): Promise<RawClient> {
    const client = await RawClient.open(stage.url);
    open.push(client);
    return client;
  }

  /** How many responses to `work` came from the fast path. */
  async function fromFastPath(work: () => Promise<unknown>): Promise<number> {
    const before = stage.fastPath.answered;
    await work();
    return stage.fastPath.answered - before;
  }

  for (const together of [true, false]) {
    test(`a request waits for the previous response, ${together ? "sent with it" : "sent after it"}`, async () => {
      const client = await connect();
      if (together) client.send(held("a") + echo("b") + held("c") + echo("d"));
      else client.send(held("a"));
      await until("the first to be asked", () => stage.held.length === 1);
      if (!together) {
        for (const bytes of [echo("b"), held("c"), echo("d")]) {
          client.send(bytes);
          await soon();
        }
      }
      const other = await connect();
      assert.equal(idIn(await other.ask(echo("meanwhile"))), "meanwhile");
      assert.deepEqual(
        stage.asks.map(({ id }) => id),
        ["a", "meanwhile"],
      );
      stage.held[0].release();
      assert.equal(idIn(await client.answer()), "a");
      assert.equal(idIn(await client.answer()), "b");
      await until("the third to be asked", () => stage.held.length === 2);
      stage.held[1].release();
      assert.equal(idIn(await client.answer()), "c");
      assert.equal(idIn(await client.answer()), "d");
      assert.equal(idIn(await client.ask(echo("e"))), "e");
    });
  }

  test("any requests in any pieces: each is answered once, in order, and executed once", async () => {
    const kinds: Record<string, (id: string) => { bytes: string; expected: unknown[] }> = {
      express: (id) => ({ bytes: echo(id), expected: [200, id] }),
      broken: (id) => ({ bytes: requestText(`GET /broken/${id}`, [ann]), expected: [500, undefined] }),
      ordinary: () => ({ bytes: ordinary, expected: [200, undefined] }),
      nobody: (id) => ({ bytes: requestText(`POST /echo/${id}`), expected: [401, undefined] }),
      nowhere: () => ({ bytes: requestText("GET /nowhere", [ann]), expected: [404, undefined] }),
      odd: (id) => ({ bytes: requestText(`POST /echo/${id}`, [ann, "X:\ty"]), expected: [200, id] }),
      withBody: (id) => ({
        bytes: requestText(
          `POST /echo/${id}`,
          [ann, "Content-Type: application/json", "Content-Length: 15"],
          '{"name":"éé"}',
        ),
        expected: [200, id],
      }),
    };
    const sequence = fc.array(fc.constantFrom(...Object.keys(kinds)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sequence, fc.array(fc.nat(), { maxLength: 6 }), async (names, cuts) => {
        stage.asks.length = 0;
        const requests = names.map((name, index) => kinds[name](`n${index}`));
        const all = Buffer.from(requests.map(({ bytes }) => bytes).join(""));
        const edges = [0, ...cuts.map((cut) => cut % all.length).sort((a, b) => a - b), all.length];
        const client = await RawClient.open(stage.url);
        for (const [index, edge] of edges.slice(1).entries()) {
          client.send(all.subarray(edges[index], edge));
          await soon();
        }
        for (const { expected } of requests) {
          const { status, body } = await client.answer();
          assert.deepEqual([status, JSON.parse(body).data?.id], expected);
        }
        client.close();
        // In any order: Node's server starts the next request while it still reads the previous body.
        assert.deepEqual(
          stage.asks.map(({ id }) => id).sort(),
          requests.map(({ expected }) => expected[1]).filter((id) => id !== undefined),
        );
      }),
      { numRuns: 200, seed: 11 },
    );
    stage.faults.length = 0;
  });

  test("after a request for another path, the fast path sees no more of the connection", async () => {
    for (const other of [
      ordinary,
      requestText("GET /nowhere"),
      requestText("POST /echo/x", [ann, "X:\ty"]),
    ]) {
      const client = await connect();
      const count = await fromFastPath(async () => {
        for (const id of ["a", "b"]) assert.equal(idIn(await client.ask(echo(id))), id);
        await client.ask(other);
        for (const id of ["c", "d"]) assert.equal(idIn(await client.ask(echo(id))), id);
      });
      assert.equal(count, 2);
    }
  });

  test("an ordinary request behind one that is being answered waits", async () => {
    const client = await connect();
    client.send(held("a"));
    await until("the first to be asked", () => stage.held.length === 1);
    client.send(ordinary);
    const other = await connect();
    await other.ask(echo("meanwhile"));
    stage.held[0].release();
    assert.equal(idIn(await client.answer()), "a");
    assert.equal((await client.answer()).body, '{"ordinary":true}');
    assert.equal(idIn(await client.ask(echo("b"))), "b");
  });

  test("a client that disconnects during a response leaves nothing behind", async () => {
    const client = await connect();
    client.send(held("gone"));
    await until("it to be asked", () => stage.held.length === 1);
    client.socket.resetAndDestroy();
    const other = await connect();
    await other.ask(echo("meanwhile"));
    stage.held[0].release();
    assert.equal(idIn(await other.ask(echo("goes-on"))), "goes-on");
    await until("the connection to be gone", async () => (await connections(stage)) === 1);
    assert.deepEqual(stage.faults, []);
  });

  test("a client that disconnects in the middle of a request leaves nothing behind", async () => {
    const client = await connect();
    client.send(echo("half").slice(0, 40));
    await until("the connection", async () => (await connections(stage)) === 1);
    client.socket.resetAndDestroy();
    await until("the connection to be gone", async () => (await connections(stage)) === 0);
    assert.equal(stage.asks.length, 0);
  });

  test("a client that half-closes still gets its responses, and then the end", async () => {
    for (const others of [[], ["b"], ["b", "c", "d"]]) {
      stage.held.length = 0;
      const client = await connect();
      client.send(["a", ...others].map(held).join("") + echo("last"));
      client.socket.end();
      for (const [index, id] of ["a", ...others].entries()) {
        await until(`${id} to be asked`, () => stage.held.length === index + 1);
        stage.held[index].release();
        assert.equal(idIn(await client.answer()), id);
      }
      assert.equal(idIn(await client.answer()), "last");
      assert.equal(await client.rest(), "");
    }
    const client = await connect();
    client.send(held("alone"));
    client.socket.end();
    await until("it to be asked", () => stage.held.some(({ id }) => id === "alone"));
    stage.held.at(-1)!.release();
    assert.equal(idIn(await client.answer()), "alone");
    assert.equal(await client.rest(), "");
  });

  test("a client that ends an idle connection sees it ended", async () => {
    for (const first of [undefined, echo("a"), ordinary]) {
      const client = await connect();
      if (first !== undefined) await client.ask(first);
      client.socket.end();
      assert.equal(await client.rest(), "");
    }
  });

  test("[LM2] a client that does not read its responses is not read from", async () => {
    const client = await connect();
    client.socket.pause();
    const requests = 300;
    const before = stage.fastPath.answered;
    client.send(requestText("GET /large/a", [ann]).repeat(requests));
    await until("some to be answered", () => stage.fastPath.answered > before);
    const other = await connect();
    for (const round of range(50)) await other.ask(echo(`n${round}`));
    assert.ok(stage.fastPath.answered - before < requests, "60 MB would have been written into memory");
    client.socket.resume();
    for (const _ of range(requests)) assert.equal((await client.answer()).body.length > 200_000, true);
  });

  test("a handler that fails: a logged fault, 500 in the envelope, and the connection continues", async () => {
    const client = await connect();
    const count = await fromFastPath(async () => {
      for (const way of ["at once", "later"]) {
        stage.faults.length = 0;
        client.send(way === "later" ? held("x") : requestText("GET /broken/x", [ann]));
        if (way === "later") {
          await until("it to be asked", () => stage.held.length === 1);
          stage.held[0].fail(new Error("broken on purpose"));
        }
        const { status, body } = await client.answer();
        assert.deepEqual([status, JSON.parse(body).code], [500, "server.fault"]);
        const named = stage.faults.map((fault) => fault.replace(/ \([\w-]{9,}\)$/, " (its id)"));
        assert.deepEqual(named, [`GET /${way === "later" ? "held" : "broken"}/:id failed (its id)`]);
      }
      await client.ask(echo("goes-on"));
    });
    stage.faults.length = 0;
    assert.equal(count, 3);
  });

  test("a route without an id is recognised by its whole path", async () => {
    const client = await connect();
    const count = await fromFastPath(async () => {
      assert.equal((await client.ask(requestText("GET /plain", [ann]))).status, 200);
      assert.equal((await client.ask(requestText("GET /plain/x", [ann]))).status, 404);
      assert.equal((await client.ask(requestText("GET /plainer", [ann]))).status, 404);
    });
    assert.equal(count, 1);
  });
});

describe("idle connections on the fast path", () => {
  let stage: Stage;
  before(async () => {
    stage = await fastStage({
      timeouts: { keepAliveTimeout: 500, requestTimeoutMs: 1_000, requestCheckMs: 100 },
    });
  });
  after(() => stage.close());

  test("end after the announced idle time, and not during a request", async () => {
    const busy = await RawClient.open(stage.url);
    await busy.ask(echo("a"));
    busy.send(held("b"));
    await until("it to be asked", () => stage.held.length === 1);
    for (const first of [echo("c"), ordinary]) {
      const client = await RawClient.open(stage.url);
      await client.ask(first);
      await client.ask(echo("d"));
      assert.equal(await client.rest(), "");
    }
    stage.held[0].release();
    assert.equal(idIn(await busy.answer()), "b");
    assert.equal(await busy.rest(), "");
  });

  test("[LM2] end if a response is not read for the announced time", async () => {
    const client = await RawClient.open(stage.url);
    await client.ask(echo("e"));
    client.socket.pause();
    const before = stage.fastPath.answered;
    client.send(requestText("GET /large/a", [ann]).repeat(300));
    await until("some to be answered", () => stage.fastPath.answered > before);
    await until("the connection to be gone", async () => (await connections(stage)) === 0);
    client.close();
  });

  test("[LM9] end without a request, with the same response as Node's", async () => {
    const client = await RawClient.open(stage.url);
    assert.match(await client.rest(), /^HTTP\/1\.1 408 /);
  });
});

test("a connection is kept for as long as announced", async () => {
  const stage = await fastStage();
  const client = await RawClient.open(stage.url);
  // Makes the fast path believe that this many seconds have passed.
  const advance = async (seconds: number) => {
    stage.fastPath.tick += seconds;
    const { tick } = stage.fastPath;
    await until("the next tick", () => stage.fastPath.tick > tick);
  };
  assert.match((await client.ask(echo("a"))).head, /^Keep-Alive: timeout=72\r$/m);
  await advance(70);
  assert.equal((await client.ask(echo("b"))).status, 200);
  await advance(75);
  assert.equal(await client.rest(), "");
  await stage.close();
});

test("a connection of the fast path can become a WebSocket that gets everything sent with its request", async () => {
  const server = await startServer();
  const client = await RawClient.open(server.url);
  assert.equal((await client.ask(requestText("GET /api/v1/games/none/can-join", [ann]))).status, 200);
  const frames = range(400).map((id) => {
    const text = JSON.stringify({ id, type: "ping" });
    return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  });
  const upgrade = requestText("GET /api/v1/live", [
    ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ]);
  let received = "";
  client.socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  client.send(Buffer.concat([Buffer.from(upgrade), ...frames]));
  await until("the last answer", () => received.includes('"id":399'));
  for (const id of range(400)) assert.ok(received.includes(`"id":${id},`), `no answer to ${id}`);
  client.close();
  await server.stop();
});

function connections({ app }: Stage): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}
