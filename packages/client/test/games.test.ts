import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Game, GameChange } from "@openseat/protocol";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { OpenseatError } from "../src/index.ts";
import { refusal, Stage, uncalled } from "./support/stage.ts";

suite("games and queues", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  const person = (name: string) => stage.client({ token: tokenOf(name) });

  test("a game is created, listed, read, joined, left and ended", async () => {
    const ann = person("ann");
    const made = await ann.games.create({ title: "Friday", maxPlayers: 1, waitlist: true });
    assert.equal(made.status, "OPEN");
    const game = ann.game(made.id);
    assert.deepEqual(await game.get(), made);
    const { games } = await ann.games.list({ status: "OPEN", limit: 500 });
    assert.ok(games.some(({ id }) => id === made.id));
    assert.equal((await game.canJoin()).canJoin, true);
    const joined = await game.join();
    assert.deepEqual([joined.participant.userId, joined.game.yourPosition], ["ann", 1]);
    const waiting = await person("bob").game(made.id).join();
    assert.deepEqual([waiting.participant.status, waiting.game.yourPosition], ["WAITING", 1]);
    assert.equal((await game.leave()).currentPlayers, 1);
    const first = await game.participants({ limit: 1 });
    const second = await game.participants({ limit: 1, cursor: first.nextCursor! });
    assert.deepEqual(
      [...first.participants, ...second.participants].map(({ userId, status }) => [userId, status]),
      [
        ["ann", "LEFT"],
        ["bob", "ACTIVE"],
      ],
    );
    assert.equal((await game.end()).status, "ENDED");
  });

  test("[GM10] [LS2] [RM8] participants are listed by name, keep their places and can be removed; all kinds of room can be ended", async () => {
    const ann = person("ann");
    const { id } = await ann.games.create({ title: "Cards", maxPlayers: 2, heartbeatTimeoutSeconds: 60 });
    const bob = person("bob").game(id);
    const { participant } = await bob.join();
    assert.deepEqual(await bob.heartbeat(), { participant, yourPosition: null });
    assert.deepEqual((await bob.participants({ present: true })).participants, [participant]);
    assert.equal((await ann.game(id).remove("bob")).currentPlayers, 0);
    const arena = await ann.arenas.create({ title: "Arena", game: "tic-tac-toe" });
    assert.equal((await ann.arena(arena.id).end()).id, arena.id);
    const ladder = await ann.ladders.create({ title: "Ladder" });
    assert.equal((await ann.ladder(ladder.id).end()).createdBy, "ann");
  });

  test("a refusal is an error with the server's code, status and data", async () => {
    const ann = person("ann");
    const { id } = await ann.games.create({ title: "Small", maxPlayers: 1 });
    await ann.game(id).join();
    await assert.rejects(person("bob").game(id).join(), (error) => {
      assert.ok(error instanceof OpenseatError);
      assert.deepEqual([error.code, error.status, error.retryable], ["room.full", 400, false]);
      assert.deepEqual(error.data, { currentPlayers: 1, maxPlayers: 1, availableSlots: 0 });
      assert.match(error.message, /full/);
      return true;
    });
    await assert.rejects(ann.game("../queues").get(), refusal("input.invalid", 400));
  });

  test("watching delivers the game, then each change with the game after it", async () => {
    const ann = person("ann");
    const { id } = await ann.games.create({ title: "Watched", maxPlayers: 2 });
    const seen: [Game, readonly GameChange[]][] = [];
    const stop = ann.game(id).watch((game, changes) => void seen.push([game, changes]));
    await until("the view", () => seen.length === 1);
    assert.deepEqual(seen[0], [await ann.game(id).get(), []]);
    assert.equal(ann.connection, "open");
    for (const name of ["ann", "bob"]) await person(name).game(id).join();
    await until("both joins", () => seen.length === 3);
    assert.deepEqual(
      seen.slice(1).map(([{ currentPlayers, status }, changes]) => [currentPlayers, status, changes.length]),
      [
        [1, "OPEN", 1],
        [2, "FULL", 2],
      ],
    );
    assert.deepEqual(seen[2][0], await ann.game(id).get());
    stop();
    await ann.game(id).leave();
    await person("bob").game(id).leave();
    assert.equal(seen.length, 3, "nothing is received after stopping");
  });

  test("a later watcher gets the game at once, over the same connection", async () => {
    const ann = person("ann");
    const { id } = await ann.games.create({ title: "Shared", maxPlayers: 9 });
    const received: string[] = [];
    ann.game(id).watch(({ currentPlayers }) => void received.push(`first ${currentPlayers}`));
    await until("the first view", () => received.length === 1);
    const opened = stage.network.opened;
    const stop = ann.game(id).watch(({ currentPlayers }) => void received.push(`second ${currentPlayers}`));
    assert.equal(received.length, 1, "no call before the caller can stop it");
    await until("the second view", () => received.length === 2);
    await stage.server.client.join(id, "bob");
    await until("both see bob", () => received.length === 4);
    stop();
    await stage.server.client.join(id, "cem");
    await until("one sees cem", () => received.length === 5);
    assert.deepEqual(received, ["first 0", "second 0", "first 1", "second 1", "first 2"]);
    assert.equal(stage.network.opened, opened);
  });

  test("stopping and watching again at once delivers the whole game and no earlier changes", async () => {
    const ann = person("ann");
    const { id } = await ann.games.create({ title: "Again", maxPlayers: 100 });
    const game = ann.game(id);
    let stop = game.watch(() => {});
    for (let round = 0; round < 5; round++) {
      const seen: [number, number][] = [];
      stop();
      stop = game.watch(({ currentPlayers }, { length }) => void seen.push([currentPlayers, length]));
      await stage.server.client.join(id, `player-${round}`);
      await until("the join", () => seen.at(-1)?.[0] === round + 1);
      const [[first, changes], ...rest] = seen;
      assert.equal(changes, 0);
      assert.deepEqual(
        rest,
        Array.from({ length: round + 1 - first }, (_, index) => [first + index + 1, 1]),
      );
    }
  });

  test("an error in a listener is reported and does not affect the others", async () => {
    const errors: unknown[] = [];
    const ann = stage.client({ token: tokenOf("ann"), onError: (error) => void errors.push(error) });
    const { id } = await ann.games.create({ title: "Careless", maxPlayers: 9 });
    let received = 0;
    ann.game(id).watch(() => {
      throw new Error("careless");
    });
    ann.game(id).watch(() => void received++);
    ann.onConnection(() => {
      throw new Error("careless too");
    });
    await until("the view", () => received === 1);
    await stage.server.client.join(id, "bob");
    await until("the change", () => received === 2);
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      ["careless too", "careless", "careless"],
    );
  });

  test("watching an unknown game is refused by the callback, and by onError only without one", async () => {
    const errors: unknown[] = [];
    const ann = stage.client({ onError: (error) => void errors.push(error) });
    const refused: OpenseatError[] = [];
    ann.game("nowhere").watch(uncalled, (error) => void refused.push(error));
    ann.game("not an id").watch(uncalled);
    await until("both refusals", () => refused.length + errors.length === 2);
    assert.ok(refusal("room.not-found", 404)(refused[0]));
    assert.ok(refusal("input.invalid", 400)(errors[0]));
    const { id } = await person("ann").games.create({ title: "There", maxPlayers: 9 });
    const seen: Game[] = [];
    ann.game(id).watch((game) => void seen.push(game));
    await until("another room still works", () => seen.length === 1);
  });

  test("[FD5] a service watches what happens in a queue", async () => {
    const { operatorKey, serviceKey, client } = stage.server;
    const body = { id: "watched", title: "Watched", maxActive: 1 };
    await client.post("/api/v1/queues", { token: operatorKey, body });
    const service = stage.client({ token: serviceKey });
    const seen: [number, number, string][] = [];
    service.queue("watched").watch(({ waiting, admitted, status }, changes) => {
      seen.push([waiting, admitted, [status, ...changes.map(({ type }) => type)].join(" ")]);
    });
    await until("the view", () => seen.length === 1);
    for (const name of ["ann", "bob"])
      await client.post("/api/v1/queues/watched/positions", { token: tokenOf(name) });
    await client.post("/api/v1/queues/watched/pause", { token: operatorKey });
    await until("three changes", () => seen.length === 4);
    await stage.client({ token: operatorKey }).queue("watched").end();
    await until("the end", () => seen.length === 5);
    assert.deepEqual(seen, [
      [0, 0, "OPEN"],
      [0, 1, "OPEN entered admitted"],
      [1, 1, "OPEN entered"],
      [1, 1, "PAUSED settings-changed"],
      [0, 0, "ENDED queue-ended"],
    ]);
  });

  test("queues are listed and read", async () => {
    const body = { id: "shop", title: "The shop", maxActive: 2 };
    await stage.server.client.post("/api/v1/queues", { token: stage.server.operatorKey, body });
    const anyone = stage.client();
    assert.equal((await anyone.queue("shop").get()).title, "The shop");
    const { queues } = await anyone.queues.list({ status: "OPEN" });
    assert.deepEqual(
      queues.map(({ id }) => id),
      ["shop"],
    );
    assert.equal(anyone.me, undefined, "reading creates no guest");
  });
});
