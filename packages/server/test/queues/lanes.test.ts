import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

suite("lanes over HTTP", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  /** A full queue with this many normal people in its line. */
  async function lineOf(people: number, fields: Json = {}): Promise<string> {
    const { queue } = await desk.fullQueue(fields);
    for (const index of range(people)) await desk.entered(queue, `p${index}`);
    return queue;
  }

  const inLane = (person: string, openseat_lane: unknown) => ({ token: tokenOf(person, { openseat_lane }) });

  test("[LN9] [LN2] the lane of a token, by number or by name, applies to its person", async () => {
    const queue = await lineOf(10);
    const expected: [unknown, number, number][] = [
      [0, 0, 11],
      ["normal", 0, 12],
      [1, 1, 12],
      ["vip", 2, 8],
      [3, 3, 1],
    ];
    for (const [given, lane, position] of expected) {
      const { lane: shown, position: at } = await desk.entered(queue, `in ${given}`.replace(" ", "-"), {
        ...inLane(`in-${given}`, given),
      });
      assert.deepEqual([shown, at], [lane, position], String(given));
    }
  });

  test("[LN9] services and operators name the lane, by number or by name", async () => {
    const queue = await lineOf(4);
    const said: [Json, string, number, number][] = [
      [{ person: "a", lane: 2 }, desk.serviceKey, 2, 3],
      [{ person: "b", lane: "premium" }, desk.serviceKey, 3, 1],
      [{ person: "c", lane: "premium" }, desk.operatorKey, 3, 2],
      [{ person: "d" }, desk.operatorKey, 0, 8],
    ];
    for (const [body, token, lane, position] of said) {
      const answer = await desk.enterFor(queue, body, undefined, token);
      assert.equal(answer.status, 201, answer.text);
      const place = answer.body.data.position;
      assert.deepEqual([place.lane, place.position], [lane, position], JSON.stringify(body));
      assert.equal(
        (await desk.shown(place.id, body.person)).position,
        position,
        "it is the person's own place",
      );
    }
  });

  test("[LN9] people cannot choose their lane: 403, and nothing changes", async () => {
    const queue = await lineOf(2);
    const entries = await desk.entries();
    for (const lane of [1, 15, "vip", "no such lane"])
      assertRefused(await desk.enter(queue, "ann", { body: { lane } }), 403, "lane.forbidden", String(lane));
    const vip = inLane("ann", 2);
    for (const lane of [3, 0, "premium"])
      assertRefused(await desk.enter(queue, "ann", { ...vip, body: { lane } }), 403, "lane.forbidden");
    assert.equal(await desk.entries(), entries);
    assert.equal(
      (await desk.entered(queue, "ann", { ...vip, body: { lane: 2 } })).lane,
      2,
      "the lane of the token may be named",
    );
    assert.equal((await desk.entered(queue, "bob", { body: { lane: 0 } })).lane, 0);
  });

  test("[LN9] a lane that this waiting room does not have: 400, by number and by name, from anyone", async () => {
    const queue = await lineOf(2, { lanes: [{ name: "all", skips: 0 }] });
    const entries = await desk.entries();
    for (const lane of [1, 15, "vip", "ALL", ""]) {
      if (lane !== "")
        assertRefused(await desk.enter(queue, "ann", inLane("ann", lane)), 400, "lane.unknown", String(lane));
      const answer = await desk.enterFor(queue, { person: "ann", lane });
      assertRefused(answer, 400, "lane.unknown", String(lane));
      assert.deepEqual(answer.body.data, { lane });
    }
    assert.equal(await desk.entries(), entries);
    assert.equal((await desk.entered(queue, "ann", inLane("ann", "all"))).position, 3);
  });

  test("[LN9] an invalid lane claim: 401, and nothing changes", async () => {
    const queue = await lineOf(1);
    for (const lane of [16, "", "x".repeat(33), null, [2]])
      assertRefused(await desk.enter(queue, "ann", inLane("ann", lane)), 401, "auth.invalid", String(lane));
  });

  test("[AU3] [LM1] people can only enter themselves; services and operators must name the person", async () => {
    const queue = await lineOf(1);
    const entries = await desk.entries();
    assertRefused(await desk.enter(queue, "ann", { body: { person: "bob" } }), 403, "auth.forbidden");
    for (const token of [desk.serviceKey, desk.operatorKey]) {
      assertInvalid(await desk.enterFor(queue, { lane: 1 }, undefined, token), "userId");
      const nobody = await desk.client.post(`/api/v1/queues/${queue}/positions`, { token });
      assertInvalid(nobody, "userId");
    }
    for (const person of ["", "@operator", "x".repeat(129), null])
      assertInvalid(await desk.enterFor(queue, { person }), "person", String(person));
    assert.equal(await desk.entries(), entries);
    assert.equal((await desk.entered(queue, "ann", { body: { person: "ann" } })).position, 2);
  });

  test("[LN3] premium is admitted as soon as a seat is free, whatever the rate", async () => {
    const queue = await desk.newQueue({ maxActive: 3, rate: 0.001, burst: 1 });
    assert.equal((await desk.entered(queue, "first")).status, "ADMITTED");
    assert.equal((await desk.entered(queue, "normal")).status, "WAITING");
    for (const person of ["rich", "richer"]) {
      const place = await desk.entered(queue, person, inLane(person, "premium"));
      assert.equal(place.status, "ADMITTED", person);
    }
    const late = await desk.entered(queue, "richest", inLane("richest", "premium"));
    assert.deepEqual([late.status, late.position], ["WAITING", 1], "with no seat free");
  });
});
