import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { DeadLetters } from "../../src/app/chat/dead-letters.ts";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import { Entrances } from "../../src/transport/auth/entrances.ts";
import { deadLetterRoutes } from "../../src/transport/http/chat/dead-letter-routes.ts";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { Post } from "../host/post.ts";
import type { Json } from "../support/http.ts";
import { gatekeeperOf } from "../support/limits.ts";
import { guardRoutes } from "../support/pipeline.ts";
import { doneOf } from "../support/results.ts";
import { turns } from "../support/test-clock.ts";

const path = "/api/v1/chat/dead-letters";
const keys = { guestSecret: "guests", operatorKey: "operator", serviceKey: "service" };

describe("dead letters over HTTP", () => {
  const post = new Post();
  const authenticator = new Authenticator({ ...keys, now: () => post.clock.now() });
  let app: FastifyInstance;

  before(async () => {
    app = Fastify();
    app.setValidatorCompiler(compileSchema);
    answerErrors(app, () => {});
    app.decorateRequest("identity", null);
    guardRoutes(app, new Entrances(authenticator), gatekeeperOf());
    deadLetterRoutes(app, new DeadLetters(post.deadLetters));
    post.sending = () => ({ failure: "The bot was blocked." });
    post.refusal = { code: "ladder.not-found", message: "There is no such ladder." };
    await post.send("arena/a", "ladder/gone", "a result");
    await post.send("directory/main", "telegram/7", "one", "two");
    await post.deliver();
  });
  after(() => app.close());

  async function ask(method: "GET" | "POST", url: string, token = keys.operatorKey): Promise<Json> {
    const answer = await app.inject({
      method,
      url: path + url,
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.statusCode, ...answer.json() };
  }

  test("[CH7] an operator sees what could not be delivered, the newest first, page by page", async () => {
    const first = await ask("GET", "?limit=2");
    const { deadLetters, nextCursor } = first.data;
    const setAsideAt = new Date(post.clock.now()).toISOString();
    const common = { from: "directory/main", to: "telegram/7", reason: "The bot was blocked.", setAsideAt };
    assert.deepEqual(deadLetters, [
      { number: "3", text: "two", ...common },
      { number: "2", text: "one", ...common },
    ]);
    const last = await ask("GET", `?limit=2&cursor=${nextCursor}`);
    assert.deepEqual(
      last.data.deadLetters.map(({ number, to, reason }: Json) => [number, to, reason]),
      [["1", "ladder/gone", "ladder.not-found"]],
    );
    assert.equal(last.data.nextCursor, null);
  });

  test("[CH7] what has no text for people is shown without one, and what has no time without that", async () => {
    const letter = {
      number: 1,
      from: "arena/a",
      to: "ladder/l",
      version: 1,
      body: { scores: [1, 0] },
    } as const;
    const letters = new DeadLetters({
      list: async () => [{ ...letter, reason: "ladder.not-found", setAsideAt: undefined }],
      resend: async (number) => ({ number }),
      resendAll: async () => 0,
      discard: async (number) => ({ number }),
    });
    const { deadLetters } = doneOf(await letters.list(undefined, 1));
    assert.deepEqual(
      deadLetters.map(({ text, setAsideAt }) => [text, setAsideAt]),
      [[null, null]],
    );
  });

  test("[CH7] an operator sends one again: it is on its way under a new number, and gone from the list", async () => {
    post.sending = () => "sent";
    const resent = await ask("POST", "/2/resend");
    assert.deepEqual([resent.status, resent.data], [200, { number: "4" }]);
    await turns();
    assert.deepEqual(post.textsTo("telegram/7"), ["one", "two", "one"]);
    assert.deepEqual(await post.setAside(), ["a result: ladder.not-found", "two: The bot was blocked."]);
    const again = await ask("POST", "/2/resend");
    assert.deepEqual([again.status, again.code], [404, "delivery.not-found"]);
    assert.equal(post.sends.length, 3);
  });

  test("[CH7] [AU2] nobody but an operator sees them or sends them again", async () => {
    const person = authenticator.newGuest("Ann").token;
    for (const [method, url] of [
      ["GET", ""],
      ["POST", "/3/resend"],
      ["POST", "/3/discard"],
    ] as const) {
      for (const token of [person, keys.serviceKey])
        assert.equal((await ask(method, url, token)).code, "auth.forbidden");
      const nobody = await app.inject({ method, url: path + url });
      assert.equal(nobody.json().code, "auth.missing");
    }
    assert.equal((await post.setAside()).length, 2);
  });

  test("[CH7] [LM1] a number, a cursor or a limit that is none is refused by name", async () => {
    for (const number of ["0", "-1", "1.5", "x", "1234567890123456"]) {
      const refused = await ask("POST", `/${number}/resend`);
      assert.deepEqual([refused.code, refused.data?.field], ["input.invalid", "number"], number);
    }
    assert.equal((await ask("POST", "/999999999999999/resend")).code, "delivery.not-found");
    for (const [query, field] of [
      ["cursor=x", "cursor"],
      ["limit=0", "limit"],
      ["limit=501", "limit"],
      ["colour=red", "colour"],
    ]) {
      const refused = await ask("GET", `?${query}`);
      assert.deepEqual([refused.code, refused.data?.field], ["input.invalid", field], query);
    }
  });

  test("[CH7] an operator throws one away: it is gone from the list, and not sent", async () => {
    const sends = post.sends.length;
    const discarded = await ask("POST", "/3/discard");
    assert.deepEqual([discarded.status, discarded.data], [200, { number: "3" }]);
    assert.deepEqual(await post.setAside(), ["a result: ladder.not-found"]);
    assert.equal((await ask("POST", "/3/discard")).code, "delivery.not-found");
    assert.equal((await ask("POST", "/3/resend")).code, "delivery.not-found");
    await turns();
    assert.equal(post.sends.length, sends);
  });

  test("[CH7] all that was set aside for a channel is sent again in its order, and nothing else", async () => {
    post.sending = () => ({ failure: "No token." });
    await post.send("directory/main", "sms/1", "s1", "s2");
    await post.send("directory/main", "sms/2", "s3");
    await post.deliver();
    post.sending = () => "sent";
    const before = post.sends.length;
    const headers = { authorization: `Bearer ${keys.operatorKey}` };
    const answer = await app.inject({
      method: "POST",
      url: `${path}/resend`,
      headers,
      payload: { to: "sms" },
    });
    assert.deepEqual(answer.json().data, { resent: 3 });
    await turns();
    assert.deepEqual(
      post.sends
        .slice(before)
        .map(({ to, text }) => `${to} ${text}`)
        .toSorted(),
      ["sms/1 s1", "sms/1 s2", "sms/2 s3"],
    );
    assert.deepEqual(await post.setAside(), ["a result: ladder.not-found"]);
    const wrong = await app.inject({ method: "POST", url: `${path}/resend`, headers, payload: {} });
    assert.deepEqual([wrong.statusCode, wrong.json().data.field], [400, "to"]);
  });
});
