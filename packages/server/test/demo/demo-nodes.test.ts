import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaDecider,
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
} from "@openseat/kernel";
import { newArenaCommand } from "../../src/app/arenas/arenas.ts";
import { startDemoBots } from "../../src/demo/demo-bots.ts";
import { makeDemoRooms, noDemo } from "../../src/demo/demo-rooms.ts";
import { Nodes, type OneNode } from "../host/nodes.ts";
import { range, until } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { answered } from "../support/test-clock.ts";

const deciders = { game: gameDecider, queue: queueDecider, arena: arenaDecider, ladder: ladderDecider };

function streamsOf({ host }: OneNode) {
  return {
    games: host.streams<GameRoom, GameCommand, GameEvent>("game"),
    queues: host.streams<QueueRoom, QueueCommand, QueueEvent>("queue"),
    arenas: host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena"),
    ladders: host.streams<Ladder, LadderCommand, LadderEvent>("ladder"),
  };
}

const arenas = ["tic-tac-toe", "connect-four", "rock-paper-scissors"];
const made = { game: "demo", queue: "demo", arenas, ladder: "demo" };

/** All rooms by kind, newest first, with the number of writes to each. */
async function roomsOn({ store }: Nodes) {
  const kinds = ["ladder", "game", "queue", "arena"];
  const listed = await Promise.all(kinds.map((kind) => store.list({ kind, limit: 100 })));
  return Promise.all(
    listed.flat().map(async ({ stream }) => [stream, (await store.head(stream))?.version] as const),
  );
}

const onceEach = [
  ["ladder/demo", 1],
  ["game/demo", 1],
  ["queue/demo", 1],
  ...arenas.map((id) => [`arena/${id}`, 1]),
];

describe("demo rooms on several nodes", () => {
  for (const count of [2, 5])
    test(`[CL2] are created once when ${count} nodes start on one empty log, and all nodes know them`, async () => {
      const nodes = new Nodes();
      const all = await Promise.all(range(count).map(() => nodes.start({ deciders })));
      const demos = await answered(Promise.all(all.map((node) => makeDemoRooms(streamsOf(node)))));
      for (const demo of demos) assert.deepEqual(demo, made);
      assert.deepEqual(await roomsOn(nodes), onceEach);
      for (const node of all) await node.stop();
      assert.deepEqual(
        all.flatMap(({ errors }) => errors),
        [],
      );
    });

  test("[CL2] [CL3] the next node creates the rooms that a crashed one has not created", async () => {
    const nodes = new Nodes();
    const [first, second] = [await nodes.start({ deciders }), await nodes.start({ deciders })];
    // Keeps only what it had created before it stopped.
    const command = newArenaCommand({ title: "Rock", game: "rock-paper-scissors" }, "@operator");
    await answered(streamsOf(first).arenas.ask("rock-paper-scissors", { command, by: "@operator" }));
    first.crash();
    assert.deepEqual((await answered(makeDemoRooms(streamsOf(second)))).arenas, arenas);
    assert.deepEqual(await roomsOn(nodes), onceEach);
    await second.stop();
  });

  test("are not created if somebody has created an arena", async () => {
    const nodes = new Nodes();
    const node = await nodes.start({ deciders });
    const streams = streamsOf(node);
    const command = newArenaCommand({ title: "Ours", game: "tic-tac-toe" }, "@operator");
    await answered(streams.arenas.ask("ours", { command, by: "@operator" }));
    assert.deepEqual((await answered(makeDemoRooms(streams))).arenas, []);
    await node.stop();
  });
});

describe("demo bots on several nodes", () => {
  test("[CL2] play from one node only, and follow the leader when it changes", async (context) => {
    const server = await startServer();
    const { client, url, operatorKey: token } = server;
    const body = { id: "a", title: "Tic-tac-toe", game: "tic-tac-toe" };
    assert.equal((await client.call("/api/v1/arenas", { method: "POST", token, body })).status, 201);
    const arena = async () => (await client.call("/api/v1/arenas/a")).body.data.state;
    const isThere = async (players: number, waiting: number) => {
      const state = await arena();
      return state.players.length === players && state.waiting === waiting;
    };
    const errors: unknown[] = [];
    const demo = { ...noDemo, arenas: ["a"] };
    const elsewhere = startDemoBots(url, demo, (error) => void errors.push(error), false);
    const here = startDemoBots(url, demo, (error) => void errors.push(error), true);
    context.after(async () => {
      elsewhere.stop();
      here.stop();
      await server.stop();
    });
    await until("two play", () => isThere(2, 0));
    here.play(false);
    elsewhere.play(true);
    elsewhere.play(true);
    await until("two others have come", () => isThere(2, 2));
    const live = async () =>
      /^openseat_live_connections (\d+)$/m.exec((await client.call("/metrics")).text)?.[1];
    await until("the first have gone", async () => (await live()) === "2");
    assert.deepEqual(errors, []);
  });
});
