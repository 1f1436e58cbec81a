import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { csvRow, csvRows } from "../../src/app/ladders/import/csv.ts";
import type { Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { assertNear, Club } from "./club.ts";

suite("ladders as files", () => {
  let server: TestServer;
  let club: Club;

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  /** Parsed by hand like in a spreadsheet: these fields contain no quote or comma. */
  const plainRows = (text: string) => {
    const lines = text.split("\r\n");
    assert.equal(lines.pop(), "", "each row ends its line");
    return lines.map((line) => line.split(","));
  };

  async function played(): Promise<string> {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    await club.counted(id, ["ann", "bob"], [3, 1]);
    await club.counted(id, ["bob", "cat"], [2, 2]);
    const wrong = await club.counted(id, ["cat", "ann"], [9, 0]);
    await club.counted(id, ["ann", "cat"], [1, 0]);
    await club.void(id, wrong);
    return id;
  }

  test("[LD11] standings, matches and a history are exported as CSV, with column names", async () => {
    const id = await played();
    const [standingsHead, ...standings] = plainRows(await club.export(id, "standings", "csv"));
    const now = await club.standings(id);
    assert.deepEqual(standingsHead.slice(0, 4), ["rank", "userId", "name", "rating"]);
    assert.deepEqual(
      standings.map((row) => row.slice(0, 4)),
      now.map(({ rank, userId, name, rating }) => [String(rank), userId, name, String(rating)]),
    );
    const [matchHead, ...matches] = plainRows(await club.export(id, "matches", "csv"));
    assert.deepEqual(matchHead.slice(0, 8), [
      "match",
      "turn",
      "status",
      "at",
      "playerA",
      "playerB",
      "scoreA",
      "scoreB",
    ]);
    assert.deepEqual(
      matches.map(([number, , status, , a, b, scoreA, scoreB]) => [number, status, a, b, scoreA, scoreB]),
      [
        ["1", "counted", "ann", "bob", "3", "1"],
        ["2", "counted", "bob", "cat", "2", "2"],
        ["3", "voided", "cat", "ann", "9", "0"],
        ["4", "counted", "ann", "cat", "1", "0"],
      ],
    );
    const [historyHead, ...history] = plainRows(await club.export(id, "history", "csv", "ann"));
    const steps = await club.history(id, "ann");
    assert.equal(history.length, 3);
    for (const [index, row] of history.entries()) {
      const fields = Object.fromEntries(historyHead.map((name, at) => [name, row[at]]));
      assert.deepEqual(
        [fields.match, fields.status, fields.opponent, Number(fields.before), Number(fields.after)],
        [
          steps[index].match,
          steps[index].status,
          steps[index].opponent.userId,
          steps[index].before,
          steps[index].after,
        ],
      );
    }
  });

  test("[LD11] the JSON export has the same data as the pages, matches oldest first and a history newest first", async () => {
    const id = await played();
    assert.deepEqual(JSON.parse(await club.export(id, "standings", "json")), await club.standings(id));
    assert.deepEqual(
      JSON.parse(await club.export(id, "matches", "json")),
      (await club.matches(id)).toReversed(),
    );
    assert.deepEqual(
      JSON.parse(await club.export(id, "history", "json", "ann")),
      await club.history(id, "ann"),
    );
    const empty = await club.newLadder();
    for (const what of ["standings", "matches"]) {
      assert.deepEqual(JSON.parse(await club.export(empty, what, "json")), []);
      assert.equal(plainRows(await club.export(empty, what, "csv")).length, 1);
    }
  });

  test("[LD11] [LD9] matches exported and imported elsewhere give the same ratings, whatever order they were confirmed in", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"], { confirm: true });
    const pairs = [
      ["ann", "bob"],
      ["ann", "cat"],
      ["ann", "bob"],
    ] as const;
    for (const pair of pairs) await club.reported(id, pair);
    for (const match of ["3", "2", "1"])
      assert.equal((await club.settle("confirm", id, match, pairs[Number(match) - 1][1])).status, 200);
    const waiting = await club.reported(id, ["bob", "cat"]);
    const text = await club.export(id, "matches", "csv");
    const other = await club.newLadder();
    await club.imported(other, text);
    for (const person of ["ann", "bob", "cat"])
      assert.equal((await club.player(other, person)).rating, (await club.player(id, person)).rating);
    assert.equal((await club.matches(other)).length, Number(waiting) - 1);
  });

  test("[LD11] a file has a type and a name", async () => {
    const id = await club.newLadder();
    const { headers } = await club.get(id, "/export?what=matches&format=csv");
    assert.equal(headers["content-type"], "text/csv; charset=utf-8");
    assert.equal(headers["content-disposition"], `attachment; filename="${id}-matches.csv"`);
    const json = await club.get(id, "/export?what=standings&format=json");
    assert.equal(json.headers["content-type"], "application/json; charset=utf-8");
  });

  test("[LD11] quotes and commas in names are kept, and formulas are escaped", async () => {
    const id = await club.newLadder();
    const names = {
      a: 'Ann "Ace", the first',
      b: "=HYPERLINK(A1)",
      c: "+1",
      d: "-1",
      e: "@SUM(1)",
      f: "'=1",
      g: "Zoë, 👍",
    };
    for (const [userId, name] of Object.entries(names)) await club.enrol(id, { userId, name });
    const text = await club.export(id, "standings", "csv");
    const lines = text.split("\r\n").slice(1, -1);
    assert.ok(lines[0].startsWith('1,a,"Ann ""Ace"", the first",'), lines[0]);
    assert.ok(lines[1].startsWith("1,b,'=HYPERLINK(A1),"), lines[1]);
    assert.ok(lines[2].startsWith("1,c,'+1,"));
    assert.ok(lines[3].startsWith("1,d,'-1,"));
    assert.ok(lines[4].startsWith("1,e,'@SUM(1),"));
    assert.ok(lines[5].startsWith("1,f,''=1,"));
    assert.ok(lines[6].startsWith('1,g,"Zoë, 👍",'));
    const [head, ...rows] = read(text) as string[][];
    assert.deepEqual(
      rows.map((row) => row[head.indexOf("name")]),
      Object.values(names),
      "imported again without a difference",
    );
  });

  const read = (text: string) => {
    const rows: (readonly string[])[] = [];
    return csvRows(text, 100, (row) => rows.push(row) > 0) ?? rows;
  };

  test("[LD11] any text written as CSV is read back unchanged", () => {
    const rows = [
      ["", "a", '"', '""', ","],
      ["line\r\nbreak", "\n", "\r", " spaced ", "'"],
      ["=", "'=", "''=", "\t", "'x"],
      ["ünï", "\u{1f600}", "\ufeff", "0", "-"],
      ["", ""],
    ];
    assert.deepEqual(read(rows.map((row) => csvRow(row)).join("")), rows);
  });

  test("[LD11] CSV is read as spreadsheets write it, with any line ends", () => {
    const table = [
      ["a", "b"],
      ["1", ""],
    ];
    for (const text of ["\ufeffa,b\n1,", "a,b\r1,\r\n\r\n", "\r\n\na,b\r\n\r\n1,\n", 'a,"b"\n"1",""'])
      assert.deepEqual(read(text), table, JSON.stringify(text));
    assert.deepEqual(read(""), []);
    assert.deepEqual(read("\n\n"), []);
    for (const broken of ['"a', 'a"b', '"a"b', 'a,"b\n1,2', '"""'])
      assert.match(String(read(broken)), /quote/);
  });

  test("[LM2] CSV with too many rows or columns is not read to its end", () => {
    assert.equal(read("a\n".repeat(100)).length, 100);
    assert.equal(read("a\n".repeat(101)), "The file has more than 100 lines. Please send it in parts.");
    assert.equal(read(",".repeat(99))[0].length, 100);
    assert.equal(read(",".repeat(100)), "A row has more than 100 columns.");
  });

  const [newcomers, regulars] = [
    { from: 0, k: 40 },
    { from: 2, k: 20 },
  ];
  const steps = { k: [newcomers, regulars] };
  for (const format of ["csv", "json"] as const) {
    test(`[LD11] [LD5] matches exported as ${format} and imported elsewhere give the same ratings, games and names`, async () => {
      const id = await club.newLadder([], steps);
      const names = { ann: '=Ann, "1"', bob: "Bob", cat: "Zoë", "=dan": "Dan" };
      for (const [userId, name] of Object.entries(names)) await club.enrol(id, { userId, name });
      await club.counted(id, ["ann", "bob"], [3, 1]);
      const wrong = await club.counted(id, ["bob", "cat"], [7, 0]);
      await club.counted(id, ["cat", "ann"], [1, 1]);
      await club.counted(id, ["=dan", "ann"], [1, 0]);
      await club.counted(id, ["=dan", "bob"], [0, 2]);
      await club.void(id, wrong);
      const text = await club.export(id, "matches", format);
      const copy = await club.newLadder([], steps);
      const done = await club.imported(copy, text);
      assert.deepEqual([done.rows, done.done], [4, 4], "voided matches are left out");
      const shown = (all: readonly Json[]) =>
        all.map(({ userId, name, rank, games, wins, draws, losses }) => {
          return { userId, name, rank, games, wins, draws, losses };
        });
      const [own, others] = [await club.standings(id), await club.standings(copy)];
      assert.deepEqual(shown(others), shown(own));
      for (const [index, { rating }] of own.entries()) assertNear(others[index].rating, rating);
      const [first] = (await club.matches(copy)).toReversed();
      assert.equal(first.reportedBy, "import");
      assert.equal(first.playedAt, (await club.matches(id)).at(-1)!.reportedAt);
    });
  }
});
