import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { ConcurrencyLimit } from "../../src/transport/limits/concurrency.ts";
import { Desk } from "../queues/desk.ts";
import { Browser } from "../support/browser.ts";
import { assertRefused, range, until, within } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { PageStage } from "./page-stage.ts";
import { StreamClient } from "./stream-client.ts";

suite("the stream of the waiting page", () => {
  let server: TestServer;
  let desk: Desk;
  const open: { close(): void }[] = [];

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(async () => {
    for (const it of open) it.close();
    await server.stop();
  });

  async function arrived(queue: string): Promise<Browser> {
    const browser = new Browser(server.url);
    open.push(browser);
    assert.ok((await browser.get(`/wait/${queue}`)).status < 400);
    return browser;
  }
  async function streamOf(browser: Browser, queue: string): Promise<StreamClient> {
    const stream = await StreamClient.open(server.url, browser, queue);
    open.push(stream);
    return stream;
  }

  test("[FD3] it begins with the current place; others' moves come as a pulse, your own as a new state", async () => {
    const { queue, insider } = await desk.fullQueue({ id: "one" });
    const [ann, bob] = [await arrived(queue), await arrived(queue)];
    const [first, second] = [await streamOf(ann, queue), await streamOf(bob, queue)];
    const { headers } = first.response;
    assert.equal(headers["content-type"], "text/event-stream");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-accel-buffering"], "no");
    assert.equal((await first.first("state")).position, 1);
    assert.equal((await second.first("state")).position, 2);

    await desk.complete(insider.id, server.serviceKey);
    const mine = await first.first("state", ({ status }) => status === "admitted");
    assert.match(mine.claimBy, /Z$/);
    const pulse = await second.first("pulse", ({ moved }) => moved === 2);
    assert.deepEqual(
      [pulse.waiting, pulse.paused, pulse.admittedLastMinute, typeof pulse.version],
      [1, false, 2, "number"],
    );
    assert.equal(
      second.received.filter(({ event }) => event === "state").length,
      1,
      "bob received no exact state",
    );
    assert.ok(JSON.stringify(pulse).length < 200, "a pulse is small");

    await desk.pause(queue);
    await second.first("pulse", ({ paused }) => paused === true);
  });

  test("it ends with the place: once the person is in, or with the reason when it is over", async () => {
    const queue = await desk.newQueue({ id: "two", maxActive: 1 });
    const [ann, bob] = [await arrived(queue), await arrived(queue)];
    const [first, second] = [await streamOf(ann, queue), await streamOf(bob, queue)];
    await ann.get(`/wait/${queue}/go`);
    assert.equal((await first.first("state", ({ status }) => status === "active")).position, 0);
    await first.ended();
    await bob.post(`/wait/${queue}/leave`);
    const gone = await second.first("state", ({ status }) => status === "gone");
    assert.equal(gone.reason, "cancelled");
    await second.ended();
    // Opened too late, it says so and ends.
    const late = await streamOf(bob, queue);
    assert.equal((await late.first("state")).status, "gone");
    await late.ended();
  });

  test("a visitor without a place has no stream", async () => {
    const { queue } = await desk.fullQueue({ id: "four" });
    const nobody = new Browser(server.url);
    open.push(nobody);
    assertRefused(await nobody.get(`/wait/${queue}/events`), 404, "place.not-found");
    assert.equal((await desk.stats(queue)).waiting, 0);
    assert.equal((await nobody.client.call(`/wait/${queue}/events`, { method: "HEAD" })).status, 405);
  });

  test("at shutdown, streams end by themselves", async () => {
    const other = await startServer();
    const line = new Desk(other);
    const { queue } = await line.fullQueue({ id: "six" });
    const ann = new Browser(other.url);
    await ann.get(`/wait/${queue}`);
    const stream = await StreamClient.open(other.url, ann, queue);
    await stream.first("state");
    ann.close();
    await within("the stop", other.stop());
    await stream.ended();
    assert.ok(stream.response.complete, "no connection had to be cut off");
  });
});

suite("the stream of the waiting page, as time passes", () => {
  test("[LS1] an open stream is enough to keep a place; without it the place expires", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ heartbeatTimeoutSeconds: 5, sessionDurationSeconds: 86_400 });
    await stage.taken(queue);
    const [ann, bob] = [stage.browser(), stage.browser()];
    for (const it of [ann, bob]) await it.get(`/wait/${queue}`);
    const stream = await StreamClient.open(stage.url, ann, queue);
    await stream.first("state");
    await stage.clock.advance(60_000);
    assert.deepEqual(
      stream.received.filter(({ event, data }) => event === "state" && data.status !== "waiting"),
      [],
    );
    assert.equal((await stage.told(bob, queue)).reason, "heartbeat_timeout");
    stream.close();
    await until("the place is let go of", () => stage.lineBroadcast.size === 0);
    await stage.clock.advance(11_000);
    assert.equal((await stage.told(ann, queue)).reason, "heartbeat_timeout");
    await stage.stop();
  });

  test("[FD3] the exact position is sent regularly, also without any change", async () => {
    const stage = await PageStage.open({ stateEveryMs: 20 });
    const queue = await stage.opened();
    await stage.taken(queue);
    const ann = stage.browser();
    await ann.get(`/wait/${queue}`);
    const stream = await StreamClient.open(stage.url, ann, queue);
    await until("three states", () => stream.received.filter(({ event }) => event === "state").length >= 3);
    stream.close();
    await stage.stop();
  });

  test("[FD2] a reader that reads nothing is disconnected, and its place expires", async () => {
    const stage = await PageStage.open({ stateEveryMs: 50 });
    const queue = await stage.opened();
    await stage.taken(queue);
    const ann = stage.browser();
    await ann.get(`/wait/${queue}`);
    const reader = connect(Number(new URL(stage.url).port), "127.0.0.1");
    const cookie = ann.cookiesFor(`/wait/${queue}/events`);
    reader.write(`GET /wait/${queue}/events HTTP/1.1\r\nHost: here\r\nCookie: ${cookie}\r\n\r\n`);
    await within("the stream opens", once(reader, "data"));
    reader.pause();
    reader.on("error", () => {});
    assert.equal(stage.lineBroadcast.size, 1);
    // More than any socket's buffers hold.
    const stuck = `"${"x".repeat(4_000_000)}"`;
    const [subscriber] = stage.subscribers;
    for (const _ of range(3)) subscriber.pulse(stuck);
    assert.ok(subscriber.backlogBytes > 1_000_000);
    await until("it is let go of", () => stage.lineBroadcast.size === 0);
    reader.resume();
    await within("the reader is cut off", once(reader, "close"));
    await stage.stop();
  });

  test("[LM2] over the limit of live connections a stream is refused, and closing one makes room", async () => {
    const live = new ConcurrencyLimit({ max: 2, perAddressMax: 1 });
    const stage = await PageStage.open({ live });
    const queue = await stage.opened();
    await stage.taken(queue);
    const ann = stage.browser();
    await ann.get(`/wait/${queue}`);
    const stream = await StreamClient.open(stage.url, ann, queue);
    assertRefused(await ann.get(`/wait/${queue}/events`), 429, "limit.address");
    stream.close();
    await until("there is room", () => live.total === 0);
    const again = await StreamClient.open(stage.url, ann, queue);
    again.close();
    await stage.stop();
  });
});
