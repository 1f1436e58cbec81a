import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { type Answer, assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { elsewhere, Hall, quickWin } from "./hall.ts";

suite("what arenas refuse", () => {
  let server: TestServer;
  let hall: Hall;

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(() => server.stop());

  /** Asserts a refusal, and that neither the arena nor the log has changed. */
  async function assertNothing(
    id: string | undefined,
    ask: () => Promise<Answer>,
    check: (answer: Answer) => void,
  ): Promise<void> {
    const before = id === undefined ? undefined : await hall.look(id, "ann");
    const entries = await hall.entries();
    check(await ask());
    assert.equal(await hall.entries(), entries, "something was written");
    if (id !== undefined) assert.deepEqual(await hall.look(id, "ann"), before);
  }

  const refusing = (status: number, code: string) => (answer: Answer) =>
    assertRefused(answer, status, code, code);

  /** A match of tic-tac-toe with a mark on the middle: whose turn it is, and who has moved. */
  async function begun(): Promise<{ id: string; match: string; turn: string; other: string }> {
    const { id, match } = await hall.playing(["ann", "bob", "cat"]);
    const { toMove } = (await hall.look(id)).state.match;
    const [first, second] = toMove[0] === "X" ? ["ann", "bob"] : ["bob", "ann"];
    assert.equal((await hall.move(id, first, match, "b2")).status, 200);
    return { id, match, turn: second, other: first };
  }

  test("[MT2] a move off the board, on a taken cell, or out of turn gets its own refusal, and nothing changes", async () => {
    const { id, match, turn, other } = await begun();
    for (const move of ["d4", "a0", "A1", "resign", "%00", "__proto__"])
      await assertNothing(id, () => hall.move(id, turn, match, move), refusing(400, "move.unknown"));
    await assertNothing(
      id,
      () => hall.move(id, turn, match, "b2"),
      (answer) => {
        assertRefused(answer, 409, "move.impossible");
        assert.deepEqual(answer.body.data.moves, ["a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"]);
      },
    );
    for (const move of ["a1", "b2"])
      await assertNothing(id, () => hall.move(id, other, match, move), refusing(409, "move.out-of-turn"));
  });

  test("[MT2] a move by a spectator, or by a person in the line", async () => {
    const { id, match } = await begun();
    for (const person of ["stranger", "cat"]) {
      await assertNothing(id, () => hall.move(id, person, match, "a1"), refusing(403, "seat.missing"));
      await assertNothing(id, () => hall.resign(id, person, match), refusing(403, "seat.missing"));
    }
  });

  test("[MT2] a move after the end, with the id of another match, or without a running match", async () => {
    const { id, match } = await hall.playing(["ann", "bob"]);
    await hall.play(id, quickWin);
    const { state } = await hall.look(id);
    for (const person of ["ann", "bob"]) {
      await assertNothing(id, () => hall.move(id, person, match, "a3"), refusing(409, "match.over"));
      await assertNothing(id, () => hall.resign(id, person, match), refusing(409, "match.over"));
    }
    await hall.play(id, quickWin);
    const third = (await hall.look(id)).state.match.id;
    for (const stale of [match, "1", "0", "999999999999999"])
      await assertNothing(
        id,
        () => hall.move(id, "ann", stale, "a3"),
        (answer) => {
          assertRefused(answer, 409, "match.stale", stale);
          assert.deepEqual(answer.body.data, { match: third });
        },
      );
    await assertNothing(id, () => hall.move(id, "ann", state.match.id, "a3"), refusing(409, "match.over"));
    await hall.leave(id, "bob");
    await assertNothing(id, () => hall.move(id, "ann", match, "a1"), refusing(409, "match.none"));
    await assertNothing(id, () => hall.resign(id, "ann", match), refusing(409, "match.none"));
    await assertNothing(id, () => hall.move(id, "ann", third, "a1"), refusing(409, "match.over"));
  });

  test("[MT2] [MT3] a second throw in the same round is out of turn, whatever it is", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { game: "rock-paper-scissors" });
    await hall.move(id, "ann", match, "rock");
    for (const move of ["rock", "paper", "scissors"])
      await assertNothing(id, () => hall.move(id, "ann", match, move), refusing(409, "move.out-of-turn"));
    await assertNothing(id, () => hall.move(id, "bob", match, "lizard"), refusing(400, "move.unknown"));
  });

  test("[AR10] a result by a person or an operator, for a game decided here, twice, or for an unknown label", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], elsewhere);
    for (const token of [tokenOf("ann"), tokenOf("maker"), server.operatorKey])
      await assertNothing(id, () => hall.report(id, match, "1", { token }), refusing(403, "auth.forbidden"));
    for (const label of ["3", "ann", "", "X"])
      await assertNothing(id, () => hall.report(id, match, label), refusing(400, "seat.unknown"));
    await assertNothing(id, () => hall.report(id, "1", "1"), refusing(409, "match.stale"));
    assert.equal((await hall.report(id, match, "1")).status, 200);
    for (const winner of ["1", "2", null])
      await assertNothing(id, () => hall.report(id, match, winner), refusing(409, "result.exists"));
    const here = await hall.playing(["ann", "bob"]);
    await assertNothing(
      here.id,
      () => hall.report(here.id, here.match, "X"),
      refusing(409, "result.decided-here"),
    );
    await hall.leave(id, "bob");
    await assertNothing(id, () => hall.report(id, "1", "1"), refusing(409, "match.none"));
    await assertNothing(id, () => hall.move(id, "ann", match, "1"), refusing(409, "match.none"));
  });

  test("[AR10] moves are refused in a game played elsewhere", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], elsewhere);
    await assertNothing(id, () => hall.move(id, "ann", match, "a1"), refusing(409, "move.elsewhere"));
  });

  test("[AR2] a person has one place: a second join is refused with that place, and leaving needs a place", async () => {
    const { id } = await hall.playing(["ann", "bob", "cat"]);
    for (const person of ["ann", "cat"])
      await assertNothing(id, () => hall.join(id, person), refusing(400, "place.exists"));
    await assertNothing(id, () => hall.leave(id, "stranger"), refusing(400, "place.missing"));
  });

  test("[LN8] a full line accepts nobody, and people in it keep their places", async () => {
    const { id } = await hall.playing(["ann", "bob", "cat"], { maxWaiting: 1 });
    await assertNothing(id, () => hall.join(id, "dan"), refusing(503, "line.full"));
  });

  test("[AR12] an unknown arena", async () => {
    const asks = [
      () => hall.join("none", "ann"),
      () => hall.leave("none", "ann"),
      () => hall.move("none", "ann", "1", "a1"),
      () => hall.resign("none", "ann", "1"),
      () => hall.report("none", "1", "X"),
      () => hall.change("none", { title: "T" }),
      () => hall.matches("none"),
      () => hall.replay("none", "1"),
      () => hall.client.get("/api/v1/arenas/none"),
      () => hall.client.get("/api/v1/arenas/none/events"),
    ];
    for (const ask of asks) await assertNothing(undefined, ask, refusing(404, "room.not-found"));
    const lane = tokenOf("ann", { openseat_lane: "vip" });
    assertRefused(await hall.join("none", "ann", { token: lane }), 404, "room.not-found");
  });

  test("[AR12] an id in use is refused; the id of another kind of room is unknown here", async () => {
    await hall.newArena({ id: "twice" });
    await assertNothing("twice", () => hall.create({ id: "twice" }), refusing(409, "room.exists"));
    const game = await hall.client.newGame();
    assertRefused(await hall.client.get(`/api/v1/arenas/${game}`), 404, "room.not-found");
  });

  test("[AR12] an arena with settings that its game does not allow is refused", async () => {
    for (const [fields, code, field] of [
      [{ game: "constructor" }, "game.unknown", undefined],
      [{ options: { bestOf: 3 } }, "option.invalid", "options.bestOf"],
      [{ game: "rock-paper-scissors", options: { bestOf: 16 } }, "option.invalid", "options.bestOf"],
      [{ seats: 3 }, "seats.invalid", "seats"],
      [{ game: null, labels: ["a", "b", "c"], seats: 4 }, "seats.invalid", "seats"],
      [
        { game: null, moveTimeoutSeconds: 29, reconnectGraceSeconds: 15 },
        "clock.invalid",
        "moveTimeoutSeconds",
      ],
    ] as const)
      await assertNothing(
        undefined,
        () => hall.create(fields),
        (answer) => {
          assertRefused(answer, 400, code);
          assert.equal(answer.body.data?.field, field);
        },
      );
  });

  test("[LM1] a new arena with an unknown or invalid field is refused with the field named", async () => {
    const lane = (name: string, skips: number) => ({ name, skips });
    for (const [field, fields] of [
      ["game", { game: undefined }],
      ["game", { game: "Tic Tac Toe" }],
      ["title", { title: "   " }],
      ["title", { title: "x".repeat(101) }],
      ["title", { title: "two\nlines" }],
      ["id", { id: "x".repeat(65) }],
      ["labels", { labels: ["a", "b"] }],
      ["labels", { game: null, labels: ["a", "a"] }],
      ["labels.1", { game: null, labels: ["a", "b c"] }],
      ["lanes", { lanes: [lane("a", 0), lane("a", 1)] }],
      ["lanes.0.skips", { lanes: [lane("a", 0.0001)] }],
      ["options.bestOf", { options: { bestOf: 1.5 } }],
      ["options", { options: Object.fromEntries(range(9).map((it) => [`x${"abcdefghi"[it]}`, 1])) }],
      ["seats", { seats: 17 }],
      ["drawRule", { drawRule: "nobody" }],
      ["maxWins", { maxWins: 0 }],
      ["moveTimeoutSeconds", { moveTimeoutSeconds: 86_401 }],
      ["reconnectGraceSeconds", { reconnectGraceSeconds: 3_601 }],
      ["heartbeatTimeoutSeconds", { heartbeatTimeoutSeconds: null }],
      ["maxWaiting", { maxWaiting: 100_001 }],
      ["patienceSeconds", { patienceSeconds: -1 }],
      ["creator", { creator: "somebody" }],
      ["__proto__x", { __proto__x: 4 }],
    ] as const)
      await assertNothing(
        undefined,
        () => hall.create(fields),
        (answer) => assertInvalid(answer, field, JSON.stringify(fields)),
      );
  });

  test("[LM1] changing a fixed setting, or to an invalid value, is refused with the field named", async () => {
    const id = await hall.newArena();
    for (const [field, body] of [
      ["body", {}],
      ["body", []],
      ["game", { game: "connect-four" }],
      ["lanes", { lanes: [] }],
      ["id", { id: "other" }],
      ["title", { title: null }],
      ["maxWins", { maxWins: "3" }],
    ] as const)
      await assertNothing(
        id,
        () => hall.change(id, body),
        (answer) => assertInvalid(answer, field, JSON.stringify(body)),
      );
  });

  test("[AR12] a change to seats that do not match the game is refused as well", async () => {
    const id = await hall.newArena();
    await assertNothing(id, () => hall.change(id, { seats: 3 }), refusing(400, "seats.invalid"));
  });

  test("[LM1] an invalid move is refused with the field named, also on the live connection", async () => {
    const { id } = await hall.playing(["ann", "bob"]);
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    for (const [field, body] of [
      ["match", { move: "a1" }],
      ["match", { match: 3, move: "a1" }],
      ["match", { match: "1".repeat(16), move: "a1" }],
      ["turn", { match: "3", turn: 0, move: "a1" }],
      ["turn", { match: "3", turn: "1", move: "a1" }],
      ["move", { match: "3", move: "a 1" }],
      ["move", { match: "3", move: "x".repeat(33) }],
      ["move", { match: "3", move: null }],
      ["person", { match: "3", move: "a1", person: "bob" }],
      ["body", []],
      ["body", null],
    ] as const) {
      const what = JSON.stringify(body);
      await assertNothing(
        id,
        () => hall.move(id, "ann", "", "", { body }),
        (answer) => assertInvalid(answer, field, what),
      );
      if (field === "body") continue;
      const { status, body: refusal } = await live.ask({ type: "move", arena: id, ...body });
      assert.deepEqual([status, refusal.code, refusal.data.field], [400, "input.invalid", field], what);
    }
    live.close();
  });

  test("[LM1] a resignation and a result are as strict, and joining and leaving accept no body", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], elsewhere);
    const asks: readonly [field: string, ask: () => Promise<Answer>][] = [
      ["match", () => hall.resign(id, "ann", "x")],
      ["match", () => hall.resign(id, "ann", "", { body: {} })],
      ["winner", () => hall.resign(id, "ann", "", { body: { match, winner: "2" } })],
      ["winner", () => hall.report(id, match, "", { body: { match } })],
      ["winner", () => hall.report(id, match, "x".repeat(13))],
      ["winner", () => hall.report(id, match, "", { body: { match, winner: 1 } })],
      ["loser", () => hall.report(id, match, "", { body: { match, winner: "1", loser: "2" } })],
      ["label", () => hall.join(id, "cat", { body: { label: "1" } })],
      ["name", () => hall.join(id, "cat", { body: { name: "Cat" } })],
      ["person", () => hall.leave(id, "ann", { body: { person: "bob" } })],
    ];
    for (const [field, ask] of asks)
      await assertNothing(id, ask, (answer) => assertInvalid(answer, field, ask.toString()));
  });

  test("[LM1] [MT4] an unknown match, a running one, an invalid id and an invalid cursor are refused", async () => {
    const { id } = await hall.playing(["ann", "bob"]);
    await hall.play(id, quickWin);
    const { state, version } = await hall.look(id);
    assertRefused(await hall.replay(id, state.match.id), 409, "match.running");
    for (const match of ["0", "1", "2", "4", String(version + 1), "999999999999999"])
      assertRefused(await hall.replay(id, match), 404, "match.not-found", match);
    for (const match of ["x", "-1", "1".repeat(16), "1.5", "%00"])
      assertInvalid(await hall.replay(id, match), "match", match);
    for (const cursor of ["0", "1", "3", String(version + 1), "999999999999999", "x", "-1", ""])
      assertInvalid(await hall.matches(id, `?cursor=${cursor}`), "cursor", cursor);
    for (const limit of ["0", "501", "x", "1e999"])
      assertInvalid(await hall.matches(id, `?limit=${limit}`), "limit", limit);
    assertInvalid(await hall.matches(id, "?winner=X"), "winner");
    assertInvalid(await hall.client.get("/api/v1/arenas?status=OPEN"), "status");
    assertInvalid(await hall.client.get(`/api/v1/arenas/${id}/events?after=x`), "after");
  });

  test("[LM1] live messages about arenas accept one room and no unknown fields", async () => {
    const { id, match } = await hall.playing(["ann", "bob"]);
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    const bad: readonly [field: string, message: Json][] = [
      ["game", { type: "join" }],
      ["game", { type: "join", game: "g", arena: id }],
      ["game", { type: "leave" }],
      ["game", { type: "watch" }],
      ["game", { type: "watch", game: "g", arena: id }],
      ["game", { type: "unwatch" }],
      ["arena", { type: "join", arena: "not an id" }],
      ["arena", { type: "move", match, move: "a1" }],
      ["game", { type: "move", game: id, arena: id, match, move: "a1" }],
      ["arena", { type: "resign", match }],
      ["match", { type: "resign", arena: id }],
      ["arena", { type: "can-join", arena: id, game: "g" }],
      ["after", { type: "watch", arena: id, after: -1 }],
      ["key", { type: "move", arena: id, match, move: "a1", key: "" }],
    ];
    const entries = await hall.entries();
    for (const [field, message] of bad) {
      const answer = await live.ask(message);
      const about = JSON.stringify(message);
      assert.deepEqual([answer.status, answer.body.code], [400, "input.invalid"], about);
      assert.equal(answer.body.data.field, field, about);
    }
    for (const type of ["join", "leave", "watch"]) {
      const answer = await live.ask({ type, arena: "none" });
      assert.deepEqual([answer.status, answer.body.code], [404, "room.not-found"], type);
    }
    assert.equal(await hall.entries(), entries);
    live.close();
  });
});
