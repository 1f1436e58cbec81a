import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Duel } from "@openseat/client";
import {
  type DuelsSeen,
  dropLabel,
  duelsAnnouncement,
  endWords,
  handsShown,
  isYours,
  nicknameIn,
  openWords,
  rememberedLadder,
  titleOf,
  yoursFirst,
} from "../../src/chat/duels/duels.ts";

const open: Duel = {
  id: "1",
  status: "OPEN",
  opponent: "Bob",
  yourThrow: null,
  hasOpponentThrown: true,
  opponentThrow: null,
  result: null,
  ladder: null,
  offeredLadder: null,
  reason: null,
  at: "2030-01-01T12:00:00.000Z",
};
const thrown: Duel = { ...open, id: "2", yourThrow: "rock", hasOpponentThrown: false };
const untouched: Duel = { ...open, id: "3", hasOpponentThrown: false };
const won: Duel = {
  ...open,
  status: "FINISHED",
  yourThrow: "rock",
  opponentThrow: "scissors",
  result: "won",
};
const dropped = (reason: Duel["reason"]): Duel => ({ ...thrown, status: "DROPPED", yourThrow: null, reason });

describe("open duels", () => {
  test("[CH4] show whose turn it is and the viewer's own throw, but not the opponent's", () => {
    assert.deepEqual([open, thrown, untouched].map(openWords), [
      "Bob has thrown. What do you throw?",
      "You threw rock. It is secret until Bob throws too.",
      "Nobody has thrown yet.",
    ]);
    assert.deepEqual([open, thrown, untouched, won].map(isYours), [true, false, true, false]);
    assert.deepEqual([open, thrown, untouched].map(dropLabel), ["Decline", "Withdraw", "Cancel the duel"]);
  });

  test("duels that wait for the viewer come first, then the newest", () => {
    const order = yoursFirst([thrown, untouched, { ...thrown, id: "4" }, open]).map(({ id }) => id);
    assert.deepEqual(order, ["3", "1", "2", "4"]);
  });
});

describe("finished duels", () => {
  test("[CH4] show who won with which throw, or why there is no result", () => {
    assert.deepEqual(
      [won, { ...won, result: "lost" } as const, { ...won, result: "draw" } as const].map(endWords),
      ["You beat Bob", "Bob beat you", "You and Bob drew"],
    );
    assert.deepEqual(
      (["declined", "withdrawn", "gone", "crowded", "lapsed"] as const).map(dropped).map(endWords),
      [
        "The duel with Bob was declined",
        "The duel with Bob was withdrawn",
        "Bob has left, so the duel was cancelled",
        "The duel with Bob was cancelled: too many duels were open",
        "The duel with Bob was open for too long and expired",
      ],
    );
    assert.deepEqual([handsShown(won), handsShown(dropped("gone"))], ["Rock against scissors", ""]);
  });
});

describe("screen reader announcements of duels", () => {
  const seen = (more: Partial<DuelsSeen>): DuelsSeen => ({
    nickname: "ann",
    open: [],
    finished: [],
    ...more,
  });

  test("contain new challenges and results", () => {
    assert.equal(duelsAnnouncement(undefined, seen({ open: [open], finished: [won] })), "");
    assert.equal(duelsAnnouncement(seen({}), seen({ open: [open, thrown] })), "Bob challenges you.");
    assert.equal(duelsAnnouncement(seen({ open: [open] }), seen({ open: [open] })), "");
    assert.equal(duelsAnnouncement(seen({ open: [open] }), seen({ finished: [won] })), "You beat Bob.");
  });
});

test("a ladder is shown by its title, and the last choice is kept while it exists", () => {
  const ladders = [{ id: "chat", title: "Chat ladder" }];
  assert.deepEqual([titleOf("chat", ladders), titleOf("gone", ladders)], ["Chat ladder", "gone"]);
  assert.deepEqual(
    ["chat", "gone", null].map((id) => rememberedLadder(id, ladders)),
    ["chat", "", ""],
  );
});

test("a nickname may be typed with its @", () => {
  assert.deepEqual([" @Bob ", "Bob", "@", ""].map(nicknameIn), ["Bob", "Bob", "", ""]);
});
