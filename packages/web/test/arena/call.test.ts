import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, tabTitle } from "../../src/arena/call.ts";
import { ann, bob, cleo, ended, playing, seated, sight, throwing, viewOf, waiting } from "./stage.ts";

const nowMs = 1_000_000;
const calm = { me: undefined, aftermath: undefined, lost: undefined, nowMs };
const asAnn = { ...calm, me: ann.id };
const justEnded = { match: ended, endedAtMs: nowMs - 1_000 };

describe("the headline of an arena page", () => {
  test("for spectators: whose move it is, and a button to join the line", () => {
    const call = callOf(viewOf({ waiting: 3 }), calm);
    assert.deepEqual(call, {
      headline: "Ann to move",
      detail: "You are watching. 3 people in the line.",
      tone: "calm",
      way: "Join the line",
    });
  });

  test("for spectators of simultaneous moves: who plays", () => {
    const match = { ...playing.match!, toMove: ["X", "O"] };
    assert.equal(callOf(viewOf({ match }, throwing), calm).headline, "Ann against Bob");
  });

  test("a free seat, and who is waiting for an opponent", () => {
    const [first] = playing.players;
    const call = callOf(viewOf({ players: [first], match: null }), calm);
    assert.deepEqual([call.headline, call.way], ["A seat is free", "Take a seat"]);
    assert.match(call.detail, /Ann is waiting/);
    assert.match(callOf(viewOf({ players: [], match: null }), calm).detail, /Be the first/);
  });

  test("[LM7] an ended arena without any match offers no button", () => {
    const call = callOf(viewOf({ status: "ENDED", players: [], match: null }), calm);
    assert.deepEqual([call.headline, call.way], ["This arena has ended", undefined]);
  });

  test("in the line: the position, and who is next", () => {
    assert.equal(callOf(viewOf({ you: waiting(1) }), calm).headline, "You are next");
    const third = callOf(viewOf({ you: waiting(3) }), calm);
    assert.deepEqual(
      [third.headline, third.detail, third.way],
      ["Position 3", "2 people are ahead of you.", undefined],
    );
    assert.equal(callOf(viewOf({ you: waiting(2) }), calm).detail, "1 person is ahead of you.");
  });

  test("on a seat: your turn, or who has to move", () => {
    const mine = callOf(viewOf({ you: seated("X", ["a1"]) }), asAnn);
    assert.deepEqual([mine.headline, mine.tone], ["Your turn", "yours"]);
    const theirs = callOf(viewOf({ you: seated("O") }), { ...calm, me: bob.id });
    assert.deepEqual([theirs.headline, theirs.tone], ["Waiting for Ann", "calm"]);
    assert.equal(callOf(viewOf({ you: seated("X"), match: null }), asAnn).headline, "Waiting for a player");
  });

  test("a secret choice is shown to the player who made it", () => {
    const match = { ...playing.match!, toMove: ["O"], sight: { ...sight, chosen: "rock" } };
    const call = callOf(viewOf({ match, you: seated("X") }, throwing), asAnn);
    assert.deepEqual(
      [call.headline, call.detail],
      ["Waiting for Bob", "You chose rock. It stays secret until everyone has chosen."],
    );
  });

  test("a game that is played elsewhere", () => {
    const match = { ...playing.match!, toMove: [], sight: null };
    assert.equal(callOf(viewOf({ match, you: seated("X") }, null), asAnn).headline, "You play Bob");
  });
});

describe("after a match", () => {
  test("the loser sees who won, and that they go to the back of the line", () => {
    const view = viewOf({ you: waiting(3), lastMatch: ended });
    const call = callOf(view, { ...calm, me: bob.id, aftermath: justEnded });
    assert.deepEqual(
      [call.headline, call.detail, call.tone],
      ["Ann wins.", "You go to the back of the line: position 3.", "bad"],
    );
  });

  test("a winner who has to move at once sees that first", () => {
    const view = viewOf({ you: seated("X", ["a1"]), lastMatch: ended });
    const call = callOf(view, { ...asAnn, aftermath: justEnded });
    assert.deepEqual(
      [call.headline, call.detail, call.tone],
      ["Your turn", "You win. You play again.", "yours"],
    );
  });

  test("a winner who waits sees the new opponent", () => {
    const players = [
      playing.players[0],
      { label: "O", person: cleo, streak: 0, since: playing.players[0].since },
    ];
    const match = { ...playing.match!, toMove: ["O"] };
    const call = callOf(viewOf({ you: seated("X"), players, match }), { ...asAnn, aftermath: justEnded });
    assert.deepEqual(
      [call.headline, call.detail, call.tone],
      ["You win.", "You stay, and play Cleo.", "good"],
    );
  });

  test("why it ended, and why the place was lost", () => {
    const aftermath = { ...justEnded, match: { ...ended, reason: "move-timeout" as const } };
    const lost = "Your clock ran out twice in a row.";
    const call = callOf(viewOf(), { me: bob.id, aftermath, lost, nowMs });
    assert.equal(call.detail, `You ran out of time. ${lost}`);
    assert.equal(call.way, "Join the line");
    const later = callOf(viewOf(), { me: bob.id, aftermath, lost, nowMs: nowMs + 60_000 });
    assert.deepEqual([later.headline, later.detail], ["You lost your place", lost]);
  });

  test("after a while the page shows the present again", () => {
    const call = callOf(viewOf({ you: waiting(3) }), {
      ...calm,
      aftermath: justEnded,
      nowMs: nowMs + 10_000,
    });
    assert.equal(call.headline, "Position 3");
  });
});

test("the tab title shows what matters", () => {
  const titleOf = (view: ReturnType<typeof viewOf>) => tabTitle(view, callOf(view, asAnn));
  assert.equal(titleOf(viewOf()), "Lobby · Openseat");
  assert.equal(titleOf(viewOf({ you: seated("X", ["a1"]) })), "Your turn · Lobby · Openseat");
  assert.equal(titleOf(viewOf({ you: seated("O") })), "Playing · Lobby · Openseat");
  assert.equal(titleOf(viewOf({ you: waiting(1) })), "You are next · Lobby · Openseat");
});
