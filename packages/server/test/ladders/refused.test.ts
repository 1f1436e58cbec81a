import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Call, type Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Club, csv } from "./club.ts";

suite("what ladders refuse", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  const as = (person: string): Call => ({ token: tokenOf(person) });

  /** Asserts a refusal, and that no player, match or log entry has changed. */
  async function assertNothing(
    id: string | undefined,
    ask: () => Promise<Answer>,
    check: (answer: Answer) => void,
  ): Promise<void> {
    const looks = () => Promise.all([club.look(id!), club.standings(id!), club.matches(id!)]);
    const before = id === undefined ? undefined : await looks();
    const entries = await club.entries();
    check(await ask());
    assert.equal(await club.entries(), entries, "something was written");
    if (id !== undefined) assert.deepEqual(await looks(), before);
  }

  const refusing = (status: number, code: string, data?: Json) => (answer: Answer) => {
    assertRefused(answer, status, code);
    if (data !== undefined) assert.deepEqual(answer.body.data, data);
  };

  const match = { players: ["ann", "bob"], scores: [1, 0] };
  const everyRoute: readonly (readonly [string, string, unknown?])[] = [
    ["GET", ""],
    ["PATCH", "", { title: "T" }],
    ["POST", "/join"],
    ["POST", "/leave"],
    ["POST", "/players", { userId: "ann" }],
    ["POST", "/players/ann/leave"],
    ["GET", "/standings"],
    ["GET", "/standings?from=3"],
    ["GET", "/players?search=a"],
    ["GET", "/players/ann"],
    ["GET", "/players/ann/history"],
    ["GET", "/players/ann/against/bob"],
    ["POST", "/matches", match],
    ["GET", "/matches"],
    ["GET", "/matches?status=pending"],
    ["GET", "/matches?player=ann"],
    ["GET", "/matches/1"],
    ["POST", "/matches/1/confirm"],
    ["POST", "/matches/1/decline"],
    ["POST", "/matches/1/void"],
    ["POST", "/imports", { matches: [match] }],
    ["GET", `/imports/${"0".repeat(32)}`],
    ["GET", "/export?what=standings&format=csv"],
    ["GET", "/export?what=matches&format=json"],
    ["GET", "/export?what=history&format=csv&player=ann"],
    ["GET", "/events"],
  ];
  test("[LM1] for an unknown ladder, every route returns ladder.not-found", async () => {
    for (const [method, path, body] of everyRoute)
      await assertNothing(
        undefined,
        () => club.client.call(`/api/v1/ladders/nowhere${path}`, { method, body, ...as("ann") }),
        refusing(404, "ladder.not-found"),
      );
  });

  test("[LM1] a ladder with an id in use", async () => {
    const id = await club.newLadder();
    await assertNothing(id, () => club.create({ id }), refusing(409, "ladder.exists"));
  });

  test("[LD6] scores of 0 and 1,000 are accepted, invalid results are not", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    await club.counted(id, ["ann", "bob"], [1_000, 0]);
    const token = server.serviceKey;
    for (const [fields, field] of [
      [{ scores: [-1, 0] }, "scores.0"],
      [{ scores: [0, 1.5] }, "scores.1"],
      [{ scores: [1_001, 0] }, "scores.0"],
      [{ scores: ["1", 0] }, "scores.0"],
      [{ scores: [1] }, "scores"],
      [{ scores: { ann: 1, bob: 0 } }, "scores"],
      [{ scores: undefined }, "scores"],
      [{ winner: "ann" }, "winner"],
      [{ players: ["ann"] }, "players"],
      [{ players: ["ann", "@operator"] }, "players.1"],
      [{ players: ["ann", "b\nb"] }, "players.1"],
    ] as const)
      await assertNothing(
        id,
        () => club.client.post(`/api/v1/ladders/${id}/matches`, { token, body: { ...match, ...fields } }),
        (answer) => assertInvalid(answer, field, JSON.stringify(fields)),
      );
  });

  test("[LD6] a player as their own opponent, reported by anyone", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    for (const call of [{}, as("ann"), as("bob")])
      await assertNothing(
        id,
        () => club.report(id, ["ann", "ann"], [1, 0], call),
        refusing(400, "player.self", { userId: "ann" }),
      );
  });

  test("[LD6] a match with a person who is not a player, has left, or is unknown", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    for (const players of [
      ["ann", "zoe"],
      ["zoe", "ann"],
    ])
      await assertNothing(
        id,
        () => club.report(id, players),
        refusing(404, "player.not-found", { userId: "zoe" }),
      );
    await club.leave(id, "bob");
    const ask = () => club.report(id, ["ann", "bob"]);
    await assertNothing(id, ask, refusing(404, "player.not-found", { userId: "bob" }));
    for (const path of ["/players/zoe", "/players/zoe/history", "/players/ann/against/zoe"])
      await assertNothing(id, () => club.get(id, path), refusing(404, "player.not-found", { userId: "zoe" }));
    for (const path of [
      "/matches?player=zoe",
      "/matches?player=ann&opponent=zoe",
      "/matches?status=pending&player=zoe",
    ])
      await assertNothing(id, () => club.get(id, path), refusing(404, "player.not-found"));
    const history = () => club.get(id, "/export?what=history&format=csv&player=zoe");
    await assertNothing(id, history, refusing(404, "player.not-found"));
  });

  test("[LD6] a match of other players", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    for (const person of ["cat", "stranger", "maker"])
      await assertNothing(
        id,
        () => club.report(id, ["ann", "bob"], [1, 0], as(person)),
        refusing(403, "auth.forbidden"),
      );
  });

  test("[LD6] enrolling twice, where it is not allowed, for others, or with a rating of your choice", async () => {
    const id = await club.newLadder(["ann"]);
    await assertNothing(id, () => club.join(id, "ann"), refusing(400, "player.exists", { userId: "ann" }));
    await assertNothing(id, () => club.enrol(id, { userId: "ann" }), refusing(400, "player.exists"));
    const other = () => club.enrol(id, { userId: "bob" }, as("ann"));
    await assertNothing(id, other, refusing(403, "auth.forbidden"));
    const rich = () => club.enrol(id, { userId: "bob", rating: 3_000 }, as("bob"));
    await assertNothing(id, rich, refusing(403, "auth.forbidden"));
    await club.change(id, { open: false });
    await assertNothing(id, () => club.join(id, "bob"), refusing(403, "ladder.closed"));
    const own = () => club.enrol(id, { userId: "bob" }, as("bob"));
    await assertNothing(id, own, refusing(403, "ladder.closed"));
    assert.equal((await club.enrol(id, { userId: "bob" })).status, 200, "the creator still can");
  });

  test("[LD3] changing another person's ladder, or fixed settings", async () => {
    const id = await club.newLadder();
    await assertNothing(
      id,
      () => club.change(id, { title: "Mine" }, as("ann")),
      refusing(403, "auth.forbidden"),
    );
    const asService = () => club.change(id, { title: "Mine" }, { token: server.serviceKey });
    await assertNothing(id, asService, refusing(403, "auth.forbidden"));
    for (const [body, field] of [
      [{ system: "glicko2" }, "system"],
      [{ confirmWindowSeconds: 59 }, "confirmWindowSeconds"],
      [{ undoWindowSeconds: 0.5 }, "undoWindowSeconds"],
      [{ open: "yes" }, "open"],
      [{ title: "   " }, "title"],
      [{}, "body"],
    ] as const)
      await assertNothing(
        id,
        () => club.change(id, body),
        (answer) => assertInvalid(answer, field, JSON.stringify(body)),
      );
  });

  test("[LD3] a ladder with invalid terms is refused with the field named", async () => {
    const steps = (...from: number[]) => ({ k: from.map((games) => ({ from: games, k: 32 })) });
    for (const [fields, field] of [
      [{ title: "" }, "title"],
      [{ system: "trueskill" }, "system"],
      [{ startRating: 10_001 }, "startRating"],
      [{ startRating: 500, floor: 600 }, "startRating"],
      [{ k: 32 }, "k"],
      [steps(5), "k.0.from"],
      [steps(0, 0), "k.1.from"],
      [steps(0, 9, 8), "k.2.from"],
      [{ tau: 0.5 }, "tau"],
      [{ system: "glicko2", ...steps(0) }, "k"],
      [{ system: "glicko2", tau: 5 }, "tau"],
      [{ id: "not an id" }, "id"],
      [{ creator: "ann" }, "creator"],
    ] as const)
      await assertNothing(
        undefined,
        () => club.create(fields),
        (answer) => assertInvalid(answer, field, JSON.stringify(fields)),
      );
  });

  test("[LM1] invalid queries are refused with the field named", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    for (const [path, field] of [
      ["/standings?cursor=x", "cursor"],
      ["/standings?cursor=1.2.3_4", "cursor"],
      ["/standings?cursor=1e999_4", "cursor"],
      ["/standings?from=0", "from"],
      ["/standings?limit=501", "limit"],
      ["/standings?sort=name", "sort"],
      ["/players", "search"],
      ["/players?search=a&limit=51", "limit"],
      ["/players/@ann", "player"],
      ["/matches?opponent=bob", "player"],
      ["/matches?status=lost", "status"],
      ["/matches?status=counted&player=ann", "status"],
      ["/matches?cursor=x", "cursor"],
      ["/matches/01", "match"],
      ["/export", "what"],
      ["/export?what=all&format=csv", "what"],
      ["/export?what=matches&format=xml", "format"],
      ["/export?what=history&format=csv", "player"],
      ["/imports/xyz", "import"],
    ] as const)
      await assertNothing(
        id,
        () => club.get(id, path),
        (answer) => assertInvalid(answer, field, path),
      );
    assertRefused(await club.get(id, "/matches/99"), 404, "match.not-found");
    assertRefused(await club.get(id, `/imports/${"a".repeat(32)}`), 404, "import.not-found");
  });

  test("[LM1] an import without permission, of another type, or without content", async () => {
    const id = await club.newLadder(["ann"]);
    await assertNothing(id, () => club.import(id, [match], as("ann")), refusing(403, "auth.forbidden"));
    const text = { rawBody: "playerA", headers: { "content-type": "text/plain" } };
    await assertNothing(id, () => club.import(id, [], text), refusing(415, "input.unsupported-type"));
    await assertNothing(
      id,
      () => club.import(id, []),
      (answer) => assertInvalid(answer, "matches"),
    );
    await assertNothing(id, () => club.import(id, [], csv("")), refusing(400, "import.invalid"));
  });

  test("[LM1] CSV is accepted as a body only for imports", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const ask = () => club.report(id, [], [], { ...csv("players"), token: server.serviceKey });
    await assertNothing(id, ask, refusing(415, "input.unsupported-type"));
  });
});
