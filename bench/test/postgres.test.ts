import assert from "node:assert/strict";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { missingPostgres } from "../../packages/server/test/support/postgres-programs.ts";
import { Postgres } from "../src/ladders/postgres.ts";
import { eloChange } from "../src/ladders/textbook.ts";
import { personName } from "../src/persons.ts";

const { test } = testsNeeding(missingPostgres);

test("by Elo, the first wins what the second loses, and more against someone stronger", () => {
  assert.equal(eloChange([1000, 1000], [3, 1]), 16);
  assert.equal(eloChange([1000, 1000], [1, 1]), 0);
  assert.equal(eloChange([1400, 1000], [0, 1]), -32 * (10 / 11));
  assert.ok(Math.abs(eloChange([1000, 1400], [1, 0]) - 32 * (10 / 11)) < 1e-9);
});

test("the server over PostgreSQL records each match once, durably, whoever reports at once", async (t) => {
  const postgres = await Postgres.start({ players: 3, startRating: 1000, connections: 4 });
  t.after(() => postgres.stop());
  const report = async (key: string, first: number, second: number) => {
    const response = await fetch(`http://127.0.0.1:${postgres.address.port}/`, {
      method: "POST",
      headers: { "idempotency-key": key },
      body: JSON.stringify({ players: [personName(first), personName(second)], scores: [3, 1] }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  const first = await report("first", 1, 2);
  assert.equal(first.status, 201);
  assert.deepEqual(
    first.body.data.match.players.map(({ after }: { after: number }) => after),
    [1016, 984],
  );
  assert.deepEqual(await report("first", 1, 2), first);
  assert.equal((await report("alone", 1, 1)).status, 500);

  // Each pair both ways round: locked in the order in which they are named, some of them would wait for each other.
  const pairs = [
    [1, 2],
    [2, 1],
    [2, 3],
    [3, 2],
    [3, 1],
    [1, 3],
  ];
  await postgres.setConnections(8);
  const together = await Promise.all(
    Array.from({ length: 60 }, (_, index) => report(`${index}`, pairs[index % 6][0], pairs[index % 6][1])),
  );
  assert.ok(together.every(({ status }) => status === 201));
  const { matches, history, ratingSum, ...settings } = await postgres.totals();
  assert.deepEqual({ matches, history }, { matches: 61, history: 122 });
  assert.ok(Math.abs(ratingSum - 3000) < 1e-9);
  assert.match(settings.version, /^18\./);
  assert.deepEqual([settings.fsync, settings.synchronousCommit], ["on", "on"]);
});
