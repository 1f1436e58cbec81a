import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Answer, assertRefused, type Call, type Json } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

/**
 * What happens to a repeat: it is refused or finds the existing object (`once`), sets the same again (`same`), takes effect twice
 * by rule (`twice`), or is refused without a key.
 */
type Verdict = "once" | "same" | "twice" | "needs a key";

/** ID5: the verdict on a repeat without a key; `once` by default. */
const verdicts: Readonly<Record<string, Verdict>> = {
  "POST /api/v1/guests": "twice",
  "PATCH /api/v1/guests/me": "same",
  "POST /api/v1/games": "twice",
  "POST /api/v1/queues": "twice",
  "PATCH /api/v1/queues/{id}": "same",
  "POST /api/v1/arenas": "twice",
  "PATCH /api/v1/arenas/{id}": "same",
  "POST /api/v1/ladders": "twice",
  "PATCH /api/v1/ladders/{id}": "same",
  "POST /api/v1/ladders/{id}/matches": "twice",
  "POST /api/v1/duels": "needs a key",
  "POST /api/v1/chat/messages": "needs a key",
};

suite("requests that are repeated without a key", () => {
  const { server, client } = serverOfSuite();
  const asked = new Set<string>();

  /** Sends a request as `person` (or with `token`) twice; returns the data of the first response. */
  async function twice(
    route: string,
    person: string | undefined,
    given: Call & { readonly at?: readonly string[] } = {},
  ): Promise<Json> {
    asked.add(route);
    const { at = [], ...call } = given;
    const [method, path] = route.split(" ");
    const parts = [...at];
    const where = path.replaceAll(/\{\w+\}/g, () => parts.shift()!);
    const token = person === undefined ? undefined : tokenOf(person);
    const ask = (): Promise<Answer> => client.call(where, { method, token, ...call });
    const first = await ask();
    if (verdicts[route] === "needs a key") {
      assertRefused(first, 400, "input.invalid", route);
      return first.body;
    }
    const second = await ask();
    const about = `${route}: ${first.text}, then ${second.text}`;
    if (verdicts[route] === "twice") assert.notDeepEqual(dataOf(second), dataOf(first), about);
    else if (second.status < 400) assert.deepEqual(dataOf(second), dataOf(first), about);
    else assert.equal(verdicts[route], undefined, about);
    return first.body?.data;
  }

  const dataOf = ({ body }: Answer) => {
    const { person, import: file, ...data } = body.data;
    // A token is signed again, and an import progresses meanwhile.
    return person ?? file?.id ?? data;
  };

  test("[ID5] of guests and games", async () => {
    const guest = await twice("POST /api/v1/guests", undefined);
    await twice("PATCH /api/v1/guests/me", undefined, { token: guest.token, body: { name: "Ada" } });
    const body = { title: "Game", maxPlayers: 3 };
    const { game } = await twice("POST /api/v1/games", "maker", { body });
    const at = [game.id];
    await twice("POST /api/v1/games/{id}/join", "ann", { at });
    await twice("POST /api/v1/games/{id}/heartbeat", "ann", { at });
    await twice("POST /api/v1/games/{id}/leave", "ann", { at });
    await client.join(game.id, "bob");
    await twice("POST /api/v1/games/{id}/participants/{userId}/remove", "maker", { at: [...at, "bob"] });
    await twice("POST /api/v1/games/{id}/end", "maker", { at });
  });

  test("[ID5] of waiting rooms", async () => {
    const token = server.operatorKey;
    const { queue } = await twice("POST /api/v1/queues", undefined, {
      ...{ token, body: { title: "Queue", maxActive: 3 } },
    });
    const at = [queue.id];
    await twice("PATCH /api/v1/queues/{id}", undefined, { at, token, body: { rate: 50, burst: 10 } });
    await twice("POST /api/v1/queues/{id}/pause", undefined, { at, token });
    await twice("POST /api/v1/queues/{id}/resume", undefined, { at, token });
    for (const end of ["complete", "leave", "give up"] as const) {
      const person = `queuing ${end}`.replaceAll(" ", "-");
      const { position } = await twice("POST /api/v1/queues/{id}/positions", person, { at });
      await twice("POST /api/v1/positions/{id}/heartbeat", person, { at: [position.id] });
      if (end === "give up") {
        await twice("DELETE /api/v1/positions/{id}", person, { at: [position.id] });
        continue;
      }
      const { session } = await twice("POST /api/v1/sessions", person, { body: { token: position.token } });
      await twice("POST /api/v1/sessions/{id}/heartbeat", person, { at: [session.id] });
      if (end === "complete")
        await twice("POST /api/v1/sessions/{id}/complete", person, { at: [session.id] });
      else await twice("DELETE /api/v1/sessions/{id}", person, { at: [session.id] });
    }
    await twice("POST /gate/{queue}/complete", undefined, { at });
    await twice("POST /api/v1/queues/{id}/end", undefined, { at, token });
  });

  test("[ID5] [MT5] of arenas: also if the opponent has moved in between", async () => {
    const { arena } = await twice("POST /api/v1/arenas", "maker", {
      body: { title: "Arena", game: "rock-paper-scissors" },
    });
    const at = [arena.id];
    await twice("PATCH /api/v1/arenas/{id}", "maker", { at, body: { maxWins: 5 } });
    for (const person of ["ann", "bob"]) await twice("POST /api/v1/arenas/{id}/join", person, { at });
    const look = async () => (await client.get(`/api/v1/arenas/${arena.id}`)).body.data.state.match;
    const { id: match, turn } = await look();
    for (const named of [{ turn }, {}]) {
      const throwing = (person: string) =>
        twice("POST /api/v1/arenas/{id}/moves", person, { at, body: { match, ...named, move: "rock" } });
      await throwing("ann");
      await throwing("bob");
      const stale = await client.post(`/api/v1/arenas/${arena.id}/moves`, {
        ...{ token: tokenOf("ann"), body: { match, ...named, move: "rock" } },
      });
      assertRefused(stale, 409, "turn" in named ? "turn.stale" : "turn.missing");
      assert.deepEqual(stale.body.data, { turn: 2 });
    }
    assert.deepEqual([(await look()).turn, (await look()).moves], [2, 2]);
    await twice("POST /api/v1/arenas/{id}/resign", "ann", { at, body: { match } });
    await twice("POST /api/v1/arenas/{id}/leave", "ann", { at });
    const elsewhere = (
      await client.post("/api/v1/arenas", {
        ...{ token: tokenOf("maker"), body: { title: "RemoteRoom", game: null } },
      })
    ).body.data.arena.id;
    for (const person of ["ann", "bob"])
      await client.post(`/api/v1/arenas/${elsewhere}/join`, { token: tokenOf(person) });
    const on = (await client.get(`/api/v1/arenas/${elsewhere}`)).body.data.state.match;
    assert.equal(on.turn, null);
    const body = { match: on.id, winner: "1" };
    await twice("POST /api/v1/arenas/{id}/result", undefined, {
      ...{ at: [elsewhere], token: server.serviceKey, body },
    });
    await twice("POST /api/v1/arenas/{id}/end", "maker", { at });
  });

  test("[ID5] of ladders: a match reported twice counts as two, and nothing else does", async () => {
    const { ladder } = await twice("POST /api/v1/ladders", "maker", {
      body: { title: "Ladder", confirm: true },
    });
    const at = [ladder.id];
    await twice("PATCH /api/v1/ladders/{id}", "maker", { at, body: { title: "The ladder" } });
    for (const person of ["ann", "bob"]) await twice("POST /api/v1/ladders/{id}/join", person, { at });
    await twice("POST /api/v1/ladders/{id}/players", "maker", { at, body: { userId: "cat" } });
    await twice("POST /api/v1/ladders/{id}/players/{player}/leave", "maker", { at: [...at, "cat"] });
    const body = { players: ["ann", "bob"], scores: [1, 0] };
    const { match } = await twice("POST /api/v1/ladders/{id}/matches", "ann", { at, body });
    const route = "POST /api/v1/ladders/{id}/matches/{match}";
    await twice(`${route}/confirm`, "bob", { at: [...at, match.id] });
    await twice(`${route}/void`, "ann", { at: [...at, match.id] });
    await twice(`${route}/decline`, "bob", { at: [...at, String(Number(match.id) + 1)] });
    await twice("POST /api/v1/ladders/{id}/imports", "maker", {
      at,
      rawBody: "player1,player2,score1,score2\nann,bob,1,0\n",
      headers: { "content-type": "text/csv" },
    });
    for (const change of ["ban", "unban"])
      await twice(`POST /api/v1/ladders/{id}/players/{player}/${change}`, "maker", { at: [...at, "bob"] });
    await twice("POST /api/v1/ladders/{id}/leave", "ann", { at });
    await twice("POST /api/v1/ladders/{id}/end", "maker", { at });
  });

  test("[ID5] of names, duels and chat", async () => {
    for (const [person, nickname] of [
      ["ann", "Ann"],
      ["bob", "Bob"],
    ])
      await twice("PUT /api/v1/people/me/nickname", person, { body: { nickname } });
    const challenge = { opponent: "bob", throw: "rock" };
    const duels = async () => (await client.get("/api/v1/duels", { token: tokenOf("ann") })).body.data;
    const { message, data } = await twice("POST /api/v1/duels", "ann", { body: challenge });
    assert.equal(message, "idempotency-key is missing.");
    assert.deepEqual([data.in, data.field, data.problem], ["header", "idempotency-key", "is missing"]);
    assert.deepEqual(await duels(), { open: [], finished: [] });
    const call = { token: tokenOf("ann"), key: "my throw", body: challenge };
    const first = await client.post("/api/v1/duels", call);
    const { id } = first.body.data.duel;
    await twice("POST /api/v1/duels/{id}/throw", "bob", { at: [id], body: { throw: "paper" } });
    // After the result, the repeat returns the first response and opens no other duel.
    assert.equal((await client.post("/api/v1/duels", call)).text, first.text);
    assert.equal((await duels()).open.length, 0);
    const second = await client.post("/api/v1/duels", { ...call, key: "my next throw" });
    await twice("POST /api/v1/duels/{id}/drop", "ann", { at: [second.body.data.duel.id] });
    const said = { body: { text: "throw rock @bob" } };
    const nameless = await twice("POST /api/v1/chat/messages", "ann", said);
    assert.equal(nameless.message, "messageId is required without an Idempotency-Key.");
    assert.equal((await duels()).open.length, 0);
    await twice("POST /api/v1/people/me/quit", "ann");
    await twice("POST /api/v1/people/{userId}/forget", undefined, {
      ...{ at: ["bob"], token: server.operatorKey },
    });
  });

  test("[ID5] of operator requests about chat", async () => {
    const token = server.operatorKey;
    const route = "POST /api/v1/chat/dead-letters/{number}";
    await twice("PUT /api/v1/chat/groups/{number}", undefined, {
      ...{ token, at: ["1"], body: { ladder: "nowhere" } },
    });
    await twice("POST /api/v1/chat/dead-letters/resend", undefined, { token, body: { to: "sms" } });
    for (const end of ["resend", "discard"]) await twice(`${route}/${end}`, undefined, { token, at: ["1"] });
  });

  test("[ID5] every changing route was requested twice, and no other", () => {
    const { paths } = server.app.swagger() as Json;
    const writes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter((method) => !["get", "head"].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(writes.sort(), [...asked].sort());
  });
});
