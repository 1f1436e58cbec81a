import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { assertNear, Club, eloChange } from "./club.ts";

const head = "playerA,playerB,scoreA,scoreB";

/** A season of this many people, each row with another pair. */
function season(rows: number, people = 20): Json[] {
  return range(rows).map((index) => ({
    players: [
      `p${index % people}`,
      `p${(index * 7 + 1 + (index % people === (index * 7 + 1) % people ? 1 : 0)) % people}`,
    ],
    scores: [index % 3, (index * 5) % 4],
  }));
}

/** Each player's rating after these rows, by the Elo formula alone. */
function modelled(rows: readonly Json[]): Map<string, number> {
  const ratings = new Map<string, number>();
  for (const { players, scores } of rows) {
    const [a, b] = players.map((person: string) => ratings.get(person) ?? 1000);
    const change = eloChange([a, b], scores);
    ratings.set(players[0], a + change);
    ratings.set(players[1], b - change);
  }
  return ratings;
}

suite("imports", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  test("[LD5] a CSV file counts in its order; further columns, quotes and other line ends do no harm", async () => {
    const id = await club.newLadder(["ann"]);
    const text = [
      "note,scoreA,scoreB,playerA,playerB,nameA,nameB,at",
      'x,3,1,ann,bob,"Ignored, she is here","Bob ""B"" B",2024-05-31',
      ",1, 1 ,bob,cat,,Cat,2024-06-01T18:30:00+02:00",
      "",
    ].join("\r\n");
    const done = await club.imported(id, text);
    assert.deepEqual([done.rows, done.done, done.status], [2, 2, "done"]);
    const [second, first] = await club.matches(id);
    assert.deepEqual(
      first.players.map(({ userId, name, score }: Json) => [userId, name, score]),
      [
        ["ann", "Ann", 3],
        ["bob", 'Bob "B" B', 1],
      ],
    );
    assert.deepEqual(
      [first.playedAt, second.playedAt, first.reportedBy],
      ["2024-05-31T00:00:00.000Z", "2024-06-01T16:30:00.000Z", "import"],
    );
    assert.equal((await club.history(id, "bob"))[0].at, "2024-06-01T16:30:00.000Z");
  });

  test("[LD5] [LD3] many rows are counted one after the other by the formula, with visible progress", async () => {
    const id = await club.newLadder();
    const rows = season(2_345);
    const begun = await club.import(id, rows);
    assert.equal(begun.status, 202, begun.text);
    const { id: digest, ...told } = begun.body.data.import;
    assert.deepEqual([told.rows, told.done, told.status], [2_345, 0, "running"]);
    const done = await club.done(id, digest);
    assert.deepEqual([done.rows, done.done, done.begunAt], [2_345, 2_345, told.begunAt]);
    const expected = modelled(rows);
    const standings = await club.standings(id);
    assert.equal(standings.length, expected.size);
    for (const { userId, rating } of standings) assertNear(rating, expected.get(userId)!, userId);
    assert.equal((await club.look(id)).ladder.matches, 2_345);
    const numbers = (await club.matches(id)).map((match) => Number(match.id));
    assert.deepEqual(
      numbers,
      range(2_345).map((index) => 2_345 - index),
    );
  });

  test("[LD5] others keep playing while a file is being counted, and nothing is lost", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const begun = await club.import(id, season(5_000));
    assert.equal(begun.status, 202);
    const played = await Promise.all(range(50).map(() => club.counted(id, ["ann", "bob"])));
    await club.done(id, begun.body.data.import.id);
    assert.equal(new Set(played).size, 50);
    assert.equal((await club.look(id)).ladder.matches, 5_050);
    assert.equal((await club.player(id, "ann")).games, 50);
  });

  test("[LD5] the same rows again, in any file, are the same import", async () => {
    const id = await club.newLadder();
    const first = await club.imported(id, `${head}\nann,bob,1,0\nbob,cat,2,2\n`);
    const entries = await club.entries();
    const again = await club.import(id, `\ufeff${head},nameA\r\nann,bob,1,0,Annie\r\nbob,cat,2,2,\r\n`);
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(again.body.data.import, first);
    const asJson = await club.import(id, [
      { players: ["ann", "bob"], scores: [1, 0] },
      { players: ["bob", "cat"], scores: [2, 2] },
    ]);
    assert.deepEqual(asJson.body.data.import, first);
    assert.equal(await club.entries(), entries);
    const other = await club.imported(id, `${head}\nbob,cat,2,2\nann,bob,1,0\n`);
    assert.notEqual(other.id, first.id, "another order is another import");
    assert.equal((await club.look(id)).ladder.matches, 4);
  });

  test("[LD5] another file during an import is refused, and accepted after it", async () => {
    const id = await club.newLadder();
    const begun = await club.import(id, season(20_000));
    const { id: digest } = begun.body.data.import;
    const other = season(3, 4);
    const refused = await club.import(id, other);
    assertRefused(refused, 409, "import.running");
    assert.deepEqual([refused.body.data, refused.body.retryable], [{ import: digest }, true]);
    const same = await club.import(id, season(20_000));
    assert.deepEqual(
      [same.status, same.body.data.import.id],
      [200, digest],
      "the same import returns its progress",
    );
    await club.done(id, digest);
    await club.imported(id, other);
    assert.equal((await club.look(id)).ladder.matches, 20_003);
  });

  test("[LD5] a file with an invalid row is refused with the row named, and nothing is imported", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const row = { players: ["ann", "bob"], scores: [1, 0] };
    for (const file of [`${head}\nann,bob,1,0\nann,ann,1,0\n`, [row, { ...row, scores: [1] }, row]]) {
      const before = [await club.look(id), await club.standings(id), await club.entries()];
      const answer = await club.import(id, file);
      assertRefused(answer, 400, "import.invalid");
      assert.deepEqual(
        answer.body.data.rows.map((fault: Json) => fault.row),
        [2],
      );
      assert.deepEqual([await club.look(id), await club.standings(id), await club.entries()], before);
    }
  });
});
