import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import type { ErrorCode, OpenseatError } from "../src/index.ts";
import type { LiveSocket } from "../src/live/live-socket.ts";
import { Watches } from "../src/live/watches.ts";
import { systemClock } from "../src/platform.ts";
import { onStage, refusal, Stage } from "./support/stage.ts";
import { WaitingRoom, withoutWebSocket } from "./support/waiting.ts";

suite("updates as an async iterator", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  const person = (name: string) => stage.client({ token: tokenOf(name) });

  test("yields the view, then each change; break stops the watch", async () => {
    const client = person("ann");
    const { id } = await client.games.create({ title: "Cards", maxPlayers: 2 });
    const seen: unknown[] = [];
    for await (const { game, changes } of client.game(id).updates()) {
      seen.push([game.currentPlayers, changes.map(({ type }) => type)]);
      if (seen.length === 1) await client.game(id).join();
      else break;
    }
    assert.deepEqual(seen, [
      [0, []],
      [1, ["player-joined"]],
    ]);
    const again = client.game(id).updates();
    assert.equal((await again.next()).value?.changes.length, 0);
    const waiting = again.next();
    await again.return!();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.deepEqual(await again.next(), { done: true, value: undefined });
  });

  test("a slow reader gets the latest view with all missed changes", async () => {
    const client = person("ann");
    const { id } = await client.games.create({ title: "Cards", maxPlayers: 9 });
    const updates = client.game(id).updates();
    await updates.next();
    let players = 0;
    const stop = client.game(id).watch(({ currentPlayers }) => {
      players = currentPlayers;
    });
    for (const name of ["bob", "cat", "dan"]) await person(name).game(id).join();
    await until("all of them", () => players === 3);
    stop();
    const { value } = await updates.next();
    assert.equal(value?.game.currentPlayers, 3);
    assert.deepEqual(
      value?.changes.map(({ type, ...change }) => [type, "player" in change && change.player?.userId]),
      ["bob", "cat", "dan"].map((name) => ["player-joined", name]),
    );
    await updates.return!();
  });

  test("every kind of room can be iterated over", async () => {
    const ann = person("ann");
    const arena = await ann.arenas.create({ title: "Lunch", game: "tic-tac-toe" });
    for await (const { state, changes, arena: terms } of ann.arena(arena.id).updates()) {
      if (changes.length === 0) await ann.arena(arena.id).join();
      else {
        assert.deepEqual([state.you?.label, terms.id], ["X", arena.id]);
        break;
      }
    }
    const ladder = await ann.ladders.create({ title: "Club" });
    for await (const { version, changes } of ann.ladder(ladder.id).updates()) {
      if (changes.length === 0) await ann.ladder(ladder.id).join();
      else {
        assert.deepEqual([version, changes[0].type], [2, "player-joined"]);
        break;
      }
    }
    for await (const { lines, changes } of ann.chat.updates()) {
      if (changes.length === 0) await ann.chat.say("help");
      else {
        assert.equal(lines[0].text, changes[0].text);
        break;
      }
    }
    const room = await WaitingRoom.open(stage);
    for await (const { queue, changes } of room.queue.updates()) {
      if (changes.length === 0) await room.enter("ann");
      else {
        assert.deepEqual([queue.admitted, changes.map(({ type }) => type)], [1, ["entered", "admitted"]]);
        break;
      }
    }
  });

  test("throws the error of a refused watch, once", async () => {
    const updates = person("ann").game("no-such-game").updates();
    await assert.rejects(updates.next(), refusal("room.not-found", 404));
    assert.deepEqual(await updates.next(), { done: true, value: undefined });
    await assert.rejects(
      async () => {
        for await (const _ of person("ann").queue("no-such-queue").updates());
      },
      refusal("auth.forbidden", 403),
    );
  });

  test("closing the client ends the iteration", async () => {
    const client = person("ann");
    const { id } = await client.games.create({ title: "Cards", maxPlayers: 2 });
    let views = 0;
    const over = (async () => {
      for await (const _ of client.game(id).updates()) views++;
    })();
    await until("the view", () => views === 1);
    client.close();
    await over;
    assert.equal(views, 1);
  });

  test("an iterator that is never used watches nothing", () => {
    const client = person("ann");
    client.game("any").updates();
    assert.equal(client.connection, "idle");
  });
});

test("a reader that is too slow gets only the latest view, because memory is bounded", async () => {
  const socket = { isPossible: true } as LiveSocket;
  const watches = new Watches({ socket, clock: systemClock, random: Math.random, report: () => {} });
  let push: (view: number, changes: readonly number[]) => void = () => {};
  const updates = watches.updates<number, number, [number, number]>(
    (onView) => {
      push = onView;
      return () => {};
    },
    (view, changes) => [view, changes.length],
  );
  const first = updates.next();
  push(0, []);
  assert.deepEqual((await first).value, [0, 0]);
  for (let view = 1; view <= 20_000; view++) push(view, [view]);
  assert.deepEqual((await updates.next()).value, [20_000, 20_000]);
  for (let view = 1; view <= 20_001; view++) push(view, [view]);
  assert.deepEqual((await updates.next()).value, [20_001, 0]);
});

suite("without a WebSocket", () => {
  test("a client can be created and can join, and watching fails with an error that says what to pass", () =>
    withoutWebSocket(() =>
      onStage(async (stage) => {
        const reported: unknown[] = [];
        const client = stage.client({ onError: (error) => void reported.push(error) });
        const { id } = await client.games.create({ title: "Cards", maxPlayers: 2 });
        await client.game(id).join();
        const isClear = (error: unknown) =>
          refusal("client.no-websocket", 0)(error) && /webSocket/.test((error as Error).message);
        await assert.rejects(client.game(id).updates().next(), isClear);
        await assert.rejects(client.chat.updates().next(), isClear);
        const refused = await new Promise<OpenseatError>((resolve) => {
          client.game(id).watch(() => {}, resolve);
        });
        assert.ok(isClear(refused));
        const stop = client.game(id).watch(
          () => {},
          () => assert.fail("It was stopped."),
        );
        stop();
        client.game(id).watch(() => {});
        await until("the report", () => reported.length === 1);
        assert.ok(isClear(reported[0]));
        assert.equal(client.connection, "idle");
      }),
    ));

  test("a WebSocket that is passed is used", () => {
    const { WebSocket } = globalThis;
    return withoutWebSocket(() =>
      onStage(async (stage) => {
        const client = stage.client({ webSocket: WebSocket });
        const { id } = await client.games.create({ title: "Cards", maxPlayers: 2 });
        const { value } = await client.game(id).updates().next();
        assert.equal(value?.game.id, id satisfies string);
      }),
    );
  });
});

test("a switch over codes type-checks, also with a code of the future", () => {
  const said = (code: ErrorCode) => {
    switch (code) {
      case "room.full":
        return "full";
      case "client.closed":
        return "closed";
      default:
        return String(code);
    }
  };
  assert.equal(said("code.of-the-future" as ErrorCode), "code.of-the-future");
});
