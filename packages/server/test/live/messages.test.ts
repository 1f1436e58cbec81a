import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Client, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { LiveClient } from "./clients.ts";

/** The maximum memory of a connection's unread responses. */
const answersBytesMax = 8_000_000;

suite("live messages", () => {
  let server: TestServer;
  let client: Client;

  before(async () => {
    // Some tests send more than normal clients do.
    server = await startServer([...issuerFlags, "--live-messages-per-second", "1000000"]);
    client = server.client;
  });
  after(() => server.stop());

  async function withLive(work: (live: LiveClient) => Promise<void>, token?: string): Promise<void> {
    const live = await LiveClient.open(server.url, token === undefined ? {} : { token });
    try {
      await work(live);
    } finally {
      live.close();
    }
  }

  test("[FD4] [GM1] joining and leaving over the live connection get the same responses as over HTTP", () =>
    withLive(async (live) => {
      const game = await client.newGame({ maxPlayers: 2 });
      const joined = await live.ask({ type: "join", game });
      assert.equal(joined.status, 200);
      assert.equal(joined.body.data.game.yourPosition, 1);
      assert.equal(joined.body.data.participant.userId, "ann");
      const asked = await live.ask({ type: "can-join", game });
      assert.deepEqual(asked.body.data, await client.canJoin(game, "ann"));
      const again = await live.ask({ type: "join", game });
      assert.deepEqual([again.status, again.body], [400, (await client.join(game, "ann")).body]);
      const left = await live.ask({ type: "leave", game });
      assert.deepEqual([left.status, left.body.data.game], [200, (await client.look(game)).game]);
      for (const type of ["join", "leave", "watch"]) {
        const missing = await live.ask({ type, game: "nowhere" });
        assert.deepEqual([missing.status, missing.body.code], [404, "room.not-found"], type);
      }
    }, tokenOf("ann")));

  test("[ID1] [ID2] keys apply across HTTP and live messages", () =>
    withLive(async (live) => {
      const game = await client.newGame();
      const first = await live.ask({ type: "join", game, key: "one" });
      assert.equal(first.replayed, undefined);
      const again = await live.ask({ type: "join", game, key: "one" });
      assert.deepEqual([again.status, again.body, again.replayed], [200, first.body, true]);
      const overHttp = await client.join(game, "ann", "one");
      assert.deepEqual([overHttp.status, overHttp.body], [200, first.body]);
      assert.equal(overHttp.headers["idempotent-replayed"], "true");
      const other = await live.ask({ type: "leave", game, key: "one" });
      assert.deepEqual([other.status, other.body.code], [422, "key.reused"]);
      await client.leave(game, "ann", "two");
      const left = await live.ask({ type: "leave", game, key: "two" });
      assert.deepEqual([left.status, left.replayed], [200, true]);
    }, tokenOf("ann")));

  test("[AU1] a message's own token applies to that message only; auth changes the identity of the connection", () =>
    withLive(async (live) => {
      const game = await client.newGame({ maxPlayers: 9 });
      const who = async (message: Json) => {
        const answer = await live.ask(message);
        return answer.body.data?.participant?.userId ?? answer.body.code;
      };
      assert.equal(await who({ type: "join", game }), "auth.missing");
      assert.equal(await who({ type: "join", game, token: tokenOf("bob") }), "bob");
      assert.equal(await who({ type: "leave", game }), "auth.missing");
      const auth = await live.ask({ type: "auth", token: tokenOf("cleo", { name: "Cleo" }) });
      assert.deepEqual(auth.body.data, { role: "person", person: { id: "cleo", name: "Cleo" } });
      assert.equal(await who({ type: "join", game }), "cleo");
      assert.equal(await who({ type: "join", game, token: tokenOf("dan") }), "dan");
      assert.equal(await who({ type: "join", game, token: "bad.token.here" }), "auth.invalid");
      const failed = await live.ask({ type: "auth", token: "bad.token.here" });
      assert.deepEqual([failed.status, failed.body.code], [401, "auth.invalid"]);
      assert.equal((await live.ask({ type: "can-join", game })).body.data.isParticipant, true);
      await live.ask({ type: "auth", token: tokenOf("emma") });
      assert.equal((await live.ask({ type: "can-join", game })).body.data.isParticipant, false);
    }));

  test("[AU5] auth as another person ends the previous person's watches; auth as the same person does not", () =>
    withLive(async (live) => {
      const token = tokenOf("ann");
      await live.ask({ type: "auth", token });
      assert.equal((await live.ask({ type: "watch", conversation: "me" })).status, 200);
      const say = async (text: string) => {
        const answer = await client.post("/api/v1/chat/messages", {
          ...{ token, key: text, body: { text } },
        });
        assert.equal(answer.status, 200, answer.text);
      };
      const hasReceived = (text: string) =>
        live.feed.some((message) => JSON.stringify(message).includes(text));
      await live.ask({ type: "auth", token: tokenOf("ann", { name: "Ann" }) });
      await say("first words");
      await until("the line", () => hasReceived("first words"));
      await live.ask({ type: "auth", token: tokenOf("bob") });
      await say("second words");
      // A third line, watched again as Ann, arrives after the second would have.
      const other = await LiveClient.open(server.url, { token });
      await other.ask({ type: "watch", conversation: "me" });
      await until("the second line elsewhere", () => JSON.stringify(other.feed).includes("second words"));
      await live.ask({ type: "ping" });
      assert.ok(!hasReceived("second words"));
      other.close();
    }));

  const notMessages: (string | Buffer)[] = [
    "",
    "hello",
    "{",
    "null",
    '"join"',
    Buffer.from('{"id":1,"type":"ping"}'),
    Buffer.from([0, 255, 1]),
  ];
  test("[LM1] a message that is not a JSON object as text is refused without an id, and the connection continues", () =>
    withLive(async (live) => {
      for (const [index, message] of notMessages.entries()) {
        live.socket.send(message);
        await until(`refusal ${index}`, () => live.received.length > index);
        const answer = live.received[index];
        assert.deepEqual(
          [answer.id, answer.type, answer.status, answer.body.code, answer.body.data.field],
          [null, "answer", 400, "input.invalid", "message"],
        );
      }
      assert.equal((await live.ask({ type: "ping" })).status, 200);
    }));

  const game = "some-game";
  const badMessages: [Json, string][] = [
    [{ id: 1 }, "type"],
    [{ id: 2, type: "dance" }, "type"],
    [{ id: 3, type: "constructor" }, "type"],
    [{ type: "ping" }, "id"],
    [{ id: "1", type: "ping" }, "id"],
    [{ id: -1, type: "ping" }, "id"],
    [{ id: 1e300, type: "ping" }, "id"],
    [{ id: 4, type: "ping", extra: 1 }, "extra"],
    [{ id: 5, type: "join" }, "game"],
    [{ id: 6, type: "unwatch" }, "game"],
    [{ id: 7, type: "join", game: "not an id" }, "game"],
    [{ id: 8, type: "watch", game: "" }, "game"],
    [{ id: 9, type: "join", game, key: "" }, "key"],
    [{ id: 10, type: "leave", game, key: "é" }, "key"],
    [{ id: 11, type: "can-join", game, key: "k" }, "key"],
    [{ id: 12, type: "watch", game, after: 1.5 }, "after"],
    [{ id: 13, type: "auth" }, "token"],
    [{ id: 14, type: "join", game, token: "x".repeat(8193) }, "token"],
    [{ id: 15, type: "enter", queue: 5 }, "queue"],
    [{ id: 16, type: "enter", queue: "some-queue", lane: 3 }, "lane"],
    [{ id: 17, type: "heartbeat" }, "position"],
    [{ id: 18, type: "attend", position: "x".repeat(97) }, "position"],
    [{ id: 19, type: "unattend", position: "x", token: 5 }, "token"],
  ];
  test("[LM1] an invalid message is refused with the field named, and the connection continues", () =>
    withLive(async (live) => {
      for (const [index, [message, field]] of badMessages.entries()) {
        live.socket.send(JSON.stringify(message));
        await until(`the refusal of ${field}`, () => live.received.length > index);
        const { id, status, body } = live.received[index];
        assert.equal(id, Number.isSafeInteger(message.id) ? message.id : null);
        assert.deepEqual([status, body.code, body.data.field], [400, "input.invalid", field], body.message);
      }
      assert.equal((await live.ask({ type: "ping" })).status, 200);
    }, tokenOf("ann")));

  test("[LM2] thousands of messages at once are all answered, each once", () =>
    withLive(async (live) => {
      const game = await client.newGame({ maxPlayers: 10_000 });
      for (const index of range(2_000))
        live.socket.send(
          JSON.stringify({ id: 1_000 + index, type: "join", game, token: tokenOf(`p${index}`) }),
        );
      await until("2,000 answers", () => live.received.length >= 2_000);
      await live.ask({ type: "ping" });
      const ids = live.received.slice(0, 2_000).map(({ id, status }) => `${id} ${status}`);
      assert.deepEqual(
        ids.sort(),
        range(2_000)
          .map((index) => `${1_000 + index} 200`)
          .sort(),
      );
      assert.equal((await client.look(game)).game.currentPlayers, 2_000);
    }));

  test("[LM2] a connection that sends endlessly and reads nothing does not fill the memory", async () => {
    const game = await client.newGame({ maxPlayers: 10 });
    const wires: { writableLength: number }[] = [];
    const remember = (wire: { writableLength: number }) => wires.push(wire);
    server.app.server.on("connection", remember);
    await withLive(async (live) => {
      const own = (live.socket as Json)._socket;
      own.pause();
      const question = JSON.stringify({ id: 1, type: "can-join", game, token: tokenOf("ann") });
      let sent = 0;
      let worst = 0;
      // Ends when the server stops reading, as it should, or when it has accepted far more than it may hold.
      for (const _ of range(200)) {
        if (live.socket.bufferedAmount > 4_000_000 || worst > answersBytesMax) break;
        for (const __ of range(500)) live.socket.send(question);
        sent += 500;
        await new Promise((resolve) => setTimeout(resolve, 2));
        worst = Math.max(worst, ...wires.map(({ writableLength }) => writableLength));
      }
      assert.ok(worst < answersBytesMax, `${worst} bytes of answers wait after ${sent} questions`);
      own.resume();
      await until("all answers", () => live.received.length >= sent);
    });
    server.app.server.off("connection", remember);
  });

  test("[LM2] a connection watches at most 100 games, also if it requests all at once", () =>
    withLive(async (live) => {
      const games = await Promise.all(range(110).map(() => client.newGame()));
      for (const [index, game] of games.entries())
        live.socket.send(JSON.stringify({ id: 1_000 + index, type: "watch", game }));
      const answers = await Promise.all(games.map((_, index) => live.answerTo(1_000 + index)));
      const counts = [200, 429].map((status) => answers.filter((it) => it.status === status).length);
      assert.deepEqual(counts, [100, 10]);
      const refused = answers.findIndex(({ status }) => status === 429);
      const taken = answers.findIndex(({ status }) => status === 200);
      assert.equal((await live.ask({ type: "watch", game: games[taken] })).status, 200, "the same again");
      await live.ask({ type: "unwatch", game: games[taken] });
      assert.equal((await live.ask({ type: "watch", game: games[refused] })).status, 200, "one makes room");
    }));

  test("[LM2] a message that is too large closes only that connection", async () => {
    const [large, other] = [await LiveClient.open(server.url), await LiveClient.open(server.url)];
    large.socket.send(JSON.stringify({ id: 1, type: "auth", token: "x".repeat(20_000) }));
    assert.equal(await large.closed(), 1009);
    assert.equal((await other.ask({ type: "ping" })).status, 200);
    other.close();
  });

  test("[LM5] a message in too many fragments closes that connection", async () => {
    const live = await LiveClient.open(server.url);
    for (const _ of range(40)) live.socket.send("", { fin: false });
    assert.equal(await live.closed(), 1008);
  });

  test("[LM1] broken frames close only that connection", async () => {
    const [broken, other] = [await LiveClient.open(server.url), await LiveClient.open(server.url)];
    (broken.socket as Json)._socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x00, 0x00]));
    await broken.closed();
    assert.equal((await other.ask({ type: "ping" })).status, 200);
    other.close();
  });
});
