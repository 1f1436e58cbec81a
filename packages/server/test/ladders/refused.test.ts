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

  /** Refused, and neither a player, nor a match, nor a byte of the log is another. */
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
  for (const [method, path, body] of everyRoute) {
    test(`[LM1] ${method} …${path} of a ladder that is not there: ladder.not-found`, () =>
      assertNothing(
        undefined,
        () => club.client.call(`/api/v1/ladders/nowhere${path}`, { method, body, ...as("ann") }),
        refusing(404, "ladder.not-found"),
      ));
  }

  test("[LM1] a ladder with an id that is taken", async () => {
    const id = await club.newLadder();
    await assertNothing(id, () => club.create({ id }), refusing(409, "ladder.exists"));
  });

  const badScores: readonly (readonly [Json, string])[] = [
    [[-1, 0], "scores.0"],
    [[0, -1], "scores.1"],
    [[1.5, 0], "scores.0"],
    [[1_001, 0], "scores.0"],
    [[0, 1e300], "scores.1"],
    [["1", 0], "scores.0"],
    [[0, "three"], "scores.1"],
    [[null, 0], "scores.0"],
    [[true, 0], "scores.0"],
    [[1], "scores"],
    [[1, 0, 0], "scores"],
    [[], "scores"],
    ["1-0", "scores"],
    [5, "scores"],
    [{ ann: 1, bob: 0 }, "scores"],
  ];
  for (const [scores, field] of badScores) {
    test(`[LD6] the scores ${JSON.stringify(scores)} are refused, naming ${field}`, async () => {
      const id = await club.newLadder(["ann", "bob"]);
      const ask = () => club.report(id, ["ann", "bob"], scores);
      await assertNothing(id, ask, (answer) => assertInvalid(answer, field));
    });
  }

  test("[LD6] a score of 0 and one of 1,000 are taken, a body without scores or with more is not", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    await club.counted(id, ["ann", "bob"], [1_000, 0]);
    const token = server.serviceKey;
    for (const [body, field] of [
      [{ players: ["ann", "bob"] }, "scores"],
      [{ scores: [1, 0] }, "players"],
      [{ ...match, winner: "ann" }, "winner"],
      [{ players: ["ann"], scores: [1, 0] }, "players"],
      [{ players: ["ann", "bob", "cat"], scores: [1, 0] }, "players"],
      [{ players: ["ann", 5], scores: [1, 0] }, "players.1"],
      [{ players: ["ann", "@operator"], scores: [1, 0] }, "players.1"],
      [{ players: ["", "bob"], scores: [1, 0] }, "players.0"],
      [{ players: ["ann", "b\nb"], scores: [1, 0] }, "players.1"],
    ] as const)
      await assertNothing(
        id,
        () => club.client.post(`/api/v1/ladders/${id}/matches`, { token, body }),
        (answer) => assertInvalid(answer, field, JSON.stringify(body)),
      );
  });

  test("[LD6] oneself as an opponent, whoever reports it", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    for (const call of [{}, as("ann"), as("bob")])
      await assertNothing(
        id,
        () => club.report(id, ["ann", "ann"], [1, 0], call),
        refusing(400, "player.self", { userId: "ann" }),
      );
  });

  test("[LD6] a match with someone who is no player, who has left, or whom nobody knows", async () => {
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

  test("[LD6] a match that is none of one's business", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    for (const person of ["cat", "stranger", "maker"])
      await assertNothing(
        id,
        () => club.report(id, ["ann", "bob"], [1, 0], as(person)),
        refusing(403, "auth.forbidden"),
      );
  });

  test("[LD6] enrolling twice, where nobody may, for others, or with a rating of one's own choice", async () => {
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
    assert.equal((await club.enrol(id, { userId: "bob" })).status, 200, "whoever made it still may");
  });

  test("[LD6] leaving without being there, and taking others out without the right to", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    await assertNothing(id, () => club.leave(id, "zoe"), refusing(400, "player.missing"));
    await club.leave(id, "bob");
    await assertNothing(id, () => club.leave(id, "bob"), refusing(400, "player.missing"));
    await assertNothing(
      id,
      () => club.remove(id, "bob"),
      refusing(404, "player.not-found", { userId: "bob" }),
    );
    await assertNothing(id, () => club.remove(id, "zoe"), refusing(404, "player.not-found"));
    await assertNothing(id, () => club.remove(id, "ann", as("cat")), refusing(403, "auth.forbidden"));
  });

  test("[LD9] [LD8] every state of a match has its own refusal of a further word", async () => {
    const id = await club.newLadder(["ann", "bob"], { confirm: true });
    const [counted, declined, voided] = [
      await club.reported(id, ["ann", "bob"]),
      await club.reported(id, ["ann", "bob"]),
      await club.reported(id, ["ann", "bob"]),
    ];
    await club.settle("confirm", id, counted, "bob");
    await club.settle("decline", id, declined, "bob");
    await club.settle("void", id, voided, "ann");
    for (const verb of ["confirm", "decline"] as const) {
      const by = (number: string) => () => club.settle(verb, id, number, "bob");
      await assertNothing(id, by(counted), refusing(409, "match.counted"));
      await assertNothing(id, by(declined), refusing(409, "match.declined"));
      await assertNothing(id, by(voided), refusing(409, "match.voided"));
      await assertNothing(id, by("99"), refusing(404, "match.not-found"));
      await assertNothing(id, by("4294967297"), refusing(404, "match.not-found"));
    }
    await assertNothing(id, () => club.void(id, declined), refusing(409, "match.declined"));
    await assertNothing(id, () => club.void(id, voided), refusing(409, "match.voided"));
    await club.void(id, counted);
    await assertNothing(id, () => club.void(id, counted), refusing(409, "match.voided"));
    await assertNothing(id, () => club.void(id, "99"), refusing(404, "match.not-found"));
    await assertNothing(id, () => club.get(id, "/matches/99"), refusing(404, "match.not-found"));
    for (const bad of ["0", "-1", "1.5", "one", "01", "99999999999"])
      await assertNothing(
        id,
        () => club.void(id, bad),
        (answer) => assertInvalid(answer, "match"),
      );
  });

  test("[LD9] only the opponent confirms or declines, and not whoever reported it", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"], { confirm: true });
    const waiting = await club.reported(id, ["ann", "bob"]);
    for (const verb of ["confirm", "decline"] as const)
      for (const person of ["ann", "cat", "maker"])
        await assertNothing(
          id,
          () => club.settle(verb, id, waiting, person),
          refusing(403, "auth.forbidden"),
        );
  });

  test("[LD8] only the reporter of a match, the maker of the ladder or an operator voids it", async () => {
    const id = await club.newLadder(["ann", "bob"], { confirm: true });
    const waiting = await club.reported(id, ["ann", "bob"]);
    for (const person of ["bob", "cat"])
      await assertNothing(
        id,
        () => club.settle("void", id, waiting, person),
        refusing(403, "auth.forbidden"),
      );
    await club.settle("confirm", id, waiting, "bob");
    const byOpponent = () => club.settle("void", id, waiting, "bob");
    await assertNothing(id, byOpponent, refusing(403, "auth.forbidden"));
    const asService = () => club.void(id, waiting, { token: server.serviceKey });
    await assertNothing(id, asService, refusing(403, "auth.forbidden"));
    const byService = await club.counted(id, ["ann", "bob"]);
    const byAnn = () => club.settle("void", id, byService, "ann");
    await assertNothing(id, byAnn, refusing(403, "auth.forbidden"));
  });

  test("[LD3] changing a ladder that somebody else has made, or what never changes", async () => {
    const id = await club.newLadder();
    await assertNothing(
      id,
      () => club.change(id, { title: "Mine" }, as("ann")),
      refusing(403, "auth.forbidden"),
    );
    const asService = () => club.change(id, { title: "Mine" }, { token: server.serviceKey });
    await assertNothing(id, asService, refusing(403, "auth.forbidden"));
    for (const [body, field] of [
      [{ k: [{ from: 0, k: 10 }] }, "k"],
      [{ system: "glicko2" }, "system"],
      [{ startRating: 5 }, "startRating"],
      [{ confirmWindowSeconds: 59 }, "confirmWindowSeconds"],
      [{ undoWindowSeconds: -1 }, "undoWindowSeconds"],
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

  const badTerms: readonly (readonly [Json, string])[] = [
    [{ title: undefined }, "title"],
    [{ title: "" }, "title"],
    [{ system: "trueskill" }, "system"],
    [{ startRating: -1 }, "startRating"],
    [{ startRating: 10_001 }, "startRating"],
    [{ startRating: "1000" }, "startRating"],
    [{ startRating: 500, floor: 600 }, "startRating"],
    [{ floor: 1_001 }, "startRating"],
    [{ k: [] }, "k"],
    [{ k: 32 }, "k"],
    [{ k: [{ from: 5, k: 32 }] }, "k.0.from"],
    [{ k: [{ from: 0, k: 0 }] }, "k.0.k"],
    [
      {
        k: [
          { from: 0, k: 32 },
          { from: 0, k: 16 },
        ],
      },
      "k.1.from",
    ],
    [
      {
        k: [
          { from: 0, k: 32 },
          { from: 9, k: 16 },
          { from: 8, k: 8 },
        ],
      },
      "k.2.from",
    ],
    [{ tau: 0.5 }, "tau"],
    [{ startDeviation: 350 }, "startDeviation"],
    [{ system: "glicko2", k: [{ from: 0, k: 32 }] }, "k"],
    [{ system: "glicko2", curve: "fide" }, "curve"],
    [{ system: "glicko2", provisionalGames: 5 }, "provisionalGames"],
    [{ system: "glicko2", tau: 5 }, "tau"],
    [{ id: "not an id" }, "id"],
    [{ creator: "ann" }, "creator"],
  ];
  for (const [fields, field] of badTerms) {
    test(`[LD3] a ladder with ${JSON.stringify(fields)} is refused, naming ${field}`, () =>
      assertNothing(
        undefined,
        () => club.create(fields),
        (answer) => assertInvalid(answer, field),
      ));
  }

  test("[LM1] questions that mean nothing are refused, naming what does not fit", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    for (const [path, field] of [
      ["/standings?cursor=x", "cursor"],
      ["/standings?cursor=1.2.3_4", "cursor"],
      ["/standings?cursor=1e999_4", "cursor"],
      ["/standings?from=0", "from"],
      ["/standings?from=1.5", "from"],
      ["/standings?limit=0", "limit"],
      ["/standings?limit=501", "limit"],
      ["/standings?sort=name", "sort"],
      ["/players", "search"],
      ["/players?search=", "search"],
      ["/players?search=a&limit=51", "limit"],
      ["/players/@ann", "player"],
      ["/matches?opponent=bob", "player"],
      ["/matches?status=lost", "status"],
      ["/matches?status=counted&player=ann", "status"],
      ["/matches?cursor=x", "cursor"],
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
    assertRefused(await club.get(id, `/imports/${"a".repeat(32)}`), 404, "import.not-found");
  });

  test("[LM1] an import by someone who may not, of another type, or with nothing in it", async () => {
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

  test("[LM1] CSV is a body only where files are taken in", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const ask = () => club.report(id, [], [], { ...csv("players"), token: server.serviceKey });
    await assertNothing(id, ask, refusing(415, "input.unsupported-type"));
  });
});
