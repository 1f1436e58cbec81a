import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Game, Replay } from "@openseat/client";
import { exampleOf } from "../../src/app/logic/example.ts";
import { commandOf, endingOf, sightAt, stepAfter, stepWords } from "../../src/app/logic/replaying.ts";
import { tellsMore, toldBy } from "../../src/app/logic/rounds.ts";
import { routeOf } from "../../src/app/logic/route.ts";
import { gameCall, seatRow } from "../../src/app/logic/seats.ts";
import { ended, sight, throwing, ticTacToe } from "./stage.ts";

test("addresses lead to pages, and others nowhere", () => {
  assert.deepEqual(routeOf("/"), { page: "home" });
  assert.deepEqual(routeOf("/games/g1"), { page: "game", game: "g1" });
  assert.deepEqual(routeOf("/arenas/ttt/"), { page: "arena", arena: "ttt" });
  assert.deepEqual(routeOf("/arenas/ttt/matches/12"), { page: "replay", arena: "ttt", match: "12" });
  assert.deepEqual([routeOf("/chat"), routeOf("/duels/")], [{ page: "chat" }, { page: "duels" }]);
  for (const path of [
    "/chat/1",
    "/duels/1",
    "/games",
    "/arenas/ttt/matches",
    "/arenas/ttt/other/1",
    "/x",
    "/games/a/b",
  ])
    assert.deepEqual(routeOf(path), { page: "nowhere" }, path);
});

test("the example is for this very server", () => {
  assert.match(exampleOf("http://there:1"), /curl http:\/\/there:1\/api\/v1\/arenas/);
});

describe("a replay", () => {
  const marked = { ...sight, cells: sight.cells.with(0, "X"), marked: [0] };
  const replay: Replay = {
    match: ended,
    game: ticTacToe,
    start: sight,
    moves: [{ label: "X", move: "a1", at: ended.startedAt, sight: marked }],
  };
  test("shows the table before and after each move, with words", () => {
    assert.deepEqual([sightAt(replay, 0), sightAt(replay, 1)], [sight, marked]);
    assert.equal(stepWords(replay, 0), "Before the first move");
    assert.equal(stepWords(replay, 1), "Ann (X) played row 1, column 1");
    assert.equal(endingOf(replay), "Ann wins. It took 5 moves and 1 minute.");
    assert.equal(endingOf({ ...replay, game: null }), "Ann wins. It took 1 minute.");
  });
  test("is moved through by keys, never past its ends", () => {
    const keys = ["Home", "ArrowLeft", "ArrowRight", "End"] as const;
    const go = (step: number) =>
      keys.map((key) => stepAfter(commandOf(key) as Parameters<typeof stepAfter>[0], step, 5));
    assert.deepEqual(go(0), [0, 0, 1, 5]);
    assert.deepEqual(go(5), [0, 4, 5, 5]);
    assert.equal(commandOf(" "), "play");
    assert.equal(commandOf("Tab"), undefined);
  });
});

describe("rounds of a game of choices", () => {
  test("are told by what was chosen, the newest first", () => {
    const rounds = [
      { number: 2, chosen: ["paper", "paper"], winner: null },
      { number: 3, chosen: ["paper", "scissors"], winner: 1 },
    ];
    assert.deepEqual(toldBy({ notes: ["Round 3: scissors beats paper."], rounds }, ["A", "B"]), [
      { number: 3, chosen: ["paper", "scissors"], winner: "B", note: "" },
      { number: 2, chosen: ["paper", "paper"], winner: undefined, note: "" },
    ]);
  });
  test("a game that tells none is told in its own words", () => {
    assert.deepEqual(toldBy({ notes: ["Check.", "Mate."] }, ["A", "B"]), [
      { number: 2, chosen: [], winner: undefined, note: "Mate." },
      { number: 1, chosen: [], winner: undefined, note: "Check." },
    ]);
  });
  test("a game with a board has its score and its notes shown too, and nothing when it has neither", () => {
    const board = { choices: [] };
    assert.equal(tellsMore(board, { notes: [], score: [] }), false);
    assert.equal(tellsMore(board, { notes: ["Check."], score: [] }), true);
    assert.equal(tellsMore(board, { notes: [], score: [2, 2] }), true);
    assert.equal(tellsMore(throwing, { notes: [], score: [] }), true);
  });
});

describe("the page of a game", () => {
  const game: Game = {
    id: "g",
    title: "Quiz",
    status: "OPEN",
    currentPlayers: 12,
    maxPlayers: 50,
    availableSlots: 38,
    waitlist: true,
    waiting: 0,
    endTime: null,
    heartbeatTimeoutSeconds: null,
    createdBy: null,
    createdAt: ended.startedAt,
  };
  const full: Game = { ...game, status: "FULL", currentPlayers: 50, availableSlots: 0, waiting: 3 };

  test("says what one can do, in every state", () => {
    const said = [
      gameCall(game, "none", undefined),
      gameCall(game, "seated", undefined),
      gameCall(full, "none", undefined),
      gameCall({ ...full, waitlist: false }, "none", undefined),
      gameCall(full, "waiting", 4),
      gameCall(full, "waiting", 1),
      gameCall({ ...game, status: "ENDED" }, "none", undefined),
    ].map(({ headline, detail, way, leave }) => [headline, detail, way ?? leave]);
    assert.deepEqual(said, [
      ["38 seats are free", "12 of 50 are taken.", "Join"],
      ["You are in", "38 seats are free.", "Leave"],
      ["The game is full (50 of 50)", "You can wait: 3 people are ahead of you.", "Wait in line"],
      ["The game is full (50 of 50)", "A seat may become free: this page shows it at once.", undefined],
      ["Position 4", "3 people are ahead of you.", "Leave the line"],
      ["You are next", "The next seat that becomes free is yours.", "Leave the line"],
      ["This game has ended", "12 people took part.", undefined],
    ]);
  });

  test("draws seats one by one, and many of them bounded", () => {
    const drawn = (currentPlayers: number, maxPlayers: number) => {
      const { taken, each } = seatRow({ currentPlayers, maxPlayers });
      return [taken.length, taken.filter((it) => it).length, each];
    };
    assert.deepEqual(drawn(12, 50), [50, 12, 1]);
    assert.deepEqual(drawn(0, 1), [1, 0, 1]);
    assert.deepEqual(drawn(1, 1), [1, 1, 1]);
    assert.deepEqual(drawn(0, 1_000_000), [100, 0, 10_000]);
    assert.deepEqual(drawn(1, 1_000_000), [100, 1, 10_000]);
    assert.deepEqual(drawn(999_999, 1_000_000), [100, 99, 10_000], "one seat is free, and that shows");
    assert.deepEqual(drawn(1_000_000, 1_000_000), [100, 100, 10_000]);
  });
});
