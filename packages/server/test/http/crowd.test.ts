import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eachOf, range } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";

/** The number of concurrent requests. */
const atOnce = 512;

suite("crowds", () => {
  const { server } = serverOfSuite();

  test("[GM7] [RM2] two thousand people at the last seat: exactly one gets it", async () => {
    const { client } = server;
    const game = await client.newGame({ maxPlayers: 2 });
    await client.join(game, "early");
    const answers = await eachOf(range(2_000), atOnce, (index) => client.join(game, `p${index}`));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    assert.equal(winners[0].body.data.game.status, "FULL");
    assert.equal(winners[0].body.data.game.yourPosition, 2);
    for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
      assert.equal(status, 400);
      assert.equal(body.code, "room.full");
      assert.deepEqual(body.data, { currentPlayers: 2, maxPlayers: 2, availableSlots: 0 });
    }
    const { game: seen } = await client.look(game);
    assert.deepEqual([seen.status, seen.currentPlayers, seen.availableSlots], ["FULL", 2, 0]);
    const people = await client.participants(game);
    assert.deepEqual(
      people.map(({ userId }) => userId),
      ["early", winners[0].body.data.participant.userId],
    );
  });

  test("[ID1] [RM3] 40 retries each of 50 keys make 50 participants, and one response per key", async () => {
    const { client } = server;
    const game = await client.newGame({ maxPlayers: 1_000 });
    const tries = range(2_000).map((index) => index % 50);
    const answers = await eachOf(tries, atOnce, (person) => client.join(game, `p${person}`, `key ${person}`));
    for (const person of range(50)) {
      const own = answers.filter((_, index) => tries[index] === person);
      assert.equal(own.length, 40);
      assert.deepEqual([...new Set(own.map(({ status, text }) => `${status} ${text}`))].length, 1);
      assert.equal(own[0].status, 200);
      const first = own.filter(({ headers }) => headers["idempotent-replayed"] === undefined);
      const replayed = own.filter(({ headers }) => headers["idempotent-replayed"] === "true");
      assert.deepEqual([first.length, replayed.length], [1, 39]);
    }
    const people = await client.participants(game);
    assert.equal(people.length, 50);
    assert.equal(new Set(people.map(({ userId }) => userId)).size, 50);
    assert.equal((await client.look(game)).game.currentPlayers, 50);
  });
});
