import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import fc from "fast-check";
import { Hall } from "../arenas/hall.ts";
import { Talk } from "../chat/chat-talk.ts";
import { Club } from "../ladders/club.ts";
import { Desk } from "../queues/desk.ts";
import { type Json, until } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

const runs = Number(process.env.FUZZ_RUNS ?? 800);

const endTime = fc.oneof(
  fc.string(),
  fc
    .date({ noInvalidDate: false })
    .map((date) => (Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString())),
  fc
    .tuple(
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 0, max: 61 }),
      fc.constantFrom("Z", "z", "+05", "-2359", "+23:59", ""),
    )
    .map(
      ([year, seconds, zone]) =>
        `${String(year).padStart(4, "0")}-12-31T23:59:${String(seconds).padStart(2, "0")}${zone}`,
    ),
);
const nearlyAGame = fc.record(
  {
    title: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
    maxPlayers: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    endTime: fc.oneof(endTime, fc.jsonValue()),
    waitlist: fc.oneof(fc.boolean(), fc.jsonValue()),
    name: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const amount = fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 1, max: 100 }), fc.jsonValue());
const nearlyAQueue = fc.record(
  {
    id: fc.oneof(fc.string(), fc.jsonValue()),
    title: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
    maxActive: amount,
    rate: amount,
    burst: amount,
    maxWaiting: amount,
    patienceSeconds: amount,
    heartbeatTimeoutSeconds: amount,
    claimTimeoutSeconds: amount,
    sessionDurationSeconds: amount,
    sessionTimeoutSeconds: amount,
    maxPerAddress: amount,
    maxEntersPerAddress: amount,
    returnAddresses: fc.oneof(fc.array(fc.webUrl()), fc.array(fc.string()), fc.jsonValue()),
    lanes: fc.oneof(
      fc.array(fc.record({ name: fc.stringMatching(/^[a-z]{1,3}$/), skips: fc.float({ min: 0, max: 1 }) })),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);
const nearlyAnEntry = fc.record(
  {
    lane: fc.oneof(fc.integer({ min: -1, max: 16 }), fc.constantFrom("vip", "normal"), fc.jsonValue()),
    person: fc.oneof(fc.constant("fuzz"), fc.string({ unit: "binary" }), fc.jsonValue()),
    metadata: fc.oneof(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), fc.jsonValue()),
    token: fc.oneof(fc.constant(tokenOf("fuzz")), fc.string()),
  },
  { requiredKeys: [] },
);
const nearlyAnArena = fc.record(
  {
    game: fc.oneof(fc.constantFrom("tic-tac-toe", "rock-paper-scissors", null), fc.string(), fc.jsonValue()),
    title: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
    options: fc.oneof(fc.dictionary(fc.stringMatching(/^[a-zA-Z]{1,9}$/), fc.integer()), fc.jsonValue()),
    labels: fc.oneof(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/)), fc.jsonValue()),
    seats: amount,
    maxWins: amount,
    moveTimeoutSeconds: amount,
    reconnectGraceSeconds: amount,
    heartbeatTimeoutSeconds: amount,
  },
  { requiredKeys: [] },
);
const nearlyAMove = fc.record(
  {
    match: fc.oneof(fc.nat({ max: 20 }).map(String), fc.string(), fc.jsonValue()),
    move: fc.oneof(fc.constantFrom("a1", "b2", "c3"), fc.string({ unit: "binary" }), fc.jsonValue()),
    winner: fc.oneof(fc.constantFrom("X", "O", null), fc.string({ unit: "binary" }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const someone = fc.oneof(
  fc.constantFrom("fuzz", "other", "third"),
  fc.string({ unit: "binary" }),
  fc.jsonValue(),
);
const nearlyALadder = fc.record(
  {
    title: fc.oneof(fc.constant("L"), fc.jsonValue()),
    system: fc.oneof(fc.constantFrom("elo", "glicko2"), fc.jsonValue()),
    startRating: amount,
    floor: amount,
    k: fc.oneof(fc.array(fc.record({ from: amount, k: amount })), fc.jsonValue()),
    tau: amount,
    confirm: fc.oneof(fc.boolean(), fc.jsonValue()),
    undoWindowSeconds: amount,
    userId: someone,
    rating: amount,
  },
  { requiredKeys: [] },
);
const nearlyAResult = fc.record(
  {
    players: fc.oneof(fc.tuple(someone, someone), fc.jsonValue()),
    scores: fc.oneof(fc.tuple(amount, amount), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const nearlyCommand = fc
  .tuple(
    fc.constantFrom(
      "nick",
      "throw rock",
      "match",
      "rating",
      "history",
      "register",
      "top",
      "undo",
      "quit",
      "/",
    ),
    fc.oneof(fc.constantFrom("@fuzz", "@other 3-1", "rated", ""), fc.string({ unit: "binary" })),
  )
  .map((words) => words.join(" "));
const nearlyAMessage = fc.record(
  {
    text: fc.oneof(nearlyCommand, fc.string({ unit: "binary", maxLength: 2_000 }), fc.jsonValue()),
    messageId: fc.oneof(fc.stringMatching(/^[!-~]{1,5}$/), fc.string({ unit: "binary" }), fc.jsonValue()),
    userId: someone,
    nickname: fc.oneof(fc.constantFrom("fuzz", "other"), fc.string({ unit: "binary" }), fc.jsonValue()),
    opponent: someone,
    throw: fc.oneof(fc.constantFrom("rock", "paper"), fc.jsonValue()),
    ladder: someone,
  },
  { requiredKeys: [] },
);
const nearlyABatch = fc.record({
  messages: fc.oneof(fc.array(nearlyAMessage, { maxLength: 3 }), fc.jsonValue()),
});
/** Only known fields, because an unknown field alone would cause a refusal. */
const onlyFields = (...names: readonly string[]) =>
  nearlyAMessage.map((message) =>
    Object.fromEntries(Object.entries(message).filter(([name]) => names.includes(name))),
  );
const nearlyTalk = fc.oneof(
  nearlyAMessage,
  nearlyABatch,
  onlyFields("text", "messageId", "userId"),
  onlyFields("nickname"),
  onlyFields("opponent", "throw"),
  onlyFields("throw"),
);
const nearlyAnImport = fc.record({
  matches: fc.array(
    fc.record(
      {
        players: fc.oneof(fc.tuple(someone, someone), fc.jsonValue()),
        scores: fc.oneof(fc.tuple(amount, amount), fc.jsonValue()),
        names: fc.oneof(fc.tuple(fc.string({ unit: "binary" }), fc.jsonValue()), fc.jsonValue()),
        at: fc.oneof(endTime, fc.jsonValue()),
        status: fc.oneof(fc.constant("counted"), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
});
const nearlyCsv = fc
  .array(fc.array(fc.oneof(fc.constantFrom("fuzz", "other", "1", '"'), fc.string({ unit: "binary" }))), {
    maxLength: 4,
  })
  .map((rows) => `playerA,playerB,scoreA,scoreB,nameA,at\n${rows.map((row) => row.join(",")).join("\n")}`);
const body = fc.oneof(
  fc.constant(undefined),
  nearlyALadder.map((it) => JSON.stringify(it)),
  nearlyAResult.map((it) => JSON.stringify(it)),
  nearlyAnImport.map((it) => JSON.stringify(it)),
  nearlyTalk.map((it) => JSON.stringify(it)),
  nearlyCsv,
  nearlyAnArena.map((it) => JSON.stringify(it)),
  nearlyAMove.map((it) => JSON.stringify(it)),
  nearlyAGame.map((it) => JSON.stringify(it)),
  nearlyAQueue.map((it) => JSON.stringify(it)),
  nearlyAnEntry.map((it) => JSON.stringify(it)),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 300 }),
);
/** What Node's client allows; input.test.ts sends the rest by hand. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((it) => it !== 0x7f)
    .map((it) => String.fromCharCode(it)),
  maxLength: 300,
});
const pathText = fc.oneof(
  fc.constantFrom("THERE", "none", "__proto__", "constructor", "%", "%00", "..", "%2e%2e%2f"),
  fc.string({ unit: "binary", maxLength: 100 }).map((it) => encodeURIComponent(it.toWellFormed())),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom("1e999", "-0", "0x10", "1e2", "NaN", "Infinity", "%D9%A3", "1_0", "%201"),
  fc.string({ unit: "binary", maxLength: 20 }).map((it) => encodeURIComponent(it.toWellFormed())),
);
const queryNames = [
  ...["limit", "cursor", "status", "after", "from", "search", "player", "opponent", "what", "format"],
  ...["__proto__", "x[]", ""],
];
const query = fc.oneof(
  fc.constantFrom("?what=matches&format=csv", "?what=history&format=json&player=fuzz", "?search=%25"),
  fc.constant(""),
  fc
    .array(fc.tuple(fc.constantFrom(...queryNames), number), { maxLength: 4 })
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`),
  fc.string({ maxLength: 60 }).map((it) => `?${encodeURI(it.toWellFormed())}`),
);
const type = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json") },
  { weight: 2, arbitrary: fc.constant("text/csv") },
  fc.constantFrom("text/plain", "application/json; charset=latin1", "application/json;", "/", ""),
  headerText,
);

suite("whatever is sent", () => {
  const { server, client } = serverOfSuite();
  let game: string;
  /** Existing ids, by the noun in the path. */
  let ids: Record<string, string>;

  before(async () => {
    game = await client.newGame({ maxPlayers: 1_000_000, waitlist: true });
    const desk = new Desk(server);
    const queue = await desk.newQueue({ maxActive: 1 });
    const place = await desk.entered(queue, "fuzz");
    const session = await desk.claimed(place.token, "fuzz");
    const { id: arena } = await new Hall(server).playing(["fuzz", "other", "third"]);
    const club = new Club(server);
    const ladder = await club.newLadder(["fuzz", "other", "third"], { confirm: true });
    await club.reported(ladder, ["other", "fuzz"]);
    const talk = new Talk(server);
    for (const name of ["fuzz", "other"]) assert.equal((await talk.takeName(name, name)).status, 200);
    const duel = await talk.opened("other", "fuzz");
    ids = {
      ...{ games: game, queues: queue, positions: place.id, sessions: session.id },
      ...{ arenas: arena, ladders: ladder, duels: duel, conversations: "me", people: "fuzz", chat: "1" },
    };
  });

  /** All routes of the API, except streams, which do not end, and the end of rooms, which are needed. */
  const routes = () =>
    Object.entries(server.app.swagger().paths as Json)
      .filter(([path]) => !/\/events$|(queues|arenas|ladders)\/\{id\}\/end$|^\/(gate|readyz)/.test(path))
      .flatMap(([path, methods]) => Object.keys(methods as Json).map((method) => [method, path] as const))
      .filter(([method]) => method !== "head")
      .map(([method, path]) => [method.toUpperCase(), path] as const)
      .concat(["/api/v1/live", "/healthz", "/openapi.json"].map((path) => ["GET", path] as const));

  test(`[LM1] ${runs} random requests to all routes: responses in the envelope, and never a server fault`, async () => {
    assert.ok(routes().length >= 60, `only ${routes().length} routes are described`);
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          route: fc.constantFrom(...routes()),
          id: pathText,
          query,
          body,
          type,
          key: fc.option(headerText, { nil: undefined }),
          token: fc.oneof(
            { weight: 8, arbitrary: fc.constantFrom("good", "good", "operator", "service") },
            headerText,
          ),
        }),
        async ({ route: [method, path], id, query, body, type, key, token }) => {
          const there = ids[path.split("/")[3]] ?? game;
          const last = id === "THERE" ? there : id;
          // Of several path parameters, the first gets an existing id.
          const filled = path.replace(/\{\w+\}(?=.*\{)/, () => there).replaceAll(/\{\w+\}/g, () => last);
          const where = filled + query;
          const tokens = new Map([
            ["good", tokenOf("fuzz")],
            ["operator", server.operatorKey],
            ["service", server.serviceKey],
          ]);
          const answer = await client.call(where, {
            method,
            token: tokens.get(token) ?? token,
            key,
            ...(method !== "GET" &&
              body !== undefined && { rawBody: body, headers: { "content-type": type } }),
          });
          assert.ok(answer.status < 500, `${method} ${where}: ${answer.status} ${answer.text}`);
          if (answer.status >= 400) {
            assert.equal(answer.body?.success, false, `${method} ${where}: ${answer.text}`);
            assert.equal(answer.body.statusCode, answer.status);
            if (answer.body.code === "input.invalid") assert.equal(typeof answer.body.data.field, "string");
          }
        },
      ),
      { numRuns: runs },
    );
    const another = await client.newGame();
    assert.equal((await client.join(another, "afterwards")).status, 200);
    await until("a quiet server", async () => (await client.get("/readyz")).status === 200);
  });
});
