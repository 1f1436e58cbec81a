import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { isoTime } from "../queues/desk.ts";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { draw, elsewhere, Hall, labelled, patient, quickWin } from "./hall.ts";

suite("arenas over HTTP", () => {
  let server: TestServer;
  let hall: Hall;

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(() => server.stop());

  test("[AR12] every game of the catalogue can have an arena, and so can a game played elsewhere", async () => {
    const games = [
      { game: "tic-tac-toe", labels: ["X", "O"], options: {}, moveTimeoutSeconds: 30 },
      { game: "connect-four", labels: ["Red", "Yellow"], options: {}, moveTimeoutSeconds: 30 },
      { game: "rock-paper-scissors", labels: ["A", "B"], options: { bestOf: 3 }, moveTimeoutSeconds: 30 },
      { game: null, labels: ["1", "2"], options: {}, moveTimeoutSeconds: null },
    ];
    for (const { game, labels, options, moveTimeoutSeconds } of games) {
      const answer = await hall.create({ game, title: "  Friday  " });
      assert.equal(answer.status, 201, answer.text);
      const { id, createdAt, createdBy, ...rest } = answer.body.data.arena;
      assert.equal(createdBy, "maker");
      assert.match(id, /^[\w-]{20}$/);
      assert.match(createdAt, isoTime);
      assert.deepEqual(rest, {
        game,
        options,
        labels,
        lanes: [{ name: "normal", skips: 0, immediate: false }],
        ladder: null,
        tier: null,
        tiers: [],
        title: "Friday",
        seats: 2,
        drawRule: "longest-leaves",
        maxWins: null,
        moveTimeoutSeconds,
        reconnectGraceSeconds: 15,
        heartbeatTimeoutSeconds: 60,
        maxWaiting: 10_000,
        patienceSeconds: 600,
      });
      const seen = await hall.look(id);
      assert.deepEqual(seen.arena, answer.body.data.arena);
      assert.equal(seen.game?.name ?? null, game);
      assert.deepEqual(seen.state, {
        status: "WAITING",
        players: [],
        line: [],
        waiting: 0,
        match: null,
        lastMatch: null,
        lastSight: null,
        you: null,
      });
      assert.equal(seen.version, 1);
    }
  });

  test("[AR12] all given settings are stored unchanged", async () => {
    const asked = {
      id: "mine",
      game: null,
      labels: ["red", "green", "blue"],
      lanes: [
        { name: "normal", skips: 0, immediate: false },
        { name: "vip", skips: 0.125, immediate: true },
      ],
      title: "Mine",
      seats: 3,
      drawRule: "both-leave",
      maxWins: 4,
      moveTimeoutSeconds: 3600,
      reconnectGraceSeconds: null,
      heartbeatTimeoutSeconds: 5,
      maxWaiting: 7,
      patienceSeconds: 0,
    };
    const made = (await hall.create(asked)).body.data.arena;
    const { createdAt, createdBy, options, ladder, tier, tiers, ...rest } = made;
    assert.equal(createdBy, null, "created by a service or an operator");
    assert.deepEqual(rest, asked);
    assert.deepEqual([ladder, tier, tiers], [null, null, []]);
    assert.deepEqual(options, {});
    const best = await hall.create({ game: "rock-paper-scissors", options: { bestOf: 7 } });
    assert.deepEqual(best.body.data.arena.options, { bestOf: 7 });
    for (const token of [server.operatorKey, server.serviceKey])
      assert.equal((await hall.create({}, { token })).status, 201);
  });

  test("[AR1] [AR4] [AR5] two play and the third waits; the loser goes to the back, and the third gets the free label", async () => {
    const id = await hall.newArena(patient);
    const ann = await hall.join(id, "ann");
    assert.deepEqual(ann.body.data, {
      place: { ticket: 1, state: "seated", label: "X", position: null },
      match: null,
    });
    const bob = await hall.join(id, "bob");
    assert.deepEqual(bob.body.data, {
      place: { ticket: 2, state: "seated", label: "O", position: null },
      match: "3",
    });
    const cat = await hall.join(id, "cat");
    assert.deepEqual(cat.body.data, {
      place: { ticket: 3, state: "waiting", label: null, position: 1 },
      match: null,
    });
    assert.equal(cat.body.message, "You are in line: you are next.");
    assert.match((await hall.join(id, "dan")).body.message, /1 person is ahead/);

    const won = await hall.play(id, quickWin);
    const { result } = won.body.data;
    assert.deepEqual([result.id, result.number, result.reason, result.moves], ["3", 1, "played", 5]);
    assert.deepEqual(labelled(result.players), { X: "ann", O: "bob" });
    const loser = result.winner === "X" ? "O" : "X";
    const { state, version } = await hall.look(id);
    assert.deepEqual(labelled(state.players), { ...labelled(result.players), [loser]: "cat" });
    assert.deepEqual(
      state.players.map(({ label, streak }: Json) => [label, streak]).sort(),
      [
        [result.winner, 1],
        [loser, 0],
      ].sort(),
    );
    assert.deepEqual(
      state.line.map(({ position, person }: Json) => [position, person.id]),
      [
        [1, "dan"],
        [2, labelled(result.players)[loser]],
      ],
    );
    assert.deepEqual([state.match.id, state.match.number, state.match.moves], [String(version), 2, 0]);
    assert.deepEqual(state.lastMatch, result);
    assert.equal(state.lastSight.cells.filter((cell: string) => cell === result.winner).length, 3);
  });

  test("[AR6] after a draw, the player who has sat longest leaves; if nobody is waiting, the two play again", async () => {
    const { id } = await hall.playing(["ann", "bob", "cat"]);
    assert.equal((await hall.play(id, draw)).body.data.result.winner, null);
    const { state } = await hall.look(id);
    assert.deepEqual(labelled(state.players), { X: "cat", O: "bob" });
    assert.equal(state.line[0].person.id, "ann");
    const pair = await hall.playing(["ann", "bob"], { drawRule: "rematch" });
    await hall.play(pair.id, draw);
    assert.deepEqual(labelled((await hall.look(pair.id)).state.players), { X: "ann", O: "bob" });
  });

  test("[AR8] [AR5] resigning loses the match; leaving a seat loses it", async () => {
    const { id, match } = await hall.playing(["ann", "bob", "cat"]);
    const resigned = await hall.resign(id, "ann", match);
    assert.equal(resigned.status, 200, resigned.text);
    const { result, ...rest } = resigned.body.data;
    assert.deepEqual(rest, { match, label: null, move: null });
    assert.deepEqual([result.winner, result.reason], ["O", "resigned"]);
    const { state } = await hall.look(id);
    assert.deepEqual(labelled(state.players), { X: "cat", O: "bob" });
    assert.equal(state.line[0].person.id, "ann");
    const left = await hall.leave(id, "bob");
    assert.deepEqual(left.body.data, { ticket: 2 });
    const after = (await hall.look(id)).state;
    assert.deepEqual([after.lastMatch.winner, after.lastMatch.reason], ["X", "left"]);
    assert.deepEqual(labelled(after.players), { X: "cat", O: "ann" });
    assert.equal(after.waiting, 0);
  });

  test("[AR7] a person who leaves against a champion is shown their own ticket, although the champion leaves a seat as well", async () => {
    const { id } = await hall.playing(["ann", "bob", "cat"], { maxWins: 1 });
    assert.deepEqual((await hall.leave(id, "bob")).body.data, { ticket: 2 });
    const { state } = await hall.look(id);
    assert.deepEqual(labelled(state.players), { X: "cat", O: "ann" });
  });

  test("[AR10] in a game played elsewhere, a service reports the winner or a draw", async () => {
    const { id, match } = await hall.playing(["ann", "bob", "cat"], elsewhere);
    const seen = await hall.look(id);
    assert.deepEqual([seen.game, seen.state.match.sight], [null, null]);
    assert.deepEqual(seen.state.match.toMove, ["1", "2"]);
    const won = await hall.report(id, match, "2");
    assert.equal(won.status, 200, won.text);
    const { result } = won.body.data;
    assert.deepEqual([result.winner, result.reason, result.moves], ["2", "reported", 0]);
    const next = (await hall.look(id)).state;
    assert.deepEqual(labelled(next.players), { 1: "cat", 2: "bob" });
    const drawn = await hall.report(id, next.match.id, null);
    assert.deepEqual([drawn.body.data.result.winner, drawn.body.data.result.reason], [null, "reported"]);
  });

  test("[AR3] [LN9] [LN2] a lane comes from a signed claim; people without one are in the first", async () => {
    const lanes = [
      { name: "normal", skips: 0 },
      { name: "vip", skips: 0.5 },
      { name: "first", skips: 1, immediate: true },
    ];
    const { id } = await hall.playing(["ann", "bob", "p1", "p2", "p3", "p4"], { lanes });
    const joins = async (person: string, lane: unknown) =>
      hall.join(id, person, { token: tokenOf(person, { openseat_lane: lane }) });
    assert.equal((await joins("vera", "vip")).body.data.place.position, 3);
    assert.equal((await joins("vic", 1)).body.data.place.position, 4);
    assert.equal((await joins("fred", "first")).body.data.place.position, 1);
    assert.equal((await joins("nora", 0)).body.data.place.position, 8);
    const refused = await joins("zed", "gold");
    assertRefused(refused, 400, "lane.unknown");
    assert.deepEqual(refused.body.data, { lane: "gold" });
    assertRefused(await joins("zed", 3), 400, "lane.unknown");
    assertInvalid(await hall.join(id, "zed", { body: { lane: "vip" } }), "lane");
    const { state } = await hall.look(id);
    assert.deepEqual(
      state.line.map(({ person }: Json) => person.id),
      ["fred", "p1", "p2", "vera", "vic", "p3", "p4", "nora"],
    );
    const plain = await hall.newArena();
    const only = await hall.join(plain, "vera", { token: tokenOf("vera", { openseat_lane: "vip" }) });
    assert.equal(only.status, 200, "if there is only one lane, everybody has it");
  });

  test("[AR11] names are those that people give when they join, on one line, or friendly ones", async () => {
    const id = await hall.newArena();
    const names = ["Ann\nof\tGreen Gables", "x".repeat(100), "   ", undefined, "\u200b\u2060", "a\u202eb"];
    for (const [index, name] of names.entries())
      await hall.join(id, `p${index}`, { token: tokenOf(`p${index}`, { name }) });
    const { players, line } = (await hall.look(id)).state;
    assert.deepEqual(
      [...players, ...line].map(({ person }: Json) => person.name),
      ["Ann of Green Gables", "x".repeat(40), ...["p2", "p3", "p4"].map(friendlyName), "a b"],
    );
  });

  test("[AR11] each viewer sees their own place and their possible moves", async () => {
    const { id } = await hall.playing(["ann", "bob", "cat"]);
    const { state } = await hall.look(id);
    const [turn, other] = state.match.toMove[0] === "X" ? ["ann", "bob"] : ["bob", "ann"];
    assert.equal((await hall.look(id, turn)).state.you.moves.length, 9);
    assert.deepEqual((await hall.look(id, other)).state.you.moves, []);
    assert.deepEqual((await hall.look(id, "cat")).state.you, {
      ticket: 3,
      state: "waiting",
      label: null,
      position: 1,
      moves: [],
    });
    assert.equal((await hall.look(id, "stranger")).state.you, null);
    for (const token of [server.operatorKey, server.serviceKey]) {
      const answer = await hall.client.get(`/api/v1/arenas/${id}`, { token });
      assert.deepEqual(answer.body.data, await hall.look(id));
    }
  });

  test("[AR11] only the first twenty of a long line are shown, and everyone sees their own position", async () => {
    const people = range(30).map((index) => `p${index}`);
    const { id } = await hall.playing(people);
    const { state } = await hall.look(id, "p29");
    assert.deepEqual([state.line.length, state.waiting, state.you.position], [20, 28, 28]);
    assert.equal(state.line[19].person.id, "p21");
  });

  test("[AR12] [AU3] only the creator of an arena and operators may change it", async () => {
    const id = await hall.newArena();
    const changed = await hall.change(id, { title: "New", maxWins: 3, reconnectGraceSeconds: null });
    assert.equal(changed.status, 200, changed.text);
    const { title, maxWins, reconnectGraceSeconds, patienceSeconds } = changed.body.data.arena;
    assert.deepEqual([title, maxWins, reconnectGraceSeconds, patienceSeconds], ["New", 3, null, 600]);
    const again = await hall.change(id, { maxWins: null }, { token: server.operatorKey });
    assert.deepEqual([again.body.data.arena.maxWins, again.body.data.arena.title], [null, "New"]);
    assert.deepEqual((await hall.look(id)).arena, again.body.data.arena);
    const entries = await hall.entries();
    for (const token of [tokenOf("someone"), server.serviceKey])
      assertRefused(await hall.change(id, { title: "Mine" }, { token }), 403, "auth.forbidden");
    assert.equal(await hall.entries(), entries);
  });

  test("[AR11] the list is newest first, by status, paged, and never stale", async () => {
    const ids: string[] = [];
    for (const index of range(7)) ids.push(await hall.newArena({ title: `Listed ${index}` }));
    await hall.join(ids[0], "ann");
    await hall.join(ids[0], "bob");
    await hall.join(ids[0], "cat");
    const list = async (query: string) => {
      const answer = await hall.client.get(`/api/v1/arenas${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    };
    const first = await list("?limit=4");
    assert.deepEqual(
      first.arenas.map(({ id }: Json) => id),
      ids.slice(3).reverse(),
    );
    const second = await list(`?limit=4&cursor=${first.nextCursor}`);
    assert.deepEqual(
      second.arenas.slice(0, 3).map(({ id }: Json) => id),
      ids.slice(0, 3).reverse(),
    );
    const found = second.arenas.find(({ id }: Json) => id === ids[0]);
    assert.deepEqual(
      [found.status, found.waiting, found.matches, found.players.map(({ label }: Json) => label)],
      ["PLAYING", 1, 1, ["X", "O"]],
    );
    const playing = await list("?status=PLAYING&limit=500");
    assert.ok(playing.arenas.some(({ id }: Json) => id === ids[0]));
    assert.ok(playing.arenas.every(({ status }: Json) => status === "PLAYING"));
    const waiting = await list("?status=WAITING&limit=500");
    assert.ok(!waiting.arenas.some(({ id }: Json) => id === ids[0]));
  });
});
