import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Game, GameChange } from "@openseat/protocol";
import { until } from "../../server/test/support/http.ts";
import { freePort } from "../../server/test/support/ports.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { onStage, seeded, sharedStorage, shortly } from "./support/stage.ts";

const cutsMin = 60;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

suite("a network that breaks", () => {
  test("every change arrives once and in order over 60 random disconnects", (t) =>
    onStage(async (stage) => {
      const seed = Date.now() % 1_000_000;
      t.diagnostic(`seed ${seed}`);
      const random = seeded(seed);
      const { client } = stage.server;
      const game = await client.newGame({ maxPlayers: 100_000 });
      const received: string[] = [];
      let last: Game | undefined;
      let calls = 0;
      const watcher = stage.client({ random: shortly(random) });
      watcher.game(game).watch((view, changes) => {
        calls++;
        for (const change of changes) received.push(nameOf(change));
        last = view;
      });
      await until("the first view", () => last !== undefined);
      const expected: string[] = [];
      let cuts = 0;
      let players = 0;
      while (cuts < cutsMin) {
        const person = `player-${players++}`;
        const joining = client.join(game, person);
        if (random() < 0.5) {
          if (random() < 0.5) await pause(random() * 12);
          if (stage.network.open > 0) cuts++;
          stage.network.cut();
        }
        const { participant } = (await joining).body.data;
        expected.push(`joined ${participant.id}`);
        if (random() < 0.3) {
          await client.leave(game, person);
          expected.push(`left ${participant.id}`);
        }
        // Wait for the reconnect: cutting a lost connection would test nothing.
        if (random() < 0.8) await until("a connection", () => stage.network.open > 0);
      }
      await until("the last change", () => received.length >= expected.length);
      assert.deepEqual(received, expected);
      assert.deepEqual(last, (await client.look(game)).game);
      t.diagnostic(`${cuts} cuts, ${expected.length} changes in ${calls} calls`);
    }));

  test("a lost answer does not make anyone join twice", () =>
    onStage(async (stage) => {
      const { client } = stage.server;
      const game = await client.newGame({ maxPlayers: 1_000 });
      for (let round = 0; round < 9; round++) {
        const person = stage.client({ token: tokenOf(`person-${round}`) }).game(game);
        stage.network.answersToLose = 1 + (round % 3);
        const { participant } = await person.join();
        assert.equal(stage.network.answersToLose, 0);
        assert.equal(participant.userId, `person-${round}`);
        stage.network.answersToLose = 1;
        await person.leave();
      }
      const participants = await client.participants(game);
      assert.deepEqual(
        participants.map(({ userId, status }) => [userId, status]),
        Array.from({ length: 9 }, (_, round) => [`person-${round}`, "LEFT"]),
      );
    }));

  test("watching, joining and the guest survive a restart of the server", () =>
    onStage(async (stage) => {
      const port = String(await freePort());
      stage.server = await stage.server.restart(["--port", port]);
      const watcher = stage.client({ url: stage.server.url });
      const me = await watcher.guest();
      const { id } = await watcher.games.create({ title: "Lasting", maxPlayers: 10 });
      const received: string[] = [];
      const connections: string[] = [];
      let views = 0;
      watcher.onConnection((connection) => void connections.push(connection));
      watcher.game(id).watch((_, changes) => {
        views++;
        for (const change of changes) received.push(nameOf(change));
      });
      await until("the first view", () => views === 1);
      stage.server = await stage.server.restart();
      assert.equal(new URL(stage.server.url).port, port);
      const { participant } = await watcher.game(id).join();
      assert.equal(participant.userId, me.id);
      await until("the join", () => received.length === 1);
      assert.deepEqual([received, watcher.connection], [[`joined ${participant.id}`], "open"]);
      assert.deepEqual(connections, ["connecting", "open", "lost", "open"]);
    }));

  test("requests during a server outage are answered after it", () =>
    onStage(async (stage) => {
      const game = await stage.server.client.newGame();
      const ann = stage.client({ token: tokenOf("ann") });
      stage.network.lead("http://127.0.0.1:1");
      const joining = ann.game(game).join();
      await until("a few attempts", () => stage.network.opened >= 3);
      stage.network.lead(stage.server.url);
      assert.equal((await joining).participant.status, "ACTIVE");
    }));

  test("ten tabs of one person share one place, and every tab sees every change despite disconnects", (t) =>
    onStage(async (stage) => {
      const random = seeded(Date.now() % 1_000_000);
      const storage = sharedStorage();
      const tabs = Array.from({ length: 10 }, () => stage.client({ storage, random: shortly(random) }));
      const game = await stage.server.client.newGame({ maxPlayers: 1_000 });
      const seen = tabs.map((tab) => {
        const all = { views: 0, changes: [] as string[] };
        tab.game(game).watch((_, changes) => {
          all.views++;
          all.changes.push(...changes.map(nameOf));
        });
        return all;
      });
      // Wait for the first view too: players who join before it are part of it and not changes.
      await until("the first view in every tab", () => seen.every(({ views }) => views > 0));
      const joins = await Promise.allSettled(tabs.map((tab) => tab.game(game).join()));
      assert.deepEqual(joins.map(({ status }) => status).sort(), [
        "fulfilled",
        ...Array.from({ length: 9 }, () => "rejected"),
      ]);
      for (let other = 0; other < 30; other++) {
        await stage.server.client.join(game, `other-${other}`);
        if (random() < 0.3) stage.network.cut();
      }
      const expected = (await stage.server.client.participants(game)).map(({ id }) => `joined ${id}`);
      await until("every change in every tab", () => seen.every(({ changes }) => changes.length >= 31));
      for (const { changes } of seen) assert.deepEqual(changes, expected);
      t.diagnostic(`${stage.network.opened} connections`);
    }));
});

function nameOf(change: GameChange): string {
  if (change.type === "status-changed") return change.type;
  return `${change.type.replace("player-", "")} ${change.player.participantId}`;
}
