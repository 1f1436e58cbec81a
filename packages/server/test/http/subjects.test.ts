import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Club } from "../ladders/club.ts";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { assertInvalid, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { claimsOf, tokenOf } from "../support/tokens.ts";

const ann = 'Ann "Lee", née Müller';
const yuki = "山田 雪 🎲";
const inPath = encodeURIComponent;

describe("[AU8] people whose ids contain spaces and letters of any script", () => {
  let server: TestServer;
  let club: Club;
  let desk: Desk;
  const begin = (started: TestServer) => {
    server = started;
    club = new Club(server);
    desk = new Desk(server);
  };
  before(async () => begin(await startServer()));
  after(() => server.stop());

  test("[AU8] join, leave, repeat by key, and are shown by their names, also after a restart", async () => {
    const game = await server.client.newGame({ maxPlayers: 3 });
    const joined = await server.client.join(game, ann, "lee 7");
    assert.equal(joined.body.data.participant.userId, ann);
    assert.equal((await server.client.join(game, yuki)).status, 200);
    assert.equal((await server.client.join(game, "Ann Lee", "7")).status, 200);
    const other = await server.client.join(game, "Ann", "Lee 7");
    assert.equal(
      other.body.code,
      "room.full",
      "another person with another key, although the concatenated texts are equal",
    );
    begin(await server.restart());
    const again = await server.client.join(game, ann, "lee 7");
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(again.text, joined.text);
    const people = (await server.client.participants(game)).map(({ userId }) => userId);
    assert.deepEqual(people, [ann, yuki, "Ann Lee"]);
    assert.equal((await server.client.leave(game, yuki)).status, 200);
  });

  test("[AU8] two people whose ids and keys concatenate to the same text create two rooms", async () => {
    const make = (person: string, key: string) =>
      server.client.post("/api/v1/games", {
        token: tokenOf(person),
        key,
        body: { title: "A game", maxPlayers: 2 },
      });
    const [one, two] = [await make("ann lee", "7"), await make("ann", "lee 7")];
    assert.deepEqual([one.status, two.status], [201, 201]);
    assert.notEqual(one.body.data.game.id, two.body.data.game.id);
  });

  test("[AU8] wait in a queue, also entered by a service, and get a token with their id", async () => {
    const queue = await desk.newQueue({ maxActive: 5 });
    const { token } = await desk.entered(queue, yuki);
    await desk.claimed(token, yuki);
    assert.equal(claimsOf(token).sub, yuki);
    const entered = await desk.enter(queue, "nobody", { token: desk.serviceKey, body: { person: ann } });
    assert.equal(entered.status, 201, entered.text);
    assert.equal(claimsOf(entered.body.data.position.token).sub, ann);
    for (const person of ["", " ", "..", "@operator", "a\nb", "a\u0085b", "\ud83c", "x".repeat(129)])
      assertInvalid(
        await desk.enter(queue, "nobody", { token: desk.serviceKey, body: { person } }),
        "person",
      );
  });

  test("[AU8] play on ladders: in paths, in queries, in CSV files there and back", async () => {
    const ladder = await club.newLadder([ann, yuki]);
    await club.counted(ladder, [ann, yuki], [3, 1]);
    const player = await club.get(ladder, `/players/${inPath(ann)}`);
    assert.equal(player.body.data.player.userId, ann);
    const against = await club.get(ladder, `/players/${inPath(yuki)}/against/${inPath(ann)}`);
    assert.equal(against.status, 200, against.text);
    const history = await club.get(ladder, `/export?what=history&format=csv&player=${inPath(yuki)}`);
    assert.equal(history.status, 200, history.text);
    const matches = await club.get(ladder, "/export?what=matches&format=csv");
    assert.ok(
      matches.text.includes(yuki) && matches.text.includes('"Ann ""Lee"", née Müller"'),
      matches.text,
    );
    const copy = await club.newLadder();
    const { id } = await club.imported(copy, matches.text);
    assert.equal((await club.import(copy, matches.text)).body.data.import.id, id, "the same file again");
  });

  test("[AU8] a repeated key with other players is another request, even if their ids concatenate to the same text", async () => {
    const ladder = await club.newLadder(["a b", "c", "a", "b c"]);
    const first = await club.report(ladder, ["a b", "c"], [1, 0], { key: "one" });
    assert.equal(first.status, 200, first.text);
    const other = await club.report(ladder, ["a", "b c"], [1, 0], { key: "one" });
    assert.equal(other.body.code, "key.reused");
  });

  test("[AU8] chat, and are found by services; their live connection shows their own data", async () => {
    const { client, serviceKey, operatorKey } = server;
    const said = await client.post("/api/v1/chat/messages", {
      token: tokenOf(yuki),
      body: { messageId: "m1", text: "nick Yuki" },
    });
    assert.equal(said.status, 200, said.text);
    const found = await client.get("/api/v1/people/called/yuki", { token: tokenOf(ann) });
    assert.equal(found.status, 200, found.text);
    // The lines arrive after the reply.
    await until("the lines of the conversation", async () => {
      const conversation = await client.get(`/api/v1/conversations/${inPath(yuki)}`, { token: serviceKey });
      assert.equal(conversation.status, 200, conversation.text);
      return conversation.body.data.lines.length > 0;
    });
    const game = await client.newGame();
    const live = await LiveClient.open(server.url, { token: tokenOf(ann) });
    const joined = await live.ask({ type: "join", game });
    assert.equal(joined.body.data.participant.userId, ann);
    live.close();
    const forgotten = await client.post(`/api/v1/people/${inPath(yuki)}/forget`, { token: operatorKey });
    assert.equal(forgotten.status, 200, forgotten.text);
  });
});
