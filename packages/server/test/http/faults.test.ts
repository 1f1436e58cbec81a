import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NewGame } from "@openseat/protocol";
import Type from "typebox";
import { validator } from "../../src/app/validation.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { assertInvalid, range } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

describe("faults of input", () => {
  const { server } = serverOfSuite();

  const fieldsOf = (answer: { body: { data: { errors: { field: string }[] } } }) =>
    answer.body.data.errors.map(({ field }) => field).sort();

  test("[HT6] all of them are listed, and the first is the message", async () => {
    const body = { title: "", maxPlayers: "4", endTime: "tomorrow", more: 1 };
    const answer = await server.client.post("/api/v1/games", { token: tokenOf("ann"), body });
    assert.equal(answer.body.code, "input.invalid");
    assert.deepEqual(fieldsOf(answer), ["endTime", "maxPlayers", "more", "title"]);
    const { field, problem, errors } = answer.body.data;
    assert.deepEqual(errors[0], { field, message: answer.body.message });
    assert.equal(answer.body.message, `${field} ${problem}.`);
    const messages = new Map(
      errors.map((error: { field: string; message: string }) => [error.field, error.message]),
    );
    assert.equal(messages.get("maxPlayers"), "maxPlayers must be a whole number, not text.");
    assert.equal(messages.get("more"), "more is not a field of this request.");
  });

  test("[HT6] in a query too, and where no input is allowed", async () => {
    const query = await server.client.get("/api/v1/games?limit=0&cursor=x&status=DONE");
    assert.deepEqual(fieldsOf(query), ["cursor", "limit", "status"]);
    const { operatorKey: token } = server;
    await server.client.post("/api/v1/queues", {
      token,
      body: { id: "shop", title: "A shop", maxActive: 1 },
    });
    const entering = await server.client.post("/api/v1/queues/shop/positions", {
      token,
      body: { lane: 99, person: "@me", more: 1 },
    });
    assert.deepEqual(fieldsOf(entering), ["lane", "more", "person"]);
  });

  test("[HT6] a single one has the same format, also if it comes from no schema", async () => {
    const one = await server.client.get("/api/v1/games?limit=0");
    assertInvalid(one, "limit");
    assert.deepEqual(one.body.data.errors, [{ field: "limit", message: one.body.message }]);
    const endless = await server.client.get("/api/v1/games?limit=1e999");
    assert.deepEqual(fieldsOf(endless), ["limit"]);
    const json = await server.client.post("/api/v1/games", { token: tokenOf("ann"), rawBody: "{" });
    assert.deepEqual(fieldsOf(json), ["body"]);
  });

  test("[HT6] a long unknown field name is truncated", () => {
    const { data, message } = validator(NewGame)({ title: "A", maxPlayers: 1, ["x".repeat(60_000)]: 1 })!;
    const told = `${"x".repeat(100)}…`;
    assert.deepEqual([data!.field, message], [told, `${told} is not a field of this request.`]);
    assert.deepEqual(data!.errors, [{ field: told, message }]);
  });

  test("[HT6] at most twenty are listed, and for large input only the first", () => {
    const check = validator(NewGame);
    const withFields = (count: number) => ({
      title: "A",
      maxPlayers: 1,
      ...Object.fromEntries(range(count).map((number) => [`field${number}`, 1])),
    });
    assert.equal((check(withFields(100))!.data!.errors as unknown[]).length, 20);
    assert.equal((check(withFields(10_000))!.data!.errors as unknown[]).length, 1);
    const deep = range(100_000).reduce<unknown>((inner) => [inner], "x");
    assert.equal((check({ title: deep })!.data!.errors as unknown[]).length, 1);
  });

  test("[HT6] a field that contains other faulty fields is not listed, even among hundreds", () => {
    const Nested = Type.Object({
      list: Type.Union([Type.Null(), Type.Array(Type.Object({ id: Type.String() }))]),
    });
    const told = (count: number) =>
      (validator(Nested)({ list: range(count).map(() => ({})) })!.data!.errors as { field: string }[]).map(
        ({ field }) => field,
      );
    assert.deepEqual(told(2), ["list.0.id", "list.1.id"]);
    assert.equal(told(240).length, 20);
    assert.ok(told(240).every((field) => /^list\.\d+\.id$/.test(field)));
  });

  test("[HT6] valid input is unchanged, and defaults are filled in once", () => {
    const schema = Type.Object({ limit: Type.Integer({ default: 50, minimum: 1 }) });
    const check = compileSchema({ schema, httpPart: "querystring", method: "", url: "" }) as (
      value: unknown,
    ) => {
      value?: unknown;
    };
    assert.deepEqual(check({ limit: "7" }), { value: { limit: 7 } });
    assert.deepEqual(check({}), { value: { limit: 50 } });
  });
});
