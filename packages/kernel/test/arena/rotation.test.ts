import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultLanes } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { ArenaStage, configure, join, leave, only, playTicTacToe } from "./stage.ts";

describe("the winner stays", () => {
  test("[AR5] the loser goes to the back with a new ticket, the front takes the loser's label, a new match starts", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob", "cid", "dan");
    const [winner, loser] = [stage.ticketOf("ann"), stage.ticketOf("bob")];
    const events = playTicTacToe(stage, "X");
    assert.deepEqual(typesOf(events), ["moved", "ended", "left", "entered", "seated", "started"]);
    assert.equal(only(events, "left")[0].reason, "lost");
    assert.equal(stage.scene, "X ann, O cid | dan bob");
    assert.equal(stage.ticketOf("ann"), winner);
    assert.ok(stage.ticketOf("bob") > loser);
    assert.equal(stage.room.match?.number, 2);
    playTicTacToe(stage, "O");
    assert.equal(stage.scene, "X dan, O cid | bob ann");
  });

  test("[AR5] without a line the two play again on the same labels, the loser with a new ticket", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob");
    playTicTacToe(stage, "O");
    assert.equal(stage.scene, "X ann, O bob |");
    assert.deepEqual([stage.ticketOf("ann"), stage.ticketOf("bob")], [3, 2]);
    assert.equal(stage.room.match?.number, 2);
    assert.deepEqual(stage.streaks, { ann: 0, bob: 1 });
  });

  test("[AR5] a player who resigns loses and goes to the back, and the opponent stays", () => {
    const stage = new ArenaStage({ game: "connect-four" }).join("ann", "bob", "cid");
    const events = stage.resign("ann");
    assert.equal(only(events, "left")[0].reason, "lost");
    assert.equal(stage.result.winner, 1);
    assert.equal(stage.scene, "Red cid, Yellow bob | ann");
    assert.deepEqual(stage.streaks, { cid: 0, bob: 1 });
  });

  test("[AR5] a player who leaves is gone, and the opponent wins", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    const events = stage.do(leave("bob"));
    assert.deepEqual(
      only(events, "left").map(({ person, reason }) => [person, reason]),
      [["bob", "left"]],
    );
    assert.deepEqual([stage.result.winner, stage.result.reason], [0, "left"]);
    assert.equal(stage.scene, "X ann, O cid |");
    assert.deepEqual(stage.streaks, { ann: 1, cid: 0 });
  });

  test("[AR5] a streak counts ten wins in a row, and ends with the first loss", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    for (let wins = 1; wins <= 10; wins++) {
      stage.report("X");
      assert.equal(stage.streaks.ann, wins);
    }
    stage.report("O");
    assert.equal(stage.line.at(-1), "ann");
    stage.report("O");
    assert.equal(stage.streaks.ann, 0, "back on a seat with no wins");
  });
});

describe("after a draw", () => {
  test("[AR6] the player seated longest goes to the back", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob", "cid", "dan");
    const events = playTicTacToe(stage, null);
    assert.equal(only(events, "left")[0].reason, "completed");
    assert.equal(stage.scene, "X cid, O bob | dan ann");
    playTicTacToe(stage, null);
    assert.equal(stage.scene, "X cid, O dan | ann bob");
  });

  test("[AR6] longest on a seat, not in the arena: a loser who is seated again starts anew", () => {
    const stage = new ArenaStage().join("ann", "bob");
    stage.report("O");
    stage.join("cid");
    stage.report(null);
    assert.equal(stage.scene, "X ann, O cid | bob");
  });

  test("[AR6] longest on a seat, not in the arena: premium joined last, was seated first and leaves first", () => {
    const stage = new ArenaStage({ lanes: defaultLanes }).join("ann", "bob", "cid");
    stage.do(join("pam", 3));
    stage.report("O");
    stage.report("X");
    assert.equal(stage.scene, "X pam, O cid | ann bob");
    assert.ok(stage.ticketOf("pam") > stage.ticketOf("cid"));
    stage.report(null);
    assert.equal(stage.scene, "X ann, O cid | bob pam");
  });

  test("[AR6] with `rematch` both stay, and play again", () => {
    const stage = new ArenaStage({ drawRule: "rematch" }).join("ann", "bob", "cid");
    const tickets = [stage.ticketOf("ann"), stage.ticketOf("bob")];
    stage.report(null);
    assert.equal(stage.scene, "X ann, O bob | cid");
    assert.deepEqual([stage.ticketOf("ann"), stage.ticketOf("bob")], tickets);
    assert.equal(stage.room.match?.number, 2);
  });

  test("[AR6] with `both-leave` both go to the back, the one seated longest last", () => {
    const stage = new ArenaStage({ drawRule: "both-leave" }).join("ann", "bob", "cid", "dan", "eve");
    stage.report(null);
    assert.equal(stage.scene, "X cid, O dan | eve bob ann");
    stage.do(leave("eve"));
    stage.report(null);
    assert.equal(stage.scene, "X bob, O ann | dan cid");
  });

  test("[AR6] with `both-leave` and one person waiting, that person and the later seated of the two play", () => {
    const stage = new ArenaStage({ drawRule: "both-leave" }).join("ann", "bob", "cid");
    stage.report(null);
    assert.equal(stage.scene, "X cid, O bob | ann");
  });

  for (const drawRule of ["longest-leaves", "rematch", "both-leave"] as const) {
    test(`[AR6] nobody waiting, ${drawRule}: the two play again, and streaks restart`, () => {
      const stage = new ArenaStage({ drawRule }).join("ann", "bob");
      stage.report("X");
      stage.report("X");
      assert.deepEqual(stage.streaks, { ann: 2, bob: 0 });
      stage.report(null);
      assert.deepEqual(stage.streaks, { ann: 0, bob: 0 });
      assert.equal(stage.room.match?.number, 4);
      assert.equal(stage.line.length, 0);
    });
  }

  test("[AR6] the rule in effect when the match ends applies", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    stage.do(configure({ drawRule: "rematch" }));
    stage.report(null);
    assert.equal(stage.scene, "X ann, O bob | cid");
  });
});

