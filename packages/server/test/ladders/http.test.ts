import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { assertNear, Club, eloChange } from "./club.ts";

suite("ladders over HTTP", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  const asPerson = (person: string) => ({ token: tokenOf(person) });

  test("[LD3] a ladder is Elo from 1000 with K 32 by default", async () => {
    const made = await club.create({ id: "plain", title: "  Chess club  " });
    assert.equal(made.status, 201, made.text);
    const { createdAt, ...ladder } = made.body.data.ladder;
    assert.ok(Date.parse(createdAt) <= Date.now());
    const terms = {
      ...{ id: "plain", title: "Chess club", open: true, confirm: false },
      ...{ confirmWindowSeconds: 259_200, undoWindowSeconds: 3_600, duels: false },
      ...{ system: "elo", startRating: 1000, floor: 100, k: [{ from: 0, k: 32 }], curve: "logistic" },
      ...{ provisionalGames: 10, startDeviation: null, startVolatility: null, tau: null },
      provisionalDeviation: null,
      createdBy: ladder.createdBy,
    };
    assert.deepEqual(ladder, terms);
    const { ladder: shown, you, version } = await club.look("plain");
    assert.deepEqual(shown, { ...terms, createdAt, status: "OPEN", players: 0, matches: 0, pending: 0 });
    assert.deepEqual([you, version], [null, 1]);
  });

  test("[LD3] [LD10] all given settings are stored unchanged, for either system", async () => {
    const elo = {
      ...{ title: "E", system: "elo", startRating: 1200, floor: 0, curve: "fide", provisionalGames: 3 },
      k: [
        { from: 0, k: 40 },
        { from: 30, k: 20 },
      ],
      ...{ open: false, confirm: true, confirmWindowSeconds: 60, undoWindowSeconds: 0 },
    };
    const glicko = {
      ...{ title: "G", system: "glicko2", startRating: 1400, floor: 50, startDeviation: 200 },
      ...{ startVolatility: 0.05, tau: 0.7, provisionalDeviation: 120 },
    };
    for (const fields of [elo, glicko]) {
      const made = await club.create(fields);
      assert.equal(made.status, 201, made.text);
      const { ladder } = await club.look(made.body.data.ladder.id);
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(ladder[name], value, name);
    }
    const { ladder } = (await club.create({ system: "glicko2" })).body.data;
    const { startRating, startDeviation, startVolatility, k } = ladder;
    assert.deepEqual([startRating, startDeviation, startVolatility, k], [1500, 350, 0.06, null]);
  });

  test("[LD3] the maker and operators can change the settings, which apply from then on", async () => {
    const id = await club.newLadder([], { confirm: false });
    const changed = await club.change(id, { title: "New", open: false, undoWindowSeconds: 0 });
    assert.equal(changed.status, 200, changed.text);
    const { title, open, undoWindowSeconds, confirm } = changed.body.data.ladder;
    assert.deepEqual([title, open, undoWindowSeconds, confirm], ["New", false, 0, false]);
    const byOperator = await club.change(id, { confirm: true }, { token: server.operatorKey });
    assert.equal(byOperator.status, 200);
    const { ladder } = await club.look(id);
    assert.deepEqual([ladder.title, ladder.open, ladder.confirm], ["New", false, true]);
  });

  test("[LD7] people become players, leave, and return with their rating", async () => {
    const id = await club.newLadder();
    const joined = await club.join(id, "ann");
    assert.deepEqual(joined.body.data.player, { userId: "ann", name: "Ann", rating: 1000 });
    await club.join(id, "bob");
    await club.counted(id, ["ann", "bob"]);
    const before = await club.player(id, "ann");
    assert.deepEqual(
      { ...before, enrolledAt: undefined },
      {
        ...{ number: 1, userId: "ann", name: "Ann", rank: 1, rating: 1016, deviation: null },
        ...{ volatility: null, provisional: true, games: 1, wins: 1, draws: 0, losses: 0, version: 1 },
        ...{ enrolledAt: undefined, leftAt: null, banned: false },
      },
    );
    const left = await club.leave(id, "ann");
    assert.deepEqual([left.status, left.body.data], [200, { userId: "ann" }]);
    const gone = await club.player(id, "ann");
    assert.equal(gone.rank, null);
    assert.ok(Date.parse(gone.leftAt) <= Date.now());
    assert.deepEqual(
      (await club.standings(id)).map(({ userId, rank }) => [userId, rank]),
      [["bob", 1]],
    );
    assert.equal((await club.look(id)).ladder.players, 1);
    const back = await club.join(id, "ann");
    assert.deepEqual(back.body.data.player, { userId: "ann", name: "Ann", rating: null });
    assert.deepEqual(await club.player(id, "ann"), before);
  });

  test("[LD6] the maker of the ladder, a service and an operator enrol others, optionally with a rating", async () => {
    const id = await club.newLadder();
    const tokens = [tokenOf("maker"), server.serviceKey, server.operatorKey];
    for (const [index, token] of tokens.entries()) {
      const answer = await club.enrol(
        id,
        { userId: `p${index}`, name: `P${index}`, rating: 1000 + index },
        { token },
      );
      assert.deepEqual(answer.body.data.player, {
        ...{ userId: `p${index}`, name: `P${index}`, rating: 1000 + index },
      });
      const removed = await club.remove(id, `p${index}`, { token });
      assert.deepEqual(removed.body.data, { userId: `p${index}` });
    }
    const nameless = (await club.enrol(id, { userId: "p9" })).body.data.player;
    assert.ok(nameless.name.length > 2 && nameless.name !== "p9", "a readable name");
    const own = await club.enrol(id, { userId: "ann" }, asPerson("ann"));
    assert.equal(own.status, 200, "joining oneself is allowed");
  });

  test("[LD2] [LD3] [LD4] a match moves both ratings by the same amount, once, and all views of it agree", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const ratings: [number, number] = [1000, 1000];
    const games = [
      [3, 1],
      [0, 2],
      [1, 1],
    ] as const;
    for (const [index, scores] of games.entries()) {
      const change = eloChange(ratings, scores);
      const answer = await club.report(id, ["ann", "bob"], scores);
      assert.equal(answer.status, 200, answer.text);
      const { match } = answer.body.data;
      assert.deepEqual([match.id, match.status, match.lapsesAt], [String(index + 1), "counted", null]);
      for (const [which, side] of match.players.entries()) {
        assert.deepEqual([side.userId, side.score], [["ann", "bob"][which], scores[which]]);
        assertNear(side.before, ratings[which]);
        ratings[which] += which === 0 ? change : -change;
        assertNear(side.after, ratings[which]);
      }
      const { players, ...shown } = (await club.look(id, `/matches/${match.id}`)).match;
      assert.deepEqual(
        players.map(({ userId, score, before, after }: Json) => ({ userId, score, before, after })),
        match.players,
      );
      assert.deepEqual(
        [shown.id, shown.status, shown.reportedBy, shown.playedAt],
        [match.id, "counted", "service", null],
      );
    }
    const [ann, bob] = [await club.player(id, "ann"), await club.player(id, "bob")];
    assertNear(ann.rating, ratings[0]);
    assertNear(ann.rating + bob.rating, 2000);
    assert.deepEqual([ann.wins, ann.draws, ann.losses, ann.version], [1, 1, 1, 3]);
    assert.deepEqual([bob.wins, bob.draws, bob.losses, bob.version], [1, 1, 1, 3]);
    const history = await club.history(id, "ann");
    assert.deepEqual(
      history.map(({ match, score, opponentScore, opponent }) => [match, score, opponentScore, opponent]),
      games
        .map(([own, other], index) => [String(index + 1), own, other, { userId: "bob", name: "Bob" }])
        .toReversed(),
    );
    assert.equal(history[0].after, ann.rating);
  });

  test("[LD6] either player may report, and so may a service and an operator", async () => {
    const id = await club.newLadder(["ann", "bob"], { confirm: false });
    for (const token of [tokenOf("ann"), tokenOf("bob"), server.serviceKey, server.operatorKey])
      assert.equal((await club.report(id, ["ann", "bob"], [1, 0], { token })).status, 200);
    assert.deepEqual(
      (await club.matches(id)).map(({ reportedBy }) => reportedBy),
      ["operator", "service", "second", "first"],
    );
  });

  test("[LD9] with confirmation a match counts once the opponent confirms it, and a declined match never does", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"], { confirm: true });
    const first = await club.reported(id, ["ann", "bob"]);
    const second = await club.reported(id, ["bob", "cat"]);
    assert.equal((await club.player(id, "ann")).rating, 1000);
    assert.equal((await club.look(id)).ladder.pending, 2);
    const waiting = await club.matches(id, "?status=pending&player=bob");
    assert.deepEqual(
      waiting.map(({ id: number, status }) => [number, status]),
      [
        [second, "pending"],
        [first, "pending"],
      ],
    );
    assert.equal((await club.matches(id, "?status=pending&player=bob&opponent=cat")).length, 1);
    const confirmed = await club.settle("confirm", id, first, "bob");
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.deepEqual(
      confirmed.body.data.match.players.map(({ after }: Json) => after),
      [1016, 984],
    );
    const declined = await club.settle("decline", id, second, "cat");
    assert.deepEqual(declined.body.data, { match: { id: second, status: "declined", recounted: 0 } });
    assert.equal((await club.player(id, "cat")).version, 0);
    const { ladder } = await club.look(id);
    assert.deepEqual([ladder.pending, ladder.matches], [0, 1]);
    assert.deepEqual(
      (await club.matches(id)).map(({ status, players }) => [status, players[0].before]),
      [
        ["declined", null],
        ["counted", 1000],
      ],
    );
    // A report by a service or an operator needs no confirmation.
    await club.counted(id, ["ann", "bob"]);
  });

  test("[LD8] after a void, ratings are as if the match had never been played; the history shows it", async () => {
    const id = await club.newLadder(["ann", "bob", "cat", "dan"]);
    const wrong = await club.counted(id, ["ann", "bob"]);
    await club.counted(id, ["bob", "cat"]);
    await club.counted(id, ["dan", "cat"]);
    const other = await club.newLadder(["ann", "bob", "cat", "dan"]);
    await club.counted(other, ["bob", "cat"]);
    await club.counted(other, ["dan", "cat"]);
    const voided = await club.void(id, wrong);
    assert.deepEqual(voided.body.data, { match: { id: wrong, status: "voided", recounted: 2 } });
    for (const person of ["ann", "bob", "cat", "dan"]) {
      const { rating, games } = await club.player(id, person);
      const expected = await club.player(other, person);
      assertNear(rating, expected.rating, person);
      assert.equal(games, expected.games, person);
    }
    const [second, first] = await club.history(id, "bob");
    assert.deepEqual([first.status, first.before, first.after], ["voided", 1000, 984]);
    assert.deepEqual([second.recounted, second.before, second.after], [true, 1000, 1016]);
    assertNear(second.firstChange, eloChange([984, 1000], [1, 0]));
    assert.equal((await club.look(id, `/matches/${wrong}`)).match.status, "voided");
    const { version } = await club.player(id, "bob");
    assert.equal(version, 3, "two matches and the effect of the void");
  });

  test("[LD10] a ladder may be rated by Glicko-2, and shows the deviation", async () => {
    const id = await club.newLadder(["ann", "bob"], { system: "glicko2" });
    await club.counted(id, ["ann", "bob"]);
    const [ann, bob] = await club.standings(id);
    assert.ok(ann.rating > 1500 && bob.rating < 1500);
    assert.ok(ann.deviation < 350 && ann.volatility > 0.05 && ann.provisional);
    assert.equal((await club.history(id, "ann"))[0].deviation, ann.deviation);
  });

  test("[LD11] a player who asks sees their own standing; others do not", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    assert.equal((await club.look(id, "", "ann")).you.userId, "ann");
    assert.equal((await club.look(id, "", "stranger")).you, null);
    const asService = await club.get(id, "", { token: server.serviceKey });
    assert.equal(asService.body.data.you, null);
  });

  test("[LD11] the head-to-head record of two players, from either side", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    await club.counted(id, ["ann", "bob"], [3, 1]);
    await club.counted(id, ["bob", "ann"], [2, 2]);
    await club.counted(id, ["ann", "cat"], [9, 0]);
    const wrong = await club.counted(id, ["bob", "ann"], [5, 0]);
    await club.void(id, wrong);
    const between = await club.look(id, "/players/ann/against/bob");
    const [ann, bob] = [await club.player(id, "ann"), await club.player(id, "bob")];
    const side = ({ userId, name, rating }: Json) => ({ userId, name, rating });
    assert.deepEqual(between, {
      ...{ player: side(ann), opponent: side(bob) },
      ...{ wins: 1, draws: 1, losses: 0, points: 5, opponentPoints: 3, isComplete: true },
    });
    const other = await club.look(id, "/players/bob/against/ann");
    assert.deepEqual(
      [other.wins, other.draws, other.losses, other.points, other.opponentPoints],
      [0, 1, 1, 3, 5],
    );
  });

  test("[LD11] ladders are listed newest first, each with its leader", async () => {
    const ids: string[] = [];
    for (const index of range(5))
      ids.push(await club.newLadder(["ann", "bob"], { title: `Ladder ${index}` }));
    await club.counted(ids[4], ["bob", "ann"]);
    const first = (await club.client.get("/api/v1/ladders?limit=2")).body.data;
    assert.deepEqual(
      first.ladders.map((ladder: Json) => [ladder.id, ladder.players, ladder.matches, ladder.leader]),
      [
        [ids[4], 2, 1, { name: "Bob", rating: 1016 }],
        [ids[3], 2, 0, { name: "Ann", rating: 1000 }],
      ],
    );
    const next = (await club.client.get(`/api/v1/ladders?limit=2&cursor=${first.nextCursor}`)).body.data;
    assert.deepEqual(
      next.ladders.map(({ id }: Json) => id),
      [ids[2], ids[1]],
    );
  });
});
