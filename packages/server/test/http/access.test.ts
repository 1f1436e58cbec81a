import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { buildPages } from "@openseat/web/build";
import { messageRules } from "../../src/transport/live/messages.ts";
import { LiveClient } from "../live/clients.ts";
import { type Answer, type Client, type Json, within } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import { altered, inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";

type Role = "person" | "service" | "operator";
type Bearer = Role | "none" | "expired" | "altered" | "wrong audience" | "wrong issuer" | "foreign key";

const everyone: readonly Role[] = ["person", "service", "operator"];

interface RouteRow {
  readonly may: "public" | readonly Role[];
  /** The status for permitted roles, and the code if it is a refusal. */
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
  readonly query?: string;
  /** Whether the request requires a key (ID5). */
  readonly key?: true;
}

/** The values of path parameters, besides the room's own id. */
const parts: Readonly<Record<string, string>> = {
  match: "1",
  player: "ann",
  opponent: "bob",
  import: "0".repeat(32),
  number: "1",
  nickname: "ann",
  userId: "ann",
};

const aMove = { match: "1", move: "a1" } as const;
const aResult = { players: ["ann", "bob"], scores: [1, 0] } as const;

/** AU2: every route, and who may use it. `public` routes work without a token. */
const routes: Record<string, RouteRow> = {
  "GET /healthz": { may: "public", status: 200 },
  "GET /readyz": { may: "public", status: 200 },
  "GET /metrics": { may: "public", status: 200 },
  "GET /.well-known/jwks.json": { may: "public", status: 200 },
  "GET /docs": { may: "public", status: 200 },
  "GET /docs/live": { may: "public", status: 200 },
  "GET /docs/reference.js": { may: "public", status: 200 },
  "GET /asyncapi.json": { may: "public", status: 200 },
  "GET /openapi.json": { may: "public", status: 200 },
  "POST /api/v1/guests": { may: "public", status: 201 },
  // Ann's issuer sets her name; guests are renamed in auth.test.ts.
  "PATCH /api/v1/guests/me": { may: ["person"], status: 403, code: "auth.forbidden", body: { name: "Ann" } },
  "GET /api/v1/live": { may: "public", status: 400 },
  "POST /api/v1/games": { may: everyone, status: 201, body: { title: "Game", maxPlayers: 2 } },
  "GET /api/v1/games": { may: "public", status: 200 },
  "GET /api/v1/games/{id}": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/events": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/participants": { may: "public", status: 200 },
  "GET /api/v1/games/{id}/can-join": { may: ["person"], status: 200 },
  "POST /api/v1/games/{id}/join": { may: ["person"], status: 200 },
  "POST /api/v1/games/{id}/leave": { may: ["person"], status: 400 },
  "POST /api/v1/games/{id}/heartbeat": { may: ["person"], status: 400, code: "place.missing" },
  "POST /api/v1/games/{id}/end": { may: everyone, status: 200 },
  "POST /api/v1/games/{id}/participants/{userId}/remove": {
    may: everyone,
    status: 400,
    code: "place.missing",
  },
  "POST /api/v1/arenas": { may: everyone, status: 201, body: { title: "Arena", game: "tic-tac-toe" } },
  "GET /api/v1/arenas": { may: "public", status: 200 },
  "GET /api/v1/arenas/{id}": { may: "public", status: 200 },
  "PATCH /api/v1/arenas/{id}": { may: everyone, status: 200, body: { maxWins: 5 } },
  "POST /api/v1/arenas/{id}/end": { may: everyone, status: 200 },
  "GET /api/v1/arenas/{id}/events": { may: "public", status: 200 },
  "POST /api/v1/arenas/{id}/join": { may: ["person"], status: 200 },
  "POST /api/v1/arenas/{id}/leave": { may: ["person"], status: 400 },
  // An arena without people has no running match.
  "POST /api/v1/arenas/{id}/moves": { may: ["person"], status: 409, code: "match.none", body: aMove },
  "POST /api/v1/arenas/{id}/resign": {
    may: ["person"],
    status: 409,
    code: "match.none",
    body: { match: "1" },
  },
  "POST /api/v1/arenas/{id}/result": {
    may: ["service"],
    status: 409,
    code: "result.decided-here",
    body: { match: "1", winner: "X" },
  },
  "GET /api/v1/arenas/{id}/matches": { may: "public", status: 200 },
  "GET /api/v1/arenas/{id}/matches/{match}": { may: "public", status: 404, code: "match.not-found" },
  "POST /api/v1/ladders": { may: everyone, status: 201, body: { title: "Ladder" } },
  "GET /api/v1/ladders": { may: "public", status: 200 },
  "GET /api/v1/ladders/{id}": { may: "public", status: 200 },
  "PATCH /api/v1/ladders/{id}": { may: everyone, status: 200, body: { confirm: true } },
  "POST /api/v1/ladders/{id}/end": { may: everyone, status: 200 },
  "GET /api/v1/ladders/{id}/events": { may: "public", status: 200 },
  // Ann and bob are players already.
  "POST /api/v1/ladders/{id}/join": { may: ["person"], status: 400 },
  "POST /api/v1/ladders/{id}/leave": { may: ["person"], status: 200 },
  "POST /api/v1/ladders/{id}/players": { may: everyone, status: 200, body: { userId: "cat" } },
  "POST /api/v1/ladders/{id}/players/{player}/leave": { may: everyone, status: 200 },
  "POST /api/v1/ladders/{id}/players/{player}/ban": { may: everyone, status: 200 },
  "POST /api/v1/ladders/{id}/players/{player}/unban": {
    may: everyone,
    status: 409,
    code: "player.not-banned",
  },
  "GET /api/v1/ladders/{id}/standings": { may: "public", status: 200 },
  "GET /api/v1/ladders/{id}/players": { may: "public", status: 200, query: "?search=a" },
  "GET /api/v1/ladders/{id}/players/{player}": { may: "public", status: 200 },
  "GET /api/v1/ladders/{id}/players/{player}/history": { may: "public", status: 200 },
  "GET /api/v1/ladders/{id}/players/{player}/against/{opponent}": { may: "public", status: 200 },
  "POST /api/v1/ladders/{id}/matches": { may: everyone, status: 200, body: aResult },
  "GET /api/v1/ladders/{id}/matches": { may: "public", status: 200 },
  "GET /api/v1/ladders/{id}/matches/{match}": { may: "public", status: 200 },
  // The match counts already.
  "POST /api/v1/ladders/{id}/matches/{match}/confirm": {
    may: ["person"],
    status: 409,
    code: "match.counted",
  },
  "POST /api/v1/ladders/{id}/matches/{match}/decline": {
    may: ["person"],
    status: 409,
    code: "match.counted",
  },
  "POST /api/v1/ladders/{id}/matches/{match}/void": { may: everyone, status: 200 },
  "POST /api/v1/ladders/{id}/imports": { may: everyone, status: 202, body: { matches: [aResult] } },
  "GET /api/v1/ladders/{id}/imports/{import}": { may: "public", status: 404, code: "import.not-found" },
  "GET /api/v1/ladders/{id}/export": { may: "public", status: 200, query: "?what=matches&format=csv" },
  "GET /api/v1/people/me": { may: ["person"], status: 200 },
  "PUT /api/v1/people/me/nickname": { may: ["person"], status: 200, body: { nickname: "Annie" } },
  "POST /api/v1/people/me/quit": { may: ["person"], status: 200 },
  "POST /api/v1/people/{userId}/forget": { may: ["operator"], status: 200 },
  "GET /api/v1/nicknames/{nickname}": { may: "public", status: 200 },
  "GET /api/v1/people/called/{nickname}": { may: "public", status: 200 },
  "POST /api/v1/duels": {
    may: ["person"],
    status: 200,
    key: true,
    body: { opponent: "bob", throw: "rock" },
  },
  "GET /api/v1/duels": { may: ["person"], status: 200 },
  "GET /api/v1/duels/{id}": { may: ["person"], status: 200 },
  "POST /api/v1/duels/{id}/throw": { may: ["person"], status: 200, body: { throw: "rock" } },
  "POST /api/v1/duels/{id}/drop": { may: ["person"], status: 200 },
  // A service names the speaker; a person can only speak as themselves.
  "POST /api/v1/chat/messages": {
    may: ["person", "service"],
    status: 200,
    key: true,
    body: { text: "nick Annie", userId: "ann" },
  },
  "GET /api/v1/conversations/{id}": { may: ["person", "service"], status: 200 },
  "GET /api/v1/conversations/{id}/events": { may: ["person"], status: 200 },
  "GET /api/v1/chat/groups": { may: ["operator"], status: 200 },
  // Nobody has written in a group yet, and there are no dead letters.
  "PUT /api/v1/chat/groups/{number}": {
    may: ["operator"],
    status: 404,
    code: "ladder.not-found",
    body: { ladder: "nowhere" },
  },
  "GET /api/v1/chat/dead-letters": { may: ["operator"], status: 200 },
  "POST /api/v1/chat/dead-letters/resend": { may: ["operator"], status: 200, body: { to: "sms" } },
  "POST /api/v1/chat/dead-letters/{number}/resend": {
    may: ["operator"],
    status: 404,
    code: "delivery.not-found",
  },
  "POST /api/v1/chat/dead-letters/{number}/discard": {
    may: ["operator"],
    status: 404,
    code: "delivery.not-found",
  },
  "POST /api/v1/queues": { may: ["operator"], status: 201, body: { title: "Queue", maxActive: 2 } },
  "GET /api/v1/queues": { may: "public", status: 200 },
  "GET /api/v1/queues/{id}": { may: "public", status: 200 },
  "PATCH /api/v1/queues/{id}": { may: ["operator"], status: 200, body: { rate: 5 } },
  "POST /api/v1/queues/{id}/pause": { may: ["operator"], status: 200 },
  "POST /api/v1/queues/{id}/resume": { may: ["operator"], status: 200 },
  "POST /api/v1/queues/{id}/end": { may: ["operator"], status: 200 },
  "GET /api/v1/queues/{id}/stats": { may: "public", status: 200 },
  "GET /api/v1/queues/{id}/events": { may: ["service", "operator"], status: 200 },
  "POST /api/v1/queues/{id}/positions": { may: everyone, status: 201, body: { person: "ann" } },
  "GET /api/v1/positions/{id}": { may: everyone, status: 200 },
  "GET /api/v1/positions/{id}/details": { may: everyone, status: 200 },
  "POST /api/v1/positions/{id}/heartbeat": { may: everyone, status: 200 },
  "DELETE /api/v1/positions/{id}": { may: everyone, status: 200 },
  "POST /api/v1/sessions": { may: everyone, status: 201, body: "claim" },
  "POST /api/v1/sessions/{id}/heartbeat": { may: everyone, status: 200 },
  "POST /api/v1/sessions/{id}/complete": { may: everyone, status: 200 },
  "DELETE /api/v1/sessions/{id}": { may: everyone, status: 200 },
  "GET /gate/{queue}": { may: "public", status: 401, code: "session.missing" },
  "POST /gate/{queue}/complete": { may: "public", status: 401, code: "session.missing" },
  // A browser's cookie identifies the place, and there is none here.
  "GET /wait/{queue}": { may: "public", status: 200 },
  "GET /wait/{queue}/go": { may: "public", status: 404 },
  "GET /wait/{queue}/state": { may: "public", status: 404, code: "place.not-found" },
  "GET /wait/{queue}/events": { may: "public", status: 404, code: "place.not-found" },
  "GET /wait/{queue}/move": { may: "public", status: 200 },
  "POST /wait/{queue}/move": { may: "public", status: 400 },
  "POST /wait/{queue}/enter": { may: "public", status: 303 },
  "POST /wait/{queue}/leave": { may: "public", status: 200 },
  "GET /wait/assets/wait-none.js": { may: "public", status: 404, code: "route.not-found" },
  // The same document for all of them, whether or not the room exists.
  "GET /": { may: "public", status: 200 },
  "GET /games/{id}": { may: "public", status: 200 },
  // The pages of unknown rooms.
  "GET /arenas/{id}": { may: "public", status: 404 },
  "GET /arenas/{id}/matches/1": { may: "public", status: 404 },
  "GET /ladders/{id}": { may: "public", status: 404 },
  "GET /ladders/{id}/players/{player}": { may: "public", status: 404 },
  "GET /chat": { may: "public", status: 200 },
  "GET /duels": { may: "public", status: 200 },
  "GET /assets/none.js": { may: "public", status: 404, code: "route.not-found" },
};
/** Not in the API document: routes about it, for people rather than programs, or under a former address. */
const isDocumented = (route: string) =>
  !/^GET \/(?:$|docs|openapi\.json$|asyncapi\.json$|api\/v1\/live$|games\/|arenas\/|ladders\/|chat$|duels$|assets\/)| \/wait\/|\/people\/called\//.test(
    route,
  );

