import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ArenaGame, Openseat, type Sight } from "@openseat/client";
import { goodMove } from "../../src/demo/bot-moves.ts";
import { within } from "../support/http.ts";
import { waitMsMax } from "../support/patience.ts";
import { startServer } from "../support/server.ts";

const lookMs = 100;

const cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"].map((move) => ({ name: move, move }));
const ticTacToe = { columns: 3, cells } as unknown as ArenaGame;
const drop = { columns: 2, cells: ["a", "b", "a", "b", "a", "b"].map((move) => ({ name: move, move })) };

function sightOf(row: string): Sight {
  const labels = [...row].map((label) => (label === "." ? null : label));
  return { cells: labels, marked: [], score: [], notes: [], chosen: null };
}
const free = (row: string) => cells.filter((_, index) => row[index] === ".").map(({ move }) => move);

describe("a bot", () => {
  for (const chance of [0, 0.3]) {
    const random = () => chance;
    const choice = (row: string) => goodMove(ticTacToe, sightOf(row), "X", free(row), random);

    test(`completes its own row rather than block another, at chance ${chance}`, () => {
      assert.equal(choice("XX.OO...."), "c1");
    });

    test(`blocks a row that is about to be complete, at chance ${chance}`, () => {
      assert.equal(choice("O..XO...."), "c3");
    });

    test(`knows that things fall, at chance ${chance}`, () => {
      const game = drop as unknown as ArenaGame;
      assert.equal(goodMove(game, sightOf("..X.X."), "X", ["a", "b"], random), "a");
    });
  }

  test("guesses if there is no board", () => {
    const game = { columns: 0, cells: [] } as unknown as ArenaGame;
    const moves = ["rock", "paper", "scissors"];
    const random = [0.1, 0.9, 0.5].values();
    assert.equal(
      goodMove(game, sightOf(""), "A", moves, () => random.next().value!),
      "paper",
    );
  });
});

describe("demo rooms", () => {
  async function roomsOf(url: string) {
    const openseat = new Openseat({ url });
    const { arenas } = await openseat.arenas.list();
    const { games } = await openseat.games.list();
    const { queues } = await openseat.queues.list();
    openseat.close();
    return { arenas: arenas.map(({ id }) => id), games: games.length, queues: queues.length };
  }

  test("are created once of each kind on an empty folder, and not at all with --no-demo", async () => {
    const server = await startServer(["--demo"]);
    const made = {
      arenas: ["tic-tac-toe", "connect-four", "rock-paper-scissors"],
      games: 1,
      queues: 1,
    };
    assert.deepEqual(await roomsOf(server.url), made);
    const again = await server.restart();
    assert.deepEqual(await roomsOf(again.url), made);
    await again.stop();
    const bare = await startServer();
    assert.deepEqual(await roomsOf(bare.url), { arenas: [], games: 0, queues: 0 });
    await bare.stop();
  });

  test("bots play in every demo arena through the public API, and a newcomer gets a turn", async () => {
    const server = await startServer(["--demo"]);
    const openseat = new Openseat({ url: server.url });
    const deadline = Date.now() + waitMsMax;
    const { arenas } = await openseat.arenas.list();
    for (const { id } of arenas) {
      const isPlayed = async () => {
        const { state } = await openseat.arena(id).get();
        return state.lastMatch !== null || (state.match?.moves ?? 0) >= 2;
      };
      while (!(await isPlayed())) {
        assert.ok(Date.now() < deadline, `nobody plays in ${id}`);
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    }
    await openseat.guest("Newcomer");
    const arena = openseat.arena("rock-paper-scissors");
    assert.equal((await arena.join()).position, 1);
    const turn = new Promise<void>((resolve) => {
      arena.watch(({ state }) => {
        if (state.you?.moves.length) resolve();
      });
    });
    await within("the newcomer's turn", turn);
    openseat.close();
    await server.stop();
  });
});
