import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { Talk } from "../chat/chat-talk.ts";
import { type Answer, assertRefused, type Json } from "../support/http.ts";
import { serverOfSuite, startServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const telegramFlags = ["--telegram-token", "1:aaaaaaaaaa", "--telegram-api", "http://127.0.0.1:9"];

const bodies: Record<"arena" | "ladder", Json> = {
  arena: { title: "A", game: "tic-tac-toe" },
  ladder: { title: "L" },
};
const kinds = Object.keys(bodies) as (keyof typeof bodies)[];

suite("ids that are chosen", () => {
  const { server, client } = serverOfSuite([...issuerFlags, ...telegramFlags, "--chat-ladder", "lounge"]);
  let guest: string;

  before(async () => {
    guest = (await client.post("/api/v1/guests")).body.data.token;
  });

  const create = (kind: keyof typeof bodies, token: string, fields: Json = {}): Promise<Answer> =>
    client.post(`/api/v1/${kind}s`, { token, body: { ...bodies[kind], ...fields } });

  const isThere = async (kind: string, id: string) =>
    (await client.get(`/api/v1/${kind}s/${id}`)).status === 200;

  for (const kind of kinds) {
    test(`[AU6] people cannot choose the id of their ${kind}: the request is refused, and nothing is created`, async () => {
      for (const token of [guest, tokenOf("ann")]) {
        const refused = await create(kind, token, { id: "mine" });
        assertRefused(refused, 403, "auth.forbidden");
        assert.equal(refused.body.data.field, "id");
        assert.match(refused.body.message, /Omit it/);
        assert.equal(await isThere(kind, "mine"), false);
        const made = await create(kind, token);
        assert.match(made.body.data[kind].id, /^[\w-]{20}$/, made.text);
      }
    });

    test(`[AU6] services and operators choose the ids of ${kind}s`, async () => {
      for (const [id, token] of Object.entries({
        "a-service": server.serviceKey,
        "an-operator": server.operatorKey,
      })) {
        const made = await create(kind, token, { id });
        assert.equal(made.body.data[kind].id, id, made.text);
      }
    });
  }

  test("[AU6] ids that the server uses itself are reserved for operators", async () => {
    const reserved = [
      ["ladder", "lounge"],
      ["ladder", "demo"],
      ["ladder", "telegram-abcdefghij_-0123"],
      ["arena", "tic-tac-toe"],
      ["arena", "connect-four"],
      ["arena", "rock-paper-scissors"],
    ] as const;
    for (const [kind, id] of reserved) {
      const refused = await create(kind, server.serviceKey, { id });
      assertRefused(refused, 403, "auth.forbidden", id);
      assert.match(refused.body.message, /reserved/);
      assert.equal(refused.body.data.field, "id");
      assert.equal(await isThere(kind, id), false);
      assert.equal((await create(kind, server.operatorKey, { id })).status, 201, id);
    }
    for (const [kind, id] of [
      ["ladder", "tic-tac-toe"],
      ["ladder", "chat"],
      ["ladder", "telegram-club"],
      ["arena", "lounge"],
      ["arena", "demo"],
    ] as const)
      assert.equal((await create(kind, server.serviceKey, { id })).status, 201, `${kind} ${id}`);
  });

  test("[AU6] the default chat ladder is created on first use, and belongs to the server", async () => {
    const other = await startServer();
    try {
      const talk = new Talk(other);
      assertRefused(
        await other.client.post("/api/v1/ladders", {
          token: tokenOf("eve"),
          body: { id: "chat", title: "Mine" },
        }),
        403,
        "auth.forbidden",
      );
      const [ann] = await talk.named("ann");
      await talk.say(ann, "register");
      await talk.lines(ann, /You are on the ladder/);
      const change = (token: string) =>
        other.client.call("/api/v1/ladders/chat", { method: "PATCH", token, body: { title: "Ours" } });
      for (const token of [tokenOf(ann), tokenOf("eve"), other.serviceKey])
        assertRefused(await change(token), 403, "auth.forbidden");
      assert.equal((await change(other.operatorKey)).status, 200);
    } finally {
      await other.stop();
    }
  });
});
