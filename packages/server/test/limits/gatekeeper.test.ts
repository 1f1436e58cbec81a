import assert from "node:assert/strict";
import { test } from "node:test";
import type { Refusal } from "@openseat/kernel";
import { type Check, type Traits, traitsOf } from "../../src/transport/limits/gatekeeper.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { fastStage } from "../fast-path/stage.ts";
import { gatekeeperOf } from "../support/limits.ts";
import { tokenOf } from "../support/tokens.ts";

const tooMany: Refusal = {
  code: "limit.address",
  message: "Too many.",
  retryable: true,
  retryAfterSeconds: 9,
};

test("[LM3] by default a route that writes costs 1 and a read costs 0", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    assert.deepEqual(traitsOf(method, {}), { isBegun: false, cost: 1 }, method);
  for (const method of ["GET", ["GET", "HEAD"]])
    assert.deepEqual(traitsOf(method, {}), { isBegun: false, cost: 0 });
  assert.deepEqual(traitsOf("POST", { isBegun: true, cost: 0 }), { isBegun: true, cost: 0 });
});

test("[LM3] the first check that refuses decides: later checks are skipped", () => {
  const asked: string[] = [];
  const check = (name: string, refusal?: Refusal): Check => {
    return () => {
      asked.push(name);
      return refusal;
    };
  };
  const gatekeeper = gatekeeperOf([check("one"), check("two", tooMany), check("three")]);
  assert.equal(gatekeeper.refusalFor({ isBegun: false, cost: 1 }, null, "192.0.2.1"), tooMany);
  assert.deepEqual(asked, ["one", "two"]);
});

test("[LM3] a request is checked once, with the same result on the fast path and by Fastify", async () => {
  const asked: [Traits, string | undefined, string][] = [];
  const check: Check = (traits, identity, address) => {
    asked.push([traits, identity?.by, address]);
    return tooMany;
  };
  const stage = await fastStage({ check });
  const client = await RawClient.open(stage.url);
  const bytes = requestText("POST /echo/a", [`Authorization: Bearer ${tokenOf("ann")}`]);
  const quick = await client.ask(bytes);
  assert.equal(stage.fastPath.answered, 1);
  // An empty line before the request makes it one for Fastify.
  const slow = await client.ask(`\r\n${bytes}`);
  assert.equal(stage.fastPath.answered, 1);
  assert.deepEqual(quick, slow);
  assert.equal(quick.status, 429);
  assert.match(quick.head, /retry-after: 9/);
  const once = [{ isBegun: false, cost: 1 }, "ann", "127.0.0.1"];
  assert.deepEqual(asked, [once, once]);
  assert.deepEqual(stage.asks, []);
  const anonymous = await client.ask(requestText("GET /ordinary", []));
  assert.equal(anonymous.status, 429);
  assert.deepEqual(asked[2], [{ isBegun: false, cost: 0 }, undefined, "127.0.0.1"]);
  client.close();
  await stage.close();
});

test("[LM4] load is shed before authentication, on the fast path and by Fastify; role keys are exempt", async () => {
  const asked: [Traits, string][] = [];
  const busy: Refusal = { code: "server.busy", message: "Busy.", retryable: true, retryAfterSeconds: 3 };
  const refusalFor = (traits: Traits, address: string) => {
    asked.push([traits, address]);
    return busy;
  };
  const stage = await fastStage({ shedding: { refusalFor, heldMs: 1 } });
  const client = await RawClient.open(stage.url);
  const bytes = requestText("POST /echo/a", ["Authorization: Bearer not.a.token"]);
  const quick = await client.ask(bytes);
  assert.equal(stage.fastPath.answered, 1);
  // An empty line before the request makes it one for Fastify.
  const slow = await client.ask(`\r\n${bytes}`);
  assert.equal(stage.fastPath.answered, 1);
  assert.deepEqual(quick, slow);
  assert.equal(quick.status, 503);
  assert.match(quick.head, /retry-after: 3/);
  assert.equal((await client.ask(requestText("GET /ordinary", []))).status, 503);
  assert.deepEqual(
    asked.map(([{ cost }, address]) => [cost, address]),
    [
      [1, "127.0.0.1"],
      [1, "127.0.0.1"],
      [0, "127.0.0.1"],
    ],
  );
  const key = ["Authorization: Bearer operator-key-of-the-stage"];
  assert.equal((await client.ask(requestText("GET /ordinary", key))).status, 200);
  assert.equal((await client.ask(requestText("GET /plain", key))).status, 403);
  assert.equal(asked.length, 3);
  client.close();
  await stage.close();
});
