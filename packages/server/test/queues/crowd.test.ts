import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Client, eachOf, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { claimsOf, tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

/** The number of concurrent requests. */
const atOnce = 512;
const crowd = 1_000;

/** The number in the id of a position. */
function ticketOf({ id }: Json): number {
  return Number.parseInt(/-([0-9a-z]+)-.{16}$/.exec(id)![1], 36);
}

suite("crowds in waiting rooms", () => {
  let server: TestServer;
  let desk: Desk;
  let clients: Client[];

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
    clients = range(4).map(() => new Client(server.url, 64));
  });
  after(async () => {
    for (const client of clients) client.close();
    await server.stop();
  });

  const enter = (queue: string, index: number, key?: string) =>
    clients[index % clients.length].post(`/api/v1/queues/${queue}/positions`, {
      token: tokenOf(`p${index}`),
      key,
    });

  test("[LN1] [LN5] [RM2] a thousand people enter at once: tickets and positions are exact, and no seat too many is given", async () => {
    const queue = await desk.newQueue({ id: "crowd", maxActive: 25 });
    let worst = 0;
    const watching = { isOver: false };
    const watch = (async () => {
      while (!watching.isOver) {
        const { admitted, active } = await desk.look(queue);
        worst = Math.max(worst, admitted + active);
      }
    })();
    const answers = await eachOf(range(crowd), atOnce, (index) => enter(queue, index));
    const places = answers.map(({ status, body, text }) => {
      assert.equal(status, 201, text);
      return body.data.position;
    });
    assert.deepEqual(
      places.map(ticketOf).sort((a, b) => a - b),
      range(crowd).map((index) => index + 1),
      "each ticket once",
    );
    const byTicket = places.toSorted((a, b) => ticketOf(a) - ticketOf(b));
    for (const [index, { status, position, length, moved }] of byTicket.entries()) {
      const isIn = index < 25;
      const waiting = Math.max(0, index + 1 - 25);
      const expected = [isIn ? "ADMITTED" : "WAITING", isIn ? 0 : waiting, waiting, Math.min(index + 1, 25)];
      assert.deepEqual([status, position, length, moved], expected, `ticket ${index + 1}`);
    }
    const admitted = places.filter(({ status }) => status === "ADMITTED");
    assert.equal(new Set(admitted.map(({ token }) => claimsOf(token).place)).size, 25);

    // Half of the admitted complete and half of the waiting give up: positions are exact again.
    await eachOf(byTicket.slice(0, 12), 12, async (place) => {
      const index = places.indexOf(place);
      const session = await desk.claimed(place.token, `p${index}`);
      assert.equal((await desk.complete(session.id, tokenOf(`p${index}`))).status, 200);
    });
    const gone = byTicket.slice(100).filter((_, index) => index % 2 === 0);
    await eachOf(gone, atOnce, async (place) => {
      assert.equal((await desk.cancel(place.id, `p${places.indexOf(place)}`)).status, 200);
    });
    watching.isOver = true;
    await watch;
    assert.ok(worst <= 25, `${worst} on 25 seats`);
    const left = new Set(gone);
    const line = byTicket.slice(25 + 12).filter((place) => !left.has(place));
    const shown = await eachOf(line, atOnce, (place) => desk.shown(place.id, `p${places.indexOf(place)}`));
    assert.deepEqual(
      shown.map(({ position }) => position),
      range(line.length).map((index) => index + 1),
    );
    const stats = await desk.stats(queue);
    assert.deepEqual(
      [stats.entered, stats.waiting, stats.admitted + stats.active, stats.completed, stats.left, stats.moved],
      [crowd, line.length, 25, 12, gone.length, 37],
    );
  });

  test("[RM3] [LS5] a person enters fifty times at once without a key: one place, which all responses show", async () => {
    const { queue } = await desk.fullQueue();
    const answers = await Promise.all(range(50).map(() => desk.enter(queue, "ann")));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 200).length, 49);
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size, 1);
  });

  test("[AD7] [AD8] fifty claims, then fifty completes of one admission at once: one session with one end", async () => {
    const queue = await desk.newQueue();
    const { token } = await desk.entered(queue, "ann");
    const next = await desk.entered(queue, "bob");
    const claims = await Promise.all(range(50).map(() => desk.claim(token, "ann")));
    assert.equal(claims.filter(({ status }) => status === 201).length, 1);
    assert.equal(new Set(claims.map(({ body }) => JSON.stringify(body.data))).size, 1);
    const { id } = claims[0].body.data.session;
    const ends = await Promise.all(range(50).map(() => desk.complete(id, tokenOf("ann"))));
    assert.equal(ends.filter(({ status }) => status === 200).length, 1);
    assert.equal(ends.filter(({ status, body }) => status === 410 && body.code === "place.over").length, 49);
    assert.equal((await desk.shown(next.id, "bob")).status, "ADMITTED");
    assert.equal((await desk.stats(queue)).completed, 1);
  });
});