describe("the limit of wins in a row", () => {
  test("[AR7] sends the champion to the back too, ahead of the loser", () => {
    const stage = new ArenaStage({ maxWins: 2 }).join("ann", "bob", "cid", "dan");
    stage.report("X");
    assert.equal(stage.scene, "X ann, O cid | dan bob");
    const events = stage.report("X");
    assert.deepEqual(
      only(events, "left").map(({ person, reason }) => [person, reason]),
      [
        ["ann", "completed"],
        ["cid", "lost"],
      ],
    );
    assert.equal(stage.scene, "X dan, O bob | ann cid");
    assert.deepEqual(stage.streaks, { dan: 0, bob: 0 });
  });

  test("[AR7] with one person waiting: they play the champion, and the loser waits", () => {
    const stage = new ArenaStage({ maxWins: 1 }).join("ann", "bob", "cid");
    stage.report("O");
    assert.equal(stage.scene, "X cid, O bob | ann");
    assert.deepEqual(stage.streaks, { cid: 0, bob: 0 });
  });

  test("[AR7] with an empty line: the two play again, with no wins counted", () => {
    const stage = new ArenaStage({ maxWins: 2 }).join("ann", "bob");
    stage.report("O");
    stage.report("O");
    assert.equal(stage.scene, "X bob, O ann |", "the champion is first in the line, so first on a seat");
    assert.deepEqual(stage.streaks, { ann: 0, bob: 0 });
    assert.equal(stage.room.match?.number, 3);
  });

  test("[AR7] a win by forfeit, by resignation or because the other left counts like any other", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe", maxWins: 3 }).join("ann", "bob", "cid", "dan", "eve");
    stage.resign("bob");
    stage.do(leave("cid"));
    assert.equal(stage.streaks.ann, 2);
    stage.forfeit("dan");
    assert.equal(stage.scene, "X eve, O bob | ann");
  });

  test("[AR7] a draw in between resets the streak", () => {
    const stage = new ArenaStage({ maxWins: 2, drawRule: "rematch" }).join("ann", "bob", "cid");
    for (const winner of ["X", null, "X"]) stage.report(winner);
    assert.equal(stage.streaks.ann, 1);
    assert.match(stage.scene, /^X ann/);
  });

  test("[AR7] set below a current streak, it applies at the next win", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    for (let wins = 0; wins < 5; wins++) stage.report("X");
    stage.do(configure({ maxWins: 3 }));
    assert.match(stage.scene, /^X ann/);
    stage.report("X");
    assert.doesNotMatch(stage.scene, /^X ann/);
  });
});

describe("more than two players", () => {
  const three = { labels: ["N", "E", "S"] };

  test("[AR5] one wins: the others go to the back, the one seated longest last", () => {
    const stage = new ArenaStage(three).join("ann", "bob", "cid", "dan", "eve");
    stage.report("E");
    assert.equal(stage.scene, "N dan, E bob, S eve | cid ann");
    assert.deepEqual(stage.streaks, { dan: 0, bob: 1, eve: 0 });
    stage.report("N");
    assert.equal(stage.scene, "N dan, E cid, S ann | eve bob");
  });

  test("[AR6] a draw: only the player seated longest leaves", () => {
    const stage = new ArenaStage(three).join("ann", "bob", "cid", "dan");
    stage.report("E");
    assert.equal(stage.scene, "N dan, E bob, S cid | ann");
    stage.report(null);
    assert.equal(stage.scene, "N dan, E ann, S cid | bob");
  });

  test("[AR6] a draw with `both-leave`: all leave", () => {
    const stage = new ArenaStage({ ...three, drawRule: "both-leave" }).join("ann", "bob", "cid", "dan");
    stage.report(null);
    assert.equal(stage.scene, "N dan, E cid, S bob | ann");
  });

  test("[AR4] one leaves or resigns: the match ends without a winner, the others stay", () => {
    const stage = new ArenaStage(three).join("ann", "bob", "cid", "dan");
    stage.do(leave("bob"));
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "left"]);
    assert.equal(stage.scene, "N ann, E dan, S cid |");
    assert.equal(stage.room.match?.number, 2);
    stage.join("eve").resign("ann");
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "resigned"]);
    assert.equal(stage.scene, "N eve, E dan, S cid | ann");
  });

  test("[AR8] all but one are absent: the last one wins", () => {
    const stage = new ArenaStage(three).join("ann", "bob", "cid", "dan");
    stage.forfeit("ann", "cid");
    assert.deepEqual([stage.result.winner, stage.result.reason], [1, "disconnected"]);
    assert.equal(stage.scene, "N dan, E bob |");
    assert.deepEqual(stage.streaks, { dan: 0, bob: 1 });
    assert.equal(stage.room.match, undefined);
  });

  test("[AR7] the champion goes to the back ahead of all the losers", () => {
    const stage = new ArenaStage({ ...three, maxWins: 1 }).join("ann", "bob", "cid", "d", "e", "f");
    stage.report("N");
    assert.equal(stage.scene, "N d, E e, S f | ann cid bob");
  });
});
