import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadConfig } from "../../src/config/load-config.ts";
import { roomMakers } from "../../src/config/room-makers.ts";
import { Hall } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { type Answer, assertRefused } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const off = (answer: Answer, what?: string) => assertRefused(answer, 403, "auth.guests-off", what);

describe("guests turned off", () => {
  let server: TestServer;
  let token: string;
  let game: string;
  let visitor: Browser;
  let place: string;
  let ladder: string;
  let match: string;

  before(async () => {
    server = await startServer();
    const { client } = server;
    token = (await client.post("/api/v1/guests")).body.data.token;
    game = await client.newGame();
    assert.equal((await client.post(`/api/v1/games/${game}/join`, { token })).status, 200);
    const made = await client.post("/api/v1/ladders", { token: server.serviceKey, body: { title: "Club" } });
    ladder = made.body.data.ladder.id;
    for (const player of [token, tokenOf("ann")])
      assert.equal((await client.post(`/api/v1/ladders/${ladder}/join`, { token: player })).status, 200);
    const me = (await client.get("/api/v1/people/me", { token })).body.data.person.userId;
    const report = { players: [me, "ann"], scores: [1, 0] };
    const reported = await client.post(`/api/v1/ladders/${ladder}/matches`, { token, body: report });
    match = reported.body.data.match.id;
    const nickname = { method: "PUT", token, body: { nickname: "Kim" } };
    assert.equal((await client.call("/api/v1/people/me/nickname", nickname)).status, 200);
    const desk = new Desk(server);
    const queue = await desk.newQueue({ id: "shop", maxActive: 1 });
    await desk.entered(queue, "first");
    place = (await client.post("/api/v1/queues/shop/positions", { token })).body.data.position.id;
    visitor = new Browser(server.url);
    assert.equal(stateIn(await visitor.get("/wait/shop")).position, 2);
    server = await server.restart(["--no-guests"]);
    visitor = visitor.at(server.url);
  });
  after(async () => {
    visitor.close();
    await server.stop();
  });

  test("[AU9] nobody becomes a guest, and no guest is renamed", async () => {
    off(await server.client.post("/api/v1/guests"));
    off(await server.client.post("/api/v1/guests", { body: { name: "Kim" } }));
    off(await server.client.call("/api/v1/guests/me", { method: "PATCH", token, body: { name: "Kim" } }));
  });

  test("[AU9] an existing guest begins nothing new, by HTTP, on the fast path, or by live messages", async () => {
    const { client } = server;
    const other = await client.newGame();
    const arena = await new Hall(server).newArena();
    const writes: [string, unknown?][] = [
      [`/api/v1/games/${other}/join`],
      [`/api/v1/arenas/${arena}/join`],
      ["/api/v1/queues/shop/positions"],
      ["/api/v1/games", { title: "A game", maxPlayers: 2 }],
      ["/api/v1/ladders", { title: "A ladder" }],
      ["/api/v1/chat/messages", { text: "help" }],
    ];
    for (const [path, body] of writes) off(await client.post(path, { token, body }), path);
    const live = await LiveClient.open(server.url, { token });
    assert.equal((await live.ask({ type: "join", game: other })).body.code, "auth.guests-off");
    assert.equal((await live.ask({ type: "watch", game: other })).status, 200);
    live.close();
    assert.equal((await client.look(other)).game.currentPlayers, 0);
  });

  test("[AU9] an existing guest can read, and finish what they have begun", async () => {
    const { client } = server;
    assert.equal((await client.get(`/api/v1/games/${game}`, { token })).status, 200);
    assert.equal((await client.get(`/api/v1/positions/${place}`, { token })).status, 200);
    assert.equal((await client.post(`/api/v1/positions/${place}/heartbeat`, { token })).status, 200);
    assert.equal((await client.post(`/api/v1/games/${game}/leave`, { token })).status, 200);
    for (const path of [`matches/${match}/void`, "leave"])
      assert.equal((await client.post(`/api/v1/ladders/${ladder}/${path}`, { token })).status, 200, path);
    assert.equal((await client.post("/api/v1/people/me/quit", { token })).status, 200);
  });

  test("[AU9] the waiting page says what to do, in the visitor's language; people with a place keep it", async () => {
    const newcomer = new Browser(server.url);
    const english = await newcomer.get("/wait/shop");
    assert.equal(english.status, 403);
    assert.match(english.text, /Sign in to wait in this line/);
    const german = await newcomer.get("/wait/shop", { headers: { "accept-language": "de" } });
    assert.match(german.text, /Bitte melden Sie sich an/);
    assert.equal(newcomer.cookie("openseat_guest"), undefined);
    newcomer.close();
    assert.equal(stateIn(await visitor.get("/wait/shop")).position, 2);
    assert.equal((await visitor.post("/wait/shop/leave", { form: {} })).status, 303);
    assert.equal((await visitor.post("/wait/shop/enter", { form: {} })).status, 403);
  });

  test("[AU9] people with their own token are unaffected", async () => {
    assert.equal((await server.client.join(game, "ann")).status, 200);
    assert.equal((await new Desk(server).enter("shop", "ann")).status, 201);
  });
});

describe("who may create rooms", () => {
  const kinds = {
    games: { title: "A game", maxPlayers: 2 },
    arenas: { title: "An arena", game: "tic-tac-toe" },
    ladders: { title: "A ladder" },
  };
  const roles = ["person", "service", "operator"] as const;

  /** Per kind, the roles that may create a room. */
  async function makersOf(server: TestServer): Promise<Record<string, string[]>> {
    const tokens = { person: tokenOf("ann"), service: server.serviceKey, operator: server.operatorKey };
    const makers: Record<string, string[]> = {};
    for (const [kind, body] of Object.entries(kinds)) {
      makers[kind] = [];
      for (const role of roles) {
        const answer = await server.client.post(`/api/v1/${kind}`, { token: tokens[role], body });
        if (answer.status === 201) makers[kind].push(role);
        else assertRefused(answer, 403, "auth.forbidden");
      }
    }
    return makers;
  }

  test("[AU10] everyone by default; with createRooms, the named role and those above it", async (t) => {
    let server = await startServer();
    t.after(() => server.stop());
    assert.deepEqual(await makersOf(server), { games: roles, arenas: roles, ladders: roles });
    server = await server.restart(["--create-rooms", "arenas=service, ladders=operator"]);
    assert.deepEqual(await makersOf(server), {
      games: roles,
      arenas: ["service", "operator"],
      ladders: ["operator"],
    });
    const { paths } = (await server.client.get("/openapi.json")).body;
    assert.deepEqual(paths["/api/v1/ladders"].post["x-access"], ["operator"]);
  });

  test("[AU10] with an operator port, rooms that only operators may create are created there only", async () => {
    const flags = [...issuerFlags, "--operator-port", "0", "--create-rooms", "ladders=operator"];
    const server = await startServer(flags);
    const answer = await server.client.post("/api/v1/ladders", {
      token: tokenOf("ann"),
      body: kinds.ladders,
    });
    assertRefused(answer, 404, "route.not-found");
    await server.stop();
  });

  test("[AU10] an invalid value is refused", () => {
    const wrong = ["", "games", "games=", "games=guest", "queues=person"];
    for (const text of [...wrong, "games=person,games=service", "games=person,"]) {
      assert.equal(roomMakers(text), undefined, text);
      assert.throws(() => loadConfig(["--create-rooms", text], {}), /--create-rooms must be a list such as/);
    }
  });
});
