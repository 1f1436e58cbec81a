import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { messageAccess } from "../../src/transport/live/connection.ts";
import { LiveClient } from "../live/clients.ts";
import { type Answer, type Client, type Json, within } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { altered, inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";

type Role = "person" | "service" | "operator";
type Bearer = Role | "none" | "expired" | "altered" | "wrong audience" | "wrong issuer" | "foreign key";

const everyone: readonly Role[] = ["person", "service", "operator"];

/** AU2: every route there is, and who may use it. `public` ones may be used without a token. */
const routes: Record<string, { may: "public" | readonly Role[]; status: number; body?: unknown }> = {
  "GET /healthz": { may: "public", status: 200 },
  "GET /readyz": { may: "public", status: 200 },
  "GET /metrics": { may: "public", status: 200 },
  "GET /docs": { may: "public", status: 200 },
  "GET /openapi.json": { may: "public", status: 200 },
  "POST /api/v1/guests": { may: "public", status: 201 },
  "GET /api/v1/live": { may: "public", status: 400 },
  "POST /api/v1/games": { may: everyone, status: 201, body: { title: "Game", maxPlayers: 2 } },
  "GET /api/v1/games": { may: "public", status: 200 },
  "GET /api/v1/games/{id}": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/events": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/participants": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/can-join": { may: ["person"], status: 200 },
  "POST /api/v1/games/{id}/join": { may: ["person"], status: 200 },
  "POST /api/v1/games/{id}/leave": { may: ["person"], status: 400 },
  "POST /api/v1/games/{id}/end": { may: everyone, status: 200 },
};
/** Not in the document of the API, because they are about it. */
const undocumented = ["GET /docs", "GET /openapi.json"];

suite("who may do what", () => {
  let server: TestServer;
  let client: Client;
  let bearers: Record<Bearer, string | undefined>;

  before(async () => {
    server = await startServer([...issuerFlags, "--audience", "our-games"]);
    client = server.client;
    const good = tokenOf("ann", { aud: "our-games" });
    bearers = {
      person: good,
      service: server.serviceKey,
      operator: server.operatorKey,
      none: undefined,
      expired: tokenOf("ann", { aud: "our-games", exp: inSeconds(-60) }),
      altered: altered(good, { sub: "bob" }),
      "wrong audience": tokenOf("ann", { aud: "other-games" }),
      "wrong issuer": tokenOf("ann", { aud: "our-games", iss: "https://other.test" }),
      "foreign key": "operator_of_some_other_server_altogether",
    };
  });
  after(() => server.stop());

  function outcomeFor(bearer: Bearer, may: "public" | readonly Role[], status: number): [number, string?] {
    if (bearer === "none") return may === "public" ? [status] : [401, "auth.missing"];
    if (bearer === "expired") return [401, "auth.expired"];
    if (!everyone.includes(bearer as Role)) return [401, "auth.invalid"];
    return may === "public" || may.includes(bearer as Role) ? [status] : [403, "auth.forbidden"];
  }

  test("[AU2] the table knows every route of the running server, and no other", () => {
    const { paths } = server.app.swagger() as Json;
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter((method) => method !== "head")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = Object.keys(routes).filter((route) => !undocumented.includes(route));
    assert.deepEqual(documented.sort(), known.sort());
    const printed = server.app.printRoutes({ commonPrefix: false, includeHooks: false });
    const leaves = [...printed.matchAll(/\(([A-Z, ]+)\)/g)]
      .flatMap(([, methods]) => methods.split(", "))
      .filter((method) => method !== "HEAD");
    assert.equal(leaves.length, Object.keys(routes).length, printed);
  });

  for (const [route, { may, status, body }] of Object.entries(routes)) {
    test(`[AU2] ${route}: ${may === "public" ? "anyone" : may.join(", ")}, and nobody else`, async () => {
      const [method, path] = route.split(" ");
      for (const bearer of Object.keys(bearers) as Bearer[]) {
        const token = bearers[bearer];
        // Each tries its luck on a game of its own making, so that only the role decides.
        const maker = everyone.includes(bearer as Role) ? token : bearers.operator;
        const made = await client.post("/api/v1/games", {
          token: maker,
          body: { title: "G", maxPlayers: 2 },
        });
        const { id } = made.body.data.game;
        const before = await client.look(id);
        const where = path.replace("{id}", id);
        const answer = route.endsWith("/events")
          ? await firstAnswer(server.url, where, token)
          : await client.call(where, { method, token, body });
        const [expected, code] = outcomeFor(bearer, may, status);
        assert.deepEqual(
          [answer.status, expected >= 401 ? answer.body.code : code],
          [expected, code],
          bearer,
        );
        if (expected >= 401) assert.deepEqual(await client.look(id), before, bearer);
      }
    });
  }

  test("[AU2] the table knows every live message, and no other", () => {
    assert.deepEqual(Object.keys(messages).sort(), Object.keys(messageAccess).sort());
  });

  const messages: Record<string, { may: "public" | readonly Role[]; status: number }> = {
    auth: { may: everyone, status: 200 },
    join: { may: ["person"], status: 200 },
    leave: { may: ["person"], status: 400 },
    "can-join": { may: ["person"], status: 200 },
    watch: { may: "public", status: 200 },
    unwatch: { may: "public", status: 200 },
    ping: { may: "public", status: 200 },
  };

  for (const [type, { may, status }] of Object.entries(messages)) {
    test(`[AU2] the live message ${type}: ${may === "public" ? "anyone" : may.join(", ")}`, async () => {
      const body = { title: "G", maxPlayers: 9 };
      const made = await client.post("/api/v1/games", { token: bearers.operator, body });
      const game = made.body.data.game.id;
      const about = ["auth", "ping"].includes(type) ? {} : { game };
      for (const bearer of Object.keys(bearers) as Bearer[]) {
        const token = bearers[bearer];
        const [expected, code] = outcomeFor(bearer, may, status);
        const before = await client.look(game);
        const live = await LiveClient.open(server.url);
        try {
          if (type === "auth") {
            if (token === undefined) continue;
            const answer = await live.ask({ type, token });
            assert.deepEqual([answer.status, answer.body.code], [expected, code], bearer);
            continue;
          }
          // Proved once for the connection.
          const proof = token === undefined ? undefined : await live.ask({ type: "auth", token });
          if (proof !== undefined && proof.status !== 200)
            assert.deepEqual([proof.status, proof.body.code], outcomeFor(bearer, everyone, 200), bearer);
          else {
            const answer = await live.ask({ type, ...about });
            assert.deepEqual(
              [answer.status, expected >= 401 ? answer.body.code : code],
              [expected, code],
              `${bearer}, by auth`,
            );
          }
          if (["join", "leave", "can-join"].includes(type) && token !== undefined) {
            await live.ask({ type: "leave", game, token: bearers.person });
            const other = await LiveClient.open(server.url);
            const answer = await other.ask({ type, ...about, token });
            other.close();
            assert.deepEqual(
              [answer.status, expected >= 401 ? answer.body.code : code],
              [expected, code],
              `${bearer}, by the token of the message`,
            );
          }
          await live.ask({ type: "leave", game, token: bearers.person });
          if (expected >= 401) assert.deepEqual((await client.look(game)).game, before.game, bearer);
        } finally {
          live.close();
        }
      }
    });
  }

  test("[AU2] a live connection opened with a bad token is not opened; with a good one it is that person's", async () => {
    for (const bearer of ["expired", "altered", "wrong audience", "foreign key"] as const)
      await assert.rejects(LiveClient.open(server.url, { token: bearers[bearer]! }), /401/, bearer);
    const body = { title: "G", maxPlayers: 9 };
    const made = await client.post("/api/v1/games", { token: bearers.operator, body });
    const live = await LiveClient.open(server.url, { token: bearers.person! });
    const answer = await live.ask({ type: "join", game: made.body.data.game.id });
    assert.equal(answer.body.data.participant.userId, "ann");
    live.close();
  });

  test("[AU2] a token that expires while the connection is open no longer counts", async () => {
    const body = { title: "G", maxPlayers: 9 };
    const made = await client.post("/api/v1/games", { token: bearers.operator, body });
    const game = made.body.data.game.id;
    // The server allows for clocks that differ by five seconds: this one has one second left.
    const token = tokenOf("ann", { aud: "our-games", exp: inSeconds(-4) });
    const live = await LiveClient.open(server.url, { token });
    try {
      assert.equal((await live.ask({ type: "can-join", game })).status, 200);
      let answer: Json;
      const deadline = Date.now() + 5_000;
      do {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answer = await live.ask({ type: "can-join", game });
      } while (answer.status === 200 && Date.now() < deadline);
      assert.deepEqual([answer.status, answer.body.code], [401, "auth.expired"]);
    } finally {
      live.close();
    }
  });

  test("[AU3] a person acts only for themselves, whoever they name", async () => {
    const body = { title: "G", maxPlayers: 9 };
    const made = await client.post("/api/v1/games", { token: bearers.operator, body });
    const { id } = made.body.data.game;
    const bob = tokenOf("bob", { aud: "our-games" });
    await client.post(`/api/v1/games/${id}/join`, { token: bob });
    const named = await client.post(`/api/v1/games/${id}/leave`, {
      token: bearers.person,
      body: { userId: "bob" },
    });
    assert.equal(named.status, 400);
    assert.equal((await client.participants(id))[0].status, "ACTIVE");
  });
});

/** Of a stream that does not end: its status, and the body if it is a refusal. */
async function firstAnswer(
  url: string,
  path: string,
  token: string | undefined,
): Promise<Pick<Answer, "status" | "body">> {
  const abort = new AbortController();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await within("an answer", fetch(url + path, { headers, signal: abort.signal }));
  const body = response.status === 200 ? undefined : await response.json();
  abort.abort();
  return { status: response.status, body };
}
