import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { testsNeeding } from "../../packages/server/test/support/needs.ts";
import { missingPostgres } from "../../packages/server/test/support/postgres-programs.ts";
import { Fleet } from "../src/nodes/fleet.ts";
import { JoinLedger } from "../src/nodes/join-ledger.ts";
import { joinsInDatabase } from "../src/nodes/joined-log.ts";
import { SpreadLoad } from "../src/nodes/spread-load.ts";
import { Textbook } from "../src/nodes/textbook-program.ts";
import { openseatProgram } from "../src/openseat-server.ts";
import { Crowd } from "../src/persons.ts";
import { RequestBook } from "../src/request-book.ts";
import { addJoin } from "../src/requests.ts";

const { test } = testsNeeding(missingPostgres);

const noEndMs = 60_000;

test("the textbook gives each seat once and none past the last, in both of its ways, durably", async (t) => {
  const textbook = await Textbook.start();
  t.after(() => textbook.stop());
  const crowd = new Crowd("textbook");
  const join = async (game: string) => {
    const { token } = crowd.next();
    const response = await fetch(`http://127.0.0.1:${textbook.address.port}/api/v1/games/${game}/join`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  for (const way of ["transaction", "statement"] as const) {
    const [game] = await textbook.createGames(1, 20);
    await textbook.choose(way, 4);
    const answers = await Promise.all(Array.from({ length: 30 }, () => join(game)));
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

test("load is spread evenly over all nodes, and what came of it is added up", async (t) => {
  const asked = [0, 0, 0];
  const addresses = await Promise.all(asked.map((_, node) => countingServer(t, () => asked[node]++)));
  const load = new SpreadLoad(addresses, 6);
  t.after(() => load.close());
  const book = new RequestBook();
  for (let request = 0; request < 60; request++) book.addText("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const answered: number[] = [];
  const result = await load.saturate(book, noEndMs, (request) => answered.push(request));
  assert.equal(result.latency.total, result.answered);
  assert.equal(new Set(answered).size, 60);
  assert.ok(asked.every((count) => count >= 2));
  assert.equal(
    asked.reduce((sum, count) => sum + count, 0),
    60,
  );
});

test("what two nodes on one database have acknowledged is read from its log, each join once", async (t) => {
  const textbook = await Textbook.start();
  const fleet = new Fleet(openseatProgram, await textbook.createDatabase("two"), 2);
  t.after(async () => {
    await fleet.remove();
    await textbook.stop();
  });
  await fleet.start();
  const game = await fleet.first.createGame("Both");
  const ledger = new JoinLedger();
  const book = new RequestBook();
  for (let person = 1; person <= 200; person++) addJoin(book, game, fleet.crowd.next());
  const load = fleet.load(16);
  t.after(() => load.close());
  await load.saturate(book, noEndMs, (request) => ledger.acknowledge(request + 1));
  assert.equal(ledger.count, 200);
  const verdicts = await ledger.verdicts("two nodes", joinsInDatabase(fleet.databaseUrl));
  assert.deepEqual(
    verdicts.map(({ value }) => value),
    [0, 0],
  );
});

async function countingServer(t: TestContext, onAsked: () => void) {
  const server = createServer((_, response) => {
    onAsked();
    response.end("{}");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}
