import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { assertNear, Club, csv, eloChange } from "./club.ts";

const head = "playerA,playerB,scoreA,scoreB";

/** A season of so many people, each row another pair. */
function season(rows: number, people = 20): Json[] {
  return range(rows).map((index) => ({
    players: [
      `p${index % people}`,
      `p${(index * 7 + 1 + (index % people === (index * 7 + 1) % people ? 1 : 0)) % people}`,
    ],
    scores: [index % 3, (index * 5) % 4],
  }));
}

/** What each has after these rows, by Elo's formula alone. */
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

  async function assertNothing(id: string, ask: () => Promise<Answer>, check: (answer: Answer) => void) {
    const before = [await club.look(id), await club.standings(id)];
    const entries = await club.entries();
    check(await ask());
    assert.equal(await club.entries(), entries, "something was written");
    assert.deepEqual([await club.look(id), await club.standings(id)], before);
  }

  test("[LD5] a CSV file counts in its order; further columns, quotes and other ends of line do no harm", async () => {
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

  test("[LD5] [LD3] many rows are counted one after the other, as the formula says, with progress to be seen", async () => {
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

  test("[LD5] others play on while a file is being counted, and nothing of either is lost", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const begun = await club.import(id, season(5_000));
    assert.equal(begun.status, 202);
    const played = await Promise.all(range(50).map(() => club.counted(id, ["ann", "bob"])));
    await club.done(id, begun.body.data.import.id);
    assert.equal(new Set(played).size, 50);
    assert.equal((await club.look(id)).ladder.matches, 5_050);
    assert.equal((await club.player(id, "ann")).games, 50);
  });

  test("[LD5] the same rows again, in whichever file, are the same import", async () => {
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
    assert.notEqual(other.id, first.id, "another order is another season");
    assert.equal((await club.look(id)).ladder.matches, 4);
  });

  test("[LD5] another file while one is being counted is refused, and taken when that is done", async () => {
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
      "but the same one is told how far it is",
    );
    await club.done(id, digest);
    await club.imported(id, other);
    assert.equal((await club.look(id)).ladder.matches, 20_003);
  });

  test("[LD5] who may import: whoever made the ladder, a service, an operator", async () => {
    const id = await club.newLadder();
    for (const [index, token] of [tokenOf("maker"), server.serviceKey, server.operatorKey].entries()) {
      const begun = await club.import(id, season(index + 1), { token });
      assert.equal(begun.status, 202, begun.text);
      await club.done(id, begun.body.data.import.id);
    }
    assert.equal((await club.look(id)).ladder.matches, 6);
  });

  test("[LD8] what was imported is voided by the maker or an operator", async () => {
    const id = await club.newLadder();
    await club.imported(id, season(3));
    for (const token of [tokenOf("p0"), server.serviceKey])
      assertRefused(await club.void(id, "1", { token }), 403, "auth.forbidden");
    assert.equal((await club.void(id, "1", { token: tokenOf("maker") })).status, 200);
    assert.equal((await club.void(id, "2")).status, 200);
  });

  const rowsThatAreBad: readonly (readonly [string, RegExp])[] = [
    ["ann,ann,1,0", /against themselves/],
    [",bob,1,0", /^playerA/],
    ["ann,b\u0085b,1,0", /^playerB/],
    ["@operator,bob,1,0", /^playerA/],
    [`${"x".repeat(129)},bob,1,0`, /^playerA/],
    ["ann,bob,-1,0", /^scoreA must be a whole number from 0 to 1000/],
    ["ann,bob,1,1001", /^scoreB/],
    ["ann,bob,1.5,0", /^scoreA/],
    ["ann,bob,1e2,0", /^scoreA/],
    ["ann,bob,,0", /^scoreA/],
    ["ann,bob,won,0", /^scoreA/],
    ["ann,bob", /^scoreA/],
    ["ann,bob,1,0,yesterday", /^at/],
    ["ann,bob,1,0,2024-13-01", /^at/],
    ["ann,bob,1,0,2024-02-30", /^at/],
    ["ann,bob,1,0,2024-02-30T10:00:00Z", /^at/],
    ["ann,bob,1,0,9999-01-01", /^at/],
    ["ann,bob,1,0,2024-05-31T25:00:00Z", /^at/],
    ["ann,bob,1,0,1717180200000", /^at/],
  ];
  for (const [row, problem] of rowsThatAreBad) {
    test(`[LD5] the row ${row.slice(0, 40)} is named with what is wrong, and nothing is imported`, async () => {
      const id = await club.newLadder(["ann", "bob"]);
      const text = `${head},at\nann,bob,1,0,\n${row}\nbob,ann,1,0,\n`;
      await assertNothing(
        id,
        () => club.import(id, text),
        (answer) => {
          assertRefused(answer, 400, "import.invalid");
          assert.equal(answer.body.data.rows.length, 1, answer.text);
          assert.equal(answer.body.data.rows[0].row, 2);
          assert.match(answer.body.data.rows[0].problem, problem);
        },
      );
    });
  }

  test("[LD5] rows are counted as the file has them, also those that are left out because they never counted", async () => {
    const id = await club.newLadder();
    const text = `${head},status\nann,bob,1,0,voided\nann,bob,1,0,counted\nann,ann,1,0,counted\n`;
    const rowsOf = (answer: Answer) => answer.body.data.rows.map(({ row }: Json) => row);
    assert.deepEqual(rowsOf(await club.import(id, text)), [3]);
    const row = { players: ["ann", "bob"], scores: [1, 0] };
    const bad = { players: ["ann", "ann"], scores: [1, 0] };
    assert.deepEqual(rowsOf(await club.import(id, [{ ...row, status: "lapsed" }, row, bad])), [3]);
  });

  test("[LD5] several bad rows are told at once, but not without end", async () => {
    const id = await club.newLadder();
    const bad = range(50).map(() => "ann,ann,1,0");
    const answer = await club.import(id, [head, "ann,bob,1,0", ...bad].join("\n"));
    assert.deepEqual(
      answer.body.data.rows.map(({ row }: Json) => row),
      range(20).map((index) => index + 2),
    );
  });

  const filesThatEndBadly = {
    CSV: (faults: number) => [head, ...range(faults).map(() => "ann,ann,1,0"), 'ann,"bob'].join("\n"),
    JSON: (faults: number) =>
      `{"matches":[${'{"players":["ann","ann"],"scores":[1,0]},'.repeat(faults)}nonsense`,
  };
  for (const [type, fileWith] of Object.entries(filesThatEndBadly)) {
    test(`[LD5] [LM10] after 20 bad rows of ${type} the rest of the file is not read`, async () => {
      const id = await club.newLadder();
      const importWith = (faults: number) =>
        club.import(id, [], type === "CSV" ? csv(fileWith(faults)) : { rawBody: fileWith(faults) });
      const read = await importWith(19);
      assert.deepEqual(
        [read.status, read.body.data?.rows],
        [400, undefined],
        "its end makes it no file at all",
      );
      const stopped = await importWith(20);
      assertRefused(stopped, 400, "import.invalid");
      assert.equal(stopped.body.data.rows.length, 20);
    });
  }

  const jsonThatIsBad: readonly unknown[] = [
    null,
    5,
    "ann",
    [],
    {},
    { players: "ann", scores: [1, 0] },
    { players: ["ann"], scores: [1, 0] },
    { players: ["ann", "bob"], scores: [1] },
    { players: ["ann", "bob"], scores: ["won", 0] },
    { players: [{ userId: 5 }, "bob"], scores: [1, 0] },
    { players: ["ann", "bob"], scores: [1, 0], at: 5 },
    { players: ["ann", null], scores: [1, 0] },
  ];
  for (const row of jsonThatIsBad) {
    test(`[LD5] in JSON, ${JSON.stringify(row)} is named as row 2, and nothing is imported`, async () => {
      const id = await club.newLadder(["ann", "bob"]);
      const good = { players: ["ann", "bob"], scores: [1, 0] };
      await assertNothing(
        id,
        () => club.import(id, [good, row, good]),
        (answer) => {
          assertRefused(answer, 400, "import.invalid");
          assert.deepEqual(
            answer.body.data.rows.map((fault: Json) => fault.row),
            [2],
          );
        },
      );
    });
  }

  const filesThatAreBad: readonly (readonly [string, string, RegExp])[] = [
    ["without a first line that names columns", "ann,bob,1,0\n", /playerA is missing/],
    ["without one of the columns", "playerA,playerB,scoreA\nann,bob,1\n", /scoreB is missing/],
    ["with a quote that is not closed", `${head}\n"ann,bob,1,0\n`, /quote/],
    ["with no match in it", `${head}\n\n`, /no match/],
    ["of binary", "\0\u0001\ufffd", /playerA is missing/],
  ];
  for (const [what, text, words] of filesThatAreBad) {
    test(`[LD5] a file ${what} is refused with a sentence`, async () => {
      const id = await club.newLadder();
      await assertNothing(
        id,
        () => club.import(id, text),
        (answer) => {
          assertRefused(answer, 400, "import.invalid");
          assert.match(answer.body.message, words);
        },
      );
    });
  }

  test("[LM2] more rows than may be at once, and more bytes than are taken in, are refused", async () => {
    const id = await club.newLadder();
    const long = await club.import(id, `${head}\n${"a,b,1,0\n".repeat(100_001)}`);
    assertRefused(long, 400, "import.invalid");
    assert.match(long.body.message, /more than 100001 lines/);
    const row = { players: ["a", "b"], scores: [1, 0] };
    assertInvalid(await club.import(id, new Array(100_001).fill(row)), "matches");
    const huge = csv(`${head}\n${"x".repeat(17 * 1024 * 1024)}`);
    assertRefused(await club.import(id, [], huge), 413, "input.too-large");
  });

  test("[LM1] one field of many megabytes is read, and refused, like any other", async () => {
    const id = await club.newLadder();
    const text = `${head}\n"${"x".repeat(15_000_000)}",bob,1,0\n`;
    const answer = await club.import(id, text);
    assertRefused(answer, 400, "import.invalid");
    for (const rest of [
      `"${"y".repeat(15_000_000)}`,
      `"${'""'.repeat(7_000_000)}"`,
      "z".repeat(15_000_000),
      ",".repeat(15_000_000),
      "\n".repeat(15_000_000),
    ])
      assertRefused(await club.import(id, `${head}\n${rest}`), 400, "import.invalid");
  });

  test("[LD5] an import that is under way goes on after a restart", async () => {
    const own = await startServer();
    const first = new Club(own);
    const id = await first.newLadder();
    const rows = season(30_000);
    const begun = await first.import(id, rows);
    const { id: digest } = begun.body.data.import;
    await until("some of it", async () => (await first.look(id, `/imports/${digest}`)).import.done > 0);
    const again = await own.restart();
    const second = new Club(again);
    await second.done(id, digest);
    assert.equal((await second.look(id)).ladder.matches, 30_000);
    const expected = modelled(rows);
    for (const { userId, rating } of await second.standings(id)) assertNear(rating, expected.get(userId)!);
    await again.stop();
  });
});
