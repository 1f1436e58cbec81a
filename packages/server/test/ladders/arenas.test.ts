import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { draw, elsewhere, Hall, patient, quickWin } from "../arenas/hall.ts";
import { LiveClient } from "../live/clients.ts";
import { type Answer, assertInvalid, assertRefused, type Json, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { assertNear, Club, eloChange } from "./club.ts";

suite("arenas that feed a ladder", () => {
  let server: TestServer;
  let club: Club;
  let hall: Hall;

  before(async () => {
    server = await startServer();
    club = new Club(server);
    hall = new Hall(server);
  });
  after(() => server.stop());

  /** The matches of the ladder, oldest first, once there are this many. */
  async function arrived(id: string, count: number): Promise<Json[]> {
    await until(`${count} matches`, async () => (await club.look(id)).ladder.matches >= count);
    const matches = (await club.matches(id)).toReversed();
    assert.equal(matches.length, count);
    return matches;
  }

  const scoresOf = ({ players }: Json): Record<string, number> =>
    Object.fromEntries(players.map(({ userId, score }: Json) => [userId, score]));

  test("[LD12] [AR12] matches played over the API count on the ladder, once each and in order", async () => {
    const ladder = await club.newLadder();
    const { id } = await hall.playing(["ann", "bob"], { ladder, maxWins: null, drawRule: "rematch" });
    assert.equal((await hall.look(id)).arena.ladder, ladder);
    const winners: (string | null)[] = [];
    for (const moves of [quickWin, draw, quickWin]) {
      await hall.play(id, moves);
      const [{ winner, players }] = (await hall.matches(id)).body.data.matches;
      winners.push(players.find(({ label }: Json) => label === winner)?.person.id ?? null);
    }
    const matches = await arrived(ladder, 3);
    const ratings = { ann: 1000, bob: 1000 } as Record<string, number>;
    for (const [index, match] of matches.entries()) {
      const winner = winners[index];
      const points = (person: string) => (person === winner ? 1 : 0);
      assert.deepEqual(scoresOf(match), { ann: points("ann"), bob: points("bob") });
      assert.equal(match.reportedBy, "source");
      const change = eloChange([ratings.ann, ratings.bob], [points("ann"), points("bob")]);
      ratings.ann += change;
      ratings.bob -= change;
    }
    assert.equal(winners[1], null, "a draw counts as one");
    for (const person of ["ann", "bob"])
      assertNear((await club.player(ladder, person)).rating, ratings[person], person);
  });

  test("[LD12] resigning and leaving lose; a reported draw counts", async () => {
    const ladder = await club.newLadder();
    const fields = { ladder, maxWins: null };
    const resigned = await hall.playing(["ann", "bob"], fields);
    await hall.resign(resigned.id, "ann", resigned.match);
    assert.deepEqual(scoresOf((await arrived(ladder, 1))[0]), { ann: 0, bob: 1 });
    const left = await hall.playing(["cat", "dan"], fields);
    await hall.leave(left.id, "cat");
    assert.deepEqual(scoresOf((await arrived(ladder, 2))[1]), { cat: 0, dan: 1 });
    const drawn = await hall.playing(["gus", "hal"], { ...fields, ...elsewhere });
    await hall.report(drawn.id, drawn.match, null);
    assert.deepEqual(scoresOf((await arrived(ladder, 3))[2]), { gus: 0, hal: 0 });
  });

  test("[LD8] [LD9] a result from an arena counts without confirmation, and is voided by the maker or an operator", async () => {
    const ladder = await club.newLadder(["ann", "bob"], { confirm: true });
    const { id, match } = await hall.playing(["ann", "bob"], { ladder, ...elsewhere });
    await hall.report(id, match, "1");
    await arrived(ladder, 1);
    for (const token of [tokenOf("ann"), server.serviceKey])
      assertRefused(await club.void(ladder, "1", { token }), 403, "auth.forbidden");
    assert.equal((await club.void(ladder, "1", { token: tokenOf("maker") })).status, 200);
    assert.deepEqual(
      (await club.standings(ladder)).map(({ rating }) => rating),
      [1000, 1000],
    );
  });

  test("[AR12] only the maker of a ladder, a service or an operator may connect an arena to it", async () => {
    const ladder = await club.newLadder();
    for (const token of [tokenOf("maker"), server.serviceKey, server.operatorKey])
      assert.equal((await hall.create({ ladder }, { token })).status, 201);
    const entries = await club.entries();
    const refused = await hall.create({ ladder }, { token: tokenOf("ann") });
    assertRefused(refused, 403, "auth.forbidden");
    assert.equal(refused.body.data.field, "ladder");
    const missing = await hall.create({ ladder: "nowhere" });
    assertRefused(missing, 404, "ladder.not-found");
    assert.equal(missing.body.data.field, "ladder");
    const three = await hall.create({ ladder, ...elsewhere, seats: 3, labels: ["a", "b", "c"] });
    assertRefused(three, 400, "ladder.two-players-only");
    assert.equal(await club.entries(), entries, "something was written");
    const plain = (await hall.look(await hall.newArena())).arena;
    assert.deepEqual([plain.ladder, plain.tier, plain.tiers], [null, null, []]);
  });

  const tiers = [
    { name: "Bronze", from: 0 },
    { name: "Silver", from: 1000 },
    { name: "Gold", from: 1200.5 },
  ];

  const codeOf = ({ body }: Answer) => body.code as string | undefined;

  test("[AR12] tiers create one arena each, which refer to each other", async () => {
    const ladder = await club.newLadder();
    const made = await hall.create({ id: "rated", title: "Chess", ladder, tiers });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.data.arena.id, "rated-1");
    const ranges = [
      { arena: "rated-1", name: "Bronze", from: null, below: 1000 },
      { arena: "rated-2", name: "Silver", from: 1000, below: 1200.5 },
      { arena: "rated-3", name: "Gold", from: 1200.5, below: null },
    ];
    for (const { arena: id, ...tier } of ranges) {
      const { arena } = await hall.look(id);
      assert.deepEqual([arena.title, arena.tier, arena.tiers], [`Chess: ${tier.name}`, tier, ranges]);
    }
    assertRefused(await club.client.get("/api/v1/arenas/rated"), 404, "room.not-found");
  });

  test("[AR12] a person who joins the wrong tier is told the right one; newcomers have the initial rating", async () => {
    const ladder = await club.newLadder();
    for (const [userId, rating] of Object.entries({ low: 999.9, mid: 1000, high: 1200.5, top: 9_999 }))
      await club.enrol(ladder, { userId, rating });
    const made = await hall.create({ title: "Chess", ladder, tiers, ...patient });
    const base = made.body.data.arena.id.slice(0, -2);
    const belongs = { low: 1, mid: 2, high: 3, top: 3, newcomer: 2 };
    for (const [person, own] of Object.entries(belongs))
      for (const tier of [1, 2, 3]) {
        const before = await hall.look(`${base}-${tier}`);
        const answer = await hall.join(`${base}-${tier}`, person);
        if (tier === own) {
          assert.equal(answer.status, 200, answer.text);
          continue;
        }
        assertRefused(answer, 409, "tier.other", person);
        const { arena, tier: name, rating } = answer.body.data;
        assert.deepEqual([arena, name], [`${base}-${own}`, tiers[own - 1].name]);
        assert.equal(typeof rating, "number");
        assert.deepEqual(await hall.look(`${base}-${tier}`), before);
      }
    const live = await LiveClient.open(server.url, { token: tokenOf("low") });
    const answer = await live.ask({ type: "join", arena: `${base}-3` });
    live.close();
    assert.deepEqual([answer.status, answer.body.code], [409, "tier.other"]);
    assert.match(answer.body.message, /Gold: from 1200.5.*Bronze/);
  });

  test("[AR12] a changed rating removes nobody, and counts at the next join", async () => {
    const ladder = await club.newLadder();
    const made = await hall.create({
      title: "C",
      ladder,
      tiers: tiers.slice(0, 2),
      ...patient,
      maxWins: null,
    });
    const base = made.body.data.arena.id.slice(0, -2);
    for (const person of ["ann", "bob"]) assert.equal((await hall.join(`${base}-2`, person)).status, 200);
    const { match } = (await hall.look(`${base}-2`)).state;
    await hall.resign(`${base}-2`, "ann", match.id);
    await arrived(ladder, 1);
    const { state } = await hall.look(`${base}-2`);
    assert.deepEqual(
      [...state.players, ...state.line].map(({ person }: Json) => person.id).sort(),
      ["ann", "bob"],
      "below the tier by now, but still in it",
    );
    await hall.leave(`${base}-2`, "ann");
    await until("the second defeat", async () => (await club.look(ladder)).ladder.matches === 2);
    assert.equal(codeOf(await hall.join(`${base}-2`, "ann")), "tier.other");
    assert.equal((await hall.join(`${base}-1`, "ann")).status, 200);
  });

  test("[AR12] [ID1] creating tiers again under the same key creates only the missing ones", async () => {
    const ladder = await club.newLadder();
    const fields = { title: "C", ladder, tiers };
    const first = await hall.create(fields, { key: "tiers" });
    const entries = await club.entries();
    const again = await hall.create(fields, { key: "tiers" });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(await club.entries(), entries);
    const other = await hall.create({ ...fields, title: "D" }, { key: "tiers" });
    assertRefused(other, 422, "key.reused");
  });

  test("[AR12] tiers without a ladder, out of order, or too few are refused with the field named", async () => {
    const ladder = await club.newLadder();
    const entries = await club.entries();
    const [a, b] = tiers;
    for (const [fields, field] of [
      [{ tiers }, "ladder"],
      [{ ladder, tiers: [b, a] }, "tiers.1.from"],
      [{ ladder, tiers: [a, { ...b, from: 0 }] }, "tiers.1.from"],
      [{ ladder, tiers: [a] }, "tiers"],
      [{ ladder, tiers: [] }, "tiers"],
      [{ ladder, tiers: [a, { from: 5 }] }, "tiers.1.name"],
      [{ ladder, tiers: [a, { name: "x", from: "5" }] }, "tiers.1.from"],
      [{ ladder, tiers: [a, { name: "x", from: 10_001 }] }, "tiers.1.from"],
      [{ ladder: "no id", tiers }, "ladder"],
      [{ id: "x".repeat(64), ladder, tiers }, "id"],
    ] as const)
      assertInvalid(await hall.create(fields), field, JSON.stringify(fields));
    assert.equal(await club.entries(), entries);
  });

  test("[AR12] a long title keeps the name of its tier, and complete characters", async () => {
    const ladder = await club.newLadder();
    for (const title of ["x".repeat(100), `x${"\u{1f600}".repeat(99)}`]) {
      const made = await hall.create({ title, ladder, tiers });
      assert.equal(made.status, 201, made.text);
      const { title: shown } = made.body.data.arena;
      assert.ok(shown.endsWith(": Bronze") && shown.isWellFormed() && [...shown].length <= 100, shown);
    }
  });
});
