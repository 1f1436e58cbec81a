import assert from "node:assert/strict";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { missingPostgres } from "../../packages/server/test/support/postgres-programs.ts";
import { Postgres } from "../src/ladders/postgres.ts";
import { Textbook } from "../src/nodes/textbook-program.ts";
import { Crowd, personName } from "../src/persons.ts";

const { test } = testsNeeding(missingPostgres);

type Address = { readonly port: number };

async function post({ port }: Address, path: string, headers: Record<string, string>, body?: object) {
  const request = { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test("both textbook ways assign each seat once, none beyond the limit, and durably", async (t) => {
  const textbook = await Textbook.start();
  t.after(() => textbook.stop());
  const crowd = new Crowd("textbook");
  for (const way of ["transaction", "statement"] as const) {
    const [game] = await textbook.createGames(1, 20);
    await textbook.choose(way, 4);
    const join = () =>
      post(textbook.address, `/api/v1/games/${game}/join`, { authorization: `Bearer ${crowd.next().token}` });
    const answers = await Promise.all(Array.from({ length: 30 }, join));
    const joined = answers.filter(({ status }) => status === 201);
    const seats = joined.map(({ body }) => body.data.game.yourPosition).sort((one, other) => one - other);
    assert.deepEqual(
      seats,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal(answers.filter(({ status }) => status === 409).length, 10);
  }
  const { seats, participants, seated, fsync, synchronousCommit } = await textbook.totals();
  assert.deepEqual([seats, participants, seated], [40, 40, 40]);
  assert.deepEqual([fsync, synchronousCommit], ["on", "on"]);
});

test("the PostgreSQL ladder records each match once and durably under concurrent reports", async (t) => {
  const postgres = await Postgres.start({ players: 3, startRating: 1000, connections: 8 });
  t.after(() => postgres.stop());
  const report = (key: string, first: number, second: number) =>
    post(
      postgres.address,
      "/",
      { "idempotency-key": key },
      { players: [personName(first), personName(second)], scores: [3, 1] },
    );
  const first = await report("first", 1, 2);
  assert.equal(first.status, 201);
  const after = first.body.data.match.players.map((player: { after: number }) => player.after);
  assert.deepEqual(after, [1016, 984]);
  assert.deepEqual(await report("first", 1, 2), first);

  // Each pair in both orders: locking in the order of the report would deadlock some of them.
  const pairs = ["12", "21", "23", "32", "31", "13"].map((pair) => [...pair].map(Number));
  const together = await Promise.all(
    Array.from({ length: 60 }, (_, index) => report(`${index}`, pairs[index % 6][0], pairs[index % 6][1])),
  );
  assert.ok(together.every(({ status }) => status === 201));
  const { matches, history, ratingSum, fsync, synchronousCommit } = await postgres.totals();
  assert.deepEqual([matches, history, fsync, synchronousCommit], [61, 122, "on", "on"]);
  assert.ok(Math.abs(ratingSum - 3000) < 1e-9);
});
