import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Hall } from "../arenas/hall.ts";
import { assertInvalid, assertRefused, type Json } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

describe("names of fields", () => {
  const { server } = serverOfSuite();
  before(async () => {
    const body = { id: "shop", title: "A shop", maxActive: 5 };
    const answer = await server.client.post("/api/v1/queues", { token: server.operatorKey, body });
    assert.equal(answer.status, 201, answer.text);
  });

  const enter = (body: Json, key?: string, token = server.serviceKey) =>
    server.client.post("/api/v1/queues/shop/positions", { token, body, key });

  test("[HT8] a guest has a userId, and the former id", async () => {
    const { token, person } = (await server.client.post("/api/v1/guests")).body.data;
    assert.equal(person.userId, person.id);
    const { data } = (await server.client.get("/api/v1/people/me", { token })).body;
    assert.equal(data.person.userId, person.userId);
  });

  test("[HT8] people in arenas have a userId, and the former id", async () => {
    const hall = new Hall(server);
    const { id } = await hall.playing(["ann", "bob"], { moveTimeoutSeconds: null });
    const { state } = (await server.client.get(`/api/v1/arenas/${id}`)).body.data;
    const people = state.players.map(({ person }: Json) => [person.userId, person.id]);
    assert.deepEqual(people, [
      ["ann", "ann"],
      ["bob", "bob"],
    ]);
  });

  test("[HT8] a service enters a person by userId, or by the former name person", async () => {
    const one = await enter({ userId: "ann" }, "first");
    assert.equal(one.status, 201, one.text);
    const again = await enter({ person: "ann" }, "first");
    assert.deepEqual([again.status, again.text], [201, one.text], "the same request");
    assert.equal(
      (await enter({ userId: "ann", person: "ann" })).body.data.position.id,
      one.body.data.position.id,
    );
    assertInvalid(await enter({ userId: "ann", person: "bob" }), "person");
    assertInvalid(await enter({}), "userId");
    assertRefused(await enter({ userId: "bob" }, undefined, tokenOf("eve")), 403, "auth.forbidden");
  });

  test("[HT8] a session has an endTime, and the former endsAt", async () => {
    const { token } = (await enter({ userId: "cleo" })).body.data.position;
    const claim = { token: tokenOf("cleo"), body: { token } };
    const { session } = (await server.client.post("/api/v1/sessions", claim)).body.data;
    assert.ok(Date.parse(session.endTime) > Date.now());
    assert.equal(session.endTime, session.endsAt);
  });

  test("[HT8] OpenAPI marks the former names as deprecated, and none that a design document uses", async () => {
    const { text } = await server.client.get("/openapi.json");
    const found = new Set<string>();
    JSON.parse(text, (name, value) => {
      if (value?.deprecated) found.add(name);
      return value;
    });
    assert.deepEqual([...found].sort(), ["endsAt", "id", "person"]);
    const ofDesigns = ["endTime", "userId", "joinedAt", "yourPosition", "availableSlots", "status", "marker"];
    for (const name of ofDesigns) assert.ok(!found.has(name), name);
  });
});