suite("who may do what", () => {
  let server: TestServer;
  let client: Client;
  let bearers: Record<Bearer, string | undefined>;

  before(async () => {
    await buildPages();
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

  function outcomeFor(
    bearer: Bearer,
    { may, status, code }: Pick<RouteRow, "may" | "status" | "code">,
  ): [number, string | undefined] {
    if (bearer === "none") return may === "public" ? [status, code] : [401, "auth.missing"];
    if (bearer === "expired") return [401, "auth.expired"];
    if (!everyone.includes(bearer as Role)) return [401, "auth.invalid"];
    return may === "public" || may.includes(bearer as Role) ? [status, code] : [403, "auth.forbidden"];
  }

  test("[AU2] the table knows every route of the running server, and no other", () => {
    const { paths } = server.app.swagger() as Json;
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter((method) => method !== "head")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = Object.keys(routes).filter(isDocumented);
    assert.deepEqual(documented.sort(), known.sort());
    const printed = server.app.printRoutes({ commonPrefix: false, includeHooks: false });
    const leaves = [...printed.matchAll(/\(([A-Z, ]+)\)/g)]
      .flatMap(([, methods]) => methods.split(", "))
      .filter((method) => method !== "HEAD");
    assert.equal(leaves.length, Object.keys(routes).length, printed);
  });

  /** The target of a route or a message; `look` returns everything that it could have changed. */
  interface Subject {
    readonly id: string;
    readonly look: () => Promise<Json>;
    readonly body?: unknown;
  }

  async function newGame(maker: string | undefined, maxPlayers = 2): Promise<Subject> {
    const body = { title: "G", maxPlayers };
    const made = await client.post("/api/v1/games", { token: maker, body });
    const { id } = made.body.data.game;
    return { id, look: () => client.look(id) };
  }

  async function newArena(maker: string | undefined): Promise<Subject> {
    const body = { title: "A", game: "tic-tac-toe" };
    const made = await client.post("/api/v1/arenas", { token: maker, body });
    const { id } = made.body.data.arena;
    return { id, look: async () => (await client.get(`/api/v1/arenas/${id}`)).body.data };
  }

  /** A ladder of ann and bob, and a match that the maker has reported. */
  async function newLadder(maker: string | undefined): Promise<Subject> {
    const made = await client.post("/api/v1/ladders", { token: maker, body: { title: "L", confirm: false } });
    const { id } = made.body.data.ladder;
    for (const userId of ["ann", "bob"])
      await client.post(`/api/v1/ladders/${id}/players`, { token: maker, body: { userId } });
    await client.post(`/api/v1/ladders/${id}/matches`, { token: maker, body: aResult });
    return { id, look: async () => (await client.get(`/api/v1/ladders/${id}`)).body.data };
  }

  /** An empty queue, or ann's place in one, or her session. */
  async function newPlace(what: "queue" | "position" | "session", isPaused: boolean): Promise<Subject> {
    const [token, ann] = [bearers.operator, bearers.person];
    const made = await client.post("/api/v1/queues", { token, body: { title: "Q", maxActive: 2 } });
    const queue = made.body.data.queue.id;
    const look = async () => {
      const { stats } = (await client.get(`/api/v1/queues/${queue}/stats`)).body.data;
      return { ...stats, admissionsPerSecond: undefined };
    };
    if (isPaused) await client.post(`/api/v1/queues/${queue}/pause`, { token });
    if (what === "queue") return { id: queue, look };
    const { position } = (await client.post(`/api/v1/queues/${queue}/positions`, { token: ann })).body.data;
    const body = { token: position.token };
    if (what === "position") return { id: position.id, look, body };
    const { session } = (await client.post("/api/v1/sessions", { token: ann, body })).body.data;
    return { id: session.id, look };
  }

  /** Ann and bob with new nicknames, and bob's challenge. */
  async function newTalk(id?: string): Promise<Subject> {
    const bob = tokenOf("bob", { aud: "our-games" });
    for (const [token, nickname] of [[bearers.person, "ann"] as const, [bob, "bob"] as const]) {
      await client.post("/api/v1/people/me/quit", { token });
      await client.call("/api/v1/people/me/nickname", { method: "PUT", token, body: { nickname } });
    }
    const body = { opponent: "ann", throw: "paper" };
    const { duel } = (await client.post("/api/v1/duels", { token: bob, key: randomUUID(), body })).body.data;
    const look = async () => [
      (await client.get("/api/v1/people/me", { token: bearers.person })).body.data,
      (await client.get("/api/v1/duels", { token: bearers.person })).body.data,
    ];
    return { id: id ?? duel.id, look };
  }

  function subjectOf(route: string, maker: string | undefined): Promise<Subject> {
    if (route === "POST /api/v1/sessions") return newPlace("position", false);
    if (route.includes("/conversations/")) return newTalk(route.endsWith("/events") ? "me" : "ann");
    if (/\/api\/v1\/(people|duels|chat)/.test(route)) return newTalk();
    const [, noun] = /\/api\/v1\/(queue|position|session|arena|ladder)s\/\{id\}/.exec(route) ?? [];
    if (route.includes("{queue}")) return newPlace("queue", false);
    if (noun === undefined) return newGame(maker);
    if (noun === "arena") return newArena(maker);
    if (noun === "ladder") return newLadder(maker);
    return newPlace(noun as "queue" | "position" | "session", route.endsWith("/resume"));
  }

  for (const [route, row] of Object.entries(routes)) {
    const { may, body, query, key: isKeyed } = row;
    test(`[AU2] ${route}: ${may === "public" ? "anyone" : may.join(", ")}, and nobody else`, async () => {
      const [method, path] = route.split(" ");
      let shared: Subject | undefined;
      for (const bearer of Object.keys(bearers) as Bearer[]) {
        const token = bearers[bearer];
        // Each role uses its own game, or ann's own place, so that only the role decides.
        const isRole = everyone.includes(bearer as Role);
        if (!isRole) shared ??= await subjectOf(route, bearers.operator);
        const subject = shared ?? (await subjectOf(route, token));
        const before = await subject.look();
        const where = path.replaceAll(/\{(\w+)\}/g, (_, name) => parts[name] ?? subject.id) + (query ?? "");
        const answer = route.endsWith("/events")
          ? await firstAnswer(server.url, where, token)
          : await client.call(where, {
              ...{ method, token, body: body === "claim" ? subject.body : body },
              ...(isKeyed && { key: randomUUID() }),
            });
        const [expected, code] = outcomeFor(bearer, row);
        assert.deepEqual(
          [answer.status, expected >= 401 ? answer.body?.code : code],
          [expected, code],
          bearer,
        );
        if (expected >= 401) assert.deepEqual(await subject.look(), before, bearer);
      }
    });
  }

  test("[AU2] the table knows every live message, and no other", () => {
    assert.deepEqual(Object.keys(messages).sort(), Object.keys(messageRules).sort());
  });

  interface MessageRow {
    readonly may: "public" | readonly Role[];
    readonly status: number;
    readonly code?: string;
    /** The possible targets; each is tried. */
    readonly about?: readonly ("game" | "arena" | "ladder" | "queue" | "position")[];
    readonly fields?: Json;
  }
  const messages: Record<string, MessageRow> = {
    auth: { may: everyone, status: 200 },
    join: { may: ["person"], status: 200, about: ["game", "arena"] },
    leave: { may: ["person"], status: 400, about: ["game", "arena"] },
    move: { may: ["person"], status: 409, code: "match.none", about: ["arena"], fields: aMove },
    resign: { may: ["person"], status: 409, code: "match.none", about: ["arena"], fields: { match: "1" } },
    "can-join": { may: ["person"], status: 200, about: ["game"] },
    watch: { may: "public", status: 200, about: ["game", "arena", "ladder"] },
    unwatch: { may: "public", status: 200, about: ["game", "arena", "ladder"] },
    enter: { may: ["person"], status: 201, about: ["queue"] },
    heartbeat: { may: ["person"], status: 200, about: ["position"] },
    attend: { may: ["person"], status: 200, about: ["position"] },
    unattend: { may: ["person"], status: 200, about: ["position"] },
    ping: { may: "public", status: 200 },
  };
  /** Which may carry their own token. */
  const carriers = Object.keys(messages).filter((type) => type !== "auth" && messages[type].may !== "public");

  const tried = Object.entries(messages).flatMap(([type, { about = [undefined], ...row }]) =>
    about.map((noun) => ({ type, about: noun, ...row })),
  );
  for (const { type, may, status, code: refusal, about, fields } of tried) {
    const on = about === undefined ? "" : ` on ${about === "arena" ? "an" : "a"} ${about}`;
    test(`[AU2] the live message ${type}${on}: ${may === "public" ? "anyone" : may.join(", ")}`, async () => {
      const newSubject = () => {
        if (about === "queue" || about === "position") return newPlace(about, false);
        if (about === "ladder") return newLadder(bearers.operator);
        return about === "arena" ? newArena(bearers.operator) : newGame(bearers.operator, 9);
      };
      for (const bearer of ["person", "service", "operator", "none", "expired", "altered"] as const) {
        const token = bearers[bearer];
        const [expected, code] = outcomeFor(bearer, { may, status, ...(refusal && { code: refusal }) });
        const live = await LiveClient.open(server.url);
        /** A new target each time, so that only the role decides. */
        const tryIt = async (connection: LiveClient, given: Json, how: string) => {
          const subject = await newSubject();
          const before = await subject.look();
          const answer = await connection.ask({
            type,
            ...(about && { [about]: subject.id }),
            ...fields,
            ...given,
          });
          assert.deepEqual(
            [answer.status, expected >= 401 ? answer.body.code : code],
            [expected, code],
            `${bearer}, ${how}`,
          );
          if (expected >= 401) assert.deepEqual(await subject.look(), before, bearer);
        };
        try {
          if (type === "auth") {
            if (token !== undefined) await tryIt(live, { token }, "to prove itself");
            continue;
          }
          // Authenticated once for the connection.
          const proof = token === undefined ? undefined : await live.ask({ type: "auth", token });
          if (proof !== undefined && proof.status !== 200)
            assert.deepEqual(
              [proof.status, proof.body.code],
              outcomeFor(bearer, { may: everyone, status: 200 }),
              bearer,
            );
          else await tryIt(live, {}, "by auth");
          if (!carriers.includes(type) || token === undefined) continue;
          const other = await LiveClient.open(server.url);
          await tryIt(other, { token }, "by the token of the message").finally(() => other.close());
        } finally {
          live.close();
        }
      }
    });
  }

  test("[AU2] a live connection with an invalid token is not opened; with a valid one it belongs to that person", async () => {
    for (const bearer of ["expired", "altered", "wrong audience", "foreign key"] as const)
      await assert.rejects(LiveClient.open(server.url, { token: bearers[bearer]! }), /401/, bearer);
    const body = { title: "G", maxPlayers: 9 };
    const made = await client.post("/api/v1/games", { token: bearers.operator, body });
    const live = await LiveClient.open(server.url, { token: bearers.person! });
    const answer = await live.ask({ type: "join", game: made.body.data.game.id });
    assert.equal(answer.body.data.participant.userId, "ann");
    live.close();
  });

  test("[AU2] a token that expires during the connection no longer counts", async () => {
    const clock = skewedClock();
    const other = await startServer(issuerFlags, undefined, { clock });
    const live = await LiveClient.open(other.url, { token: tokenOf("ann", { exp: inSeconds(600) }) });
    try {
      const game = await other.client.newGame();
      assert.equal((await live.ask({ type: "can-join", game })).status, 200);
      clock.skip(700_000);
      const answer = await live.ask({ type: "can-join", game });
      assert.deepEqual([answer.status, answer.body.code], [401, "auth.expired"]);
    } finally {
      live.close();
      await other.stop();
    }
  });
});

/** The status of an endless stream, and its body if it is a refusal. */
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
