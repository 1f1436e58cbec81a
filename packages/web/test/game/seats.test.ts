import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Game } from "@openseat/client";
import { gameCall, seatRow } from "../../src/game/seats.ts";

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
    createdAt: "2030-01-01T12:00:00.000Z",
  };
  const full: Game = { ...game, status: "FULL", currentPlayers: 50, availableSlots: 0, waiting: 3 };

  test("shows the possible actions in every state", () => {
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
      ["The game is full (50 of 50)", "If a seat becomes free, this page shows it at once.", undefined],
      ["Position 4", "3 people are ahead of you.", "Leave the line"],
      ["You are next", "The next free seat is yours.", "Leave the line"],
      ["This game has ended", "12 people took part.", undefined],
    ]);
  });

  test("draws each seat, up to a maximum", () => {
    const drawn = (currentPlayers: number, maxPlayers: number) => {
      const { taken, each } = seatRow({ currentPlayers, maxPlayers });
      return [taken.length, taken.filter((it) => it).length, each];
    };
    assert.deepEqual(drawn(12, 50), [50, 12, 1]);
    assert.deepEqual(drawn(0, 1), [1, 0, 1]);
    assert.deepEqual(drawn(1, 1), [1, 1, 1]);
    assert.deepEqual(drawn(0, 1_000_000), [100, 0, 10_000]);
    assert.deepEqual(drawn(1, 1_000_000), [100, 1, 10_000]);
    assert.deepEqual(drawn(999_999, 1_000_000), [100, 99, 10_000], "the only free seat is shown");
    assert.deepEqual(drawn(1_000_000, 1_000_000), [100, 100, 10_000]);
  });
});
