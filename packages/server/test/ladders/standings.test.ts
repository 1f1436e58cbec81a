import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Club } from "./club.ts";

suite("what one can look up on a ladder", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  /** Players `p0`, `p1`… with these ratings. */
  async function rated(ratings: readonly number[], fields: Json = {}): Promise<string> {
    const id = await club.newLadder([], fields);
    for (const [index, rating] of ratings.entries()) {
      const answer = await club.enrol(id, { userId: `p${index}`, name: `P ${index}`, rating });
      assert.equal(answer.status, 200, answer.text);
    }
    return id;
  }

  const briefly = (players: readonly Json[]) => players.map(({ userId, rank }) => `${userId} ${rank}`);

  test("[LD7] `from` starts anywhere, also among equal ratings, and past the end there is nobody", async () => {
    const id = await rated([1100, 1300, 1200, 1300, 1100, 1000]);
    const from = async (place: number, limit = 2) =>
      briefly((await club.look(id, `/standings?from=${place}&limit=${limit}`)).players);
    assert.deepEqual(await from(1), ["p1 1", "p3 1"]);
    assert.deepEqual(await from(2), ["p3 1", "p2 3"]);
    assert.deepEqual(await from(5), ["p4 4", "p5 6"]);
    assert.deepEqual(await from(6), ["p5 6"]);
    assert.deepEqual(await from(7), []);
    assert.deepEqual(await from(10_000_000), []);
    const page = await club.look(id, "/standings?from=2&limit=2");
    const next = await club.look(id, `/standings?cursor=${page.nextCursor}&limit=9`);
    assert.deepEqual(briefly(next.players), ["p0 4", "p4 4", "p5 6"], "and continues from there");
    assert.equal(next.nextCursor, null);
  });

  test("[LD7] a ladder without current players has empty standings from any position", async () => {
    const id = await club.newLadder();
    for (const _ of range(2)) {
      for (const query of ["", "?from=1", "?from=2", "?from=99", "?cursor=1000_1"])
        assert.deepEqual(await club.look(id, `/standings${query}`), { players: [], nextCursor: null }, query);
      await club.join(id, "ann");
      await club.leave(id, "ann");
    }
  });

  test("[LD7] ratings with many digits make cursors that skip nobody", async () => {
    const ratings = range(40).map((index) => 1000 + index / 3 + (index % 7) * 1e-9);
    const id = await rated([...ratings, 0.1 + 0.2 + 200, 1e-7 + 100]);
    const all = (await club.standings(id)).map(({ userId }) => userId);
    assert.equal(new Set(all).size, 42);
    for (const limit of [1, 3, 7])
      assert.deepEqual(
        (await club.standings(id, limit)).map(({ userId }) => userId),
        all,
      );
  });

  test("[LD11] matches and histories are paged without gap or repeat, during further matches", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    for (const index of range(25)) await club.counted(id, index % 2 ? ["ann", "bob"] : ["cat", "ann"]);
    for (const [path, name] of [
      ["/matches", "matches"],
      ["/players/ann/history", "history"],
    ] as const) {
      const { matches: sum } = (await club.look(id)).ladder;
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const page = await club.look(id, `${path}?limit=4${cursor === null ? "" : `&cursor=${cursor}`}`);
        seen.push(...page[name].map((item: Json) => Number(item.id ?? item.match)));
        cursor = page.nextCursor;
        await club.counted(id, ["ann", "cat"]);
      } while (cursor !== null);
      assert.deepEqual(
        seen,
        range(sum).map((index) => sum - index),
        path,
      );
    }
  });

  test("[LD11] matches of a player, of a pair, and by status are paged as well", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    for (const players of [
      ["ann", "bob"],
      ["bob", "cat"],
      ["bob", "ann"],
      ["cat", "ann"],
      ["ann", "bob"],
    ] as const)
      await club.counted(id, players);
    await club.void(id, "3");
    const numbers = async (query: string) =>
      (await club.matches(id, query, 2)).map((match) => Number(match.id));
    assert.deepEqual(await numbers("?player=ann"), [5, 4, 3, 1]);
    assert.deepEqual(await numbers("?player=ann&opponent=bob"), [5, 3, 1]);
    assert.deepEqual(await numbers("?player=bob&opponent=ann"), [5, 3, 1]);
    assert.deepEqual(await numbers("?status=voided"), [3]);
    assert.deepEqual(await numbers("?status=counted"), [5, 4, 2, 1]);
    assert.deepEqual(await numbers("?status=lapsed"), []);
  });

  test("[LD11] unconfirmed matches are paged, newest first, and only those of the given player", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"], { confirm: true });
    for (const index of range(7)) await club.reported(id, index % 2 ? ["ann", "bob"] : ["bob", "cat"]);
    const numbers = async (query: string) =>
      (await club.matches(id, `?status=pending${query}`, 2)).map((match) => Number(match.id));
    assert.deepEqual(await numbers(""), [7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await numbers("&player=ann"), [6, 4, 2]);
    assert.deepEqual(await numbers("&player=bob&opponent=cat"), [7, 5, 3, 1]);
    assert.deepEqual(await numbers("&player=ann&opponent=cat"), []);
  });

  test("[LD9] [LD11] a history is in the order in which matches started to count, each step from the end of the last", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"], { confirm: true });
    for (const players of [
      ["ann", "bob"],
      ["ann", "cat"],
      ["ann", "bob"],
      ["ann", "cat"],
    ] as const)
      await club.reported(id, players);
    for (const [match, by] of [
      ["4", "cat"],
      ["1", "bob"],
      ["3", "bob"],
      ["2", "cat"],
    ] as const)
      assert.equal((await club.settle("confirm", id, match, by)).status, 200);
    for (const limit of [1, 3, 500]) {
      const steps = (await club.history(id, "ann", limit)).toReversed();
      assert.deepEqual(
        steps.map(({ match }) => match),
        ["4", "1", "3", "2"],
        `in pages of ${limit}`,
      );
      for (const [index, { before }] of steps.entries())
        assert.equal(before, index === 0 ? 1000 : steps[index - 1].after);
    }
    const own = await club.matches(id, "?player=ann&opponent=bob", 1);
    assert.deepEqual(
      own.map((match) => match.id),
      ["3", "1"],
    );
    for (const path of ["/matches?player=ann&opponent=ann", "/players/ann/against/ann"])
      assert.equal((await club.get(id, path)).body.code, "player.self");
  });

  test("[LD11] players are found by the start of their name, with their rank; players who have left are not", async () => {
    const id = await club.newLadder();
    const names = { ann: "Anna Lee", bob: "anne", cat: "Joanna", dan: "100%", eve: "100_" };
    for (const [userId, name] of Object.entries(names)) await club.enrol(id, { userId, name });
    await club.counted(id, ["bob", "ann"]);
    const found = async (search: string, limit = 10) => {
      const query = `?search=${encodeURIComponent(search)}&limit=${limit}`;
      return briefly((await club.look(id, `/players${query}`)).players);
    };
    assert.deepEqual(await found("AN"), ["ann 5", "bob 1"]);
    assert.deepEqual(await found("an", 1), ["ann 5"]);
    assert.deepEqual(await found("anna "), ["ann 5"]);
    assert.deepEqual(await found("100%"), ["dan 2"]);
    assert.deepEqual(await found("100_"), ["eve 2"]);
    assert.deepEqual(await found("zz"), []);
    await club.leave(id, "ann");
    assert.deepEqual(await found("an"), ["bob 1"]);
  });
});
