import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { arenaDecider, arenaStatusOf, defaultLanes, frontOf } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { person, ticket } from "../room-stage.ts";
import { ArenaStage, configure, join, leave, only, playTicTacToe } from "./stage.ts";

describe("seats and their labels", () => {
  test("[AR1] the first people get the labels in order, up to the number of seats", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann");
    assert.equal(stage.scene, "X ann |");
    stage.join("bob");
    assert.equal(stage.scene, "X ann, O bob |");
    stage.join("cid", "dan");
    assert.equal(stage.scene, "X ann, O bob | cid dan");
  });

  test("[AR1] the next player gets the freed label: if X leaves, the newcomer is X", () => {
    const alone = new ArenaStage().join("ann", "bob");
    alone.do(leave("ann"));
    assert.equal(alone.scene, "O bob |");
    alone.join("cid");
    assert.equal(alone.scene, "X cid, O bob |");

    const stage = new ArenaStage().join("ann", "bob", "cid", "dan");
    stage.do(leave("ann"));
    assert.equal(stage.scene, "X cid, O bob | dan");
    stage.do(leave("bob"));
    assert.equal(stage.scene, "X cid, O dan |");
  });

  test("[AR2] a hundred people who come and go never share a label", () => {
    const stage = new ArenaStage({ labels: ["N", "E", "S"] });
    for (let number = 0; number < 300; number++) {
      const name = `p${(number * 7) % 10}`;
      const isHere = stage.scene.match(/\w+\d/g)?.includes(name);
      stage.do(isHere ? leave(name) : join(name));
      const labels = stage.scene.split(" |")[0].match(/[NES](?= )/g) ?? [];
      assert.equal(new Set(labels).size, labels.length, stage.scene);
    }
  });

  test("[AR3] a free seat is filled in the entry that freed it", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    const events = stage.do(leave("bob"));
    assert.deepEqual(typesOf(events), ["ended", "left", "seated", "started"]);
    assert.equal(stage.scene, "X ann, O cid |");
  });

  test("[AR3] leaving the line moves up the people behind, and changes nothing else", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid", "dan", "eve");
    const [left, ...more] = only(stage.do(leave("dan")), "left");
    assert.deepEqual(more, []);
    assert.equal(left.reason, "cancelled");
    assert.equal(stage.placeOf("eve").position, 2);
    assert.equal(stage.scene, "X ann, O bob | cid eve");
    assert.deepEqual(
      frontOf(stage.room, 1).map(({ person, name }) => [person, name]),
      [["cid", "The cid"]],
    );
  });

  test("[AR4] a match starts in the entry that fills every seat, and ends without players", () => {
    const stage = new ArenaStage({ labels: ["N", "E", "S"] }).join("ann", "bob");
    assert.equal(arenaStatusOf(stage.room), "WAITING");
    const [started] = only(stage.do(join("cid")), "started");
    assert.equal(started.number, 1);
    assert.equal(arenaStatusOf(stage.room), "PLAYING");
    assert.equal(stage.matchId, stage.version, "its id is the entry's version");
    stage.do(leave("ann"));
    assert.equal(arenaStatusOf(stage.room), "WAITING");
    assert.equal(only(stage.do(join("dan")), "started")[0].number, 2);
  });

  test("[AR4] a match ends by the rules of its game, by resignation and by forfeit", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob");
    const ends: [string, number | null][] = [];
    const told = () => ends.push([stage.result.reason, stage.result.winner]);
    playTicTacToe(stage, "O");
    told();
    playTicTacToe(stage, null);
    told();
    stage.resign(stage.room.seats[0]!.person);
    told();
    stage.forfeit(stage.room.seats[1]!.person);
    told();
    stage.join("cid").do(leave("cid"));
    told();
    stage.join("dan").at(stage.now + 30_000);
    told();
    assert.deepEqual(ends.slice(0, 5), [
      ["played", 1],
      ["played", null],
      ["resigned", 1],
      ["disconnected", 0],
      ["left", 0],
    ]);
    assert.equal(ends[5][0], "move-timeout");
    assert.equal(stage.result.number, 6);
  });

  test("[AR11] the list of arenas has players, labels, streaks, the line and the number of matches", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    stage.report("X");
    const { status, summary } = arenaDecider.listing(stage.room);
    assert.equal(status, "PLAYING");
    assert.deepEqual(summary.players, [
      { label: "X", name: "The ann", streak: 1 },
      { label: "O", name: "The cid", streak: 0 },
    ]);
    assert.equal(summary.waiting, 1);
    assert.equal(summary.matches, 2);
  });
});

describe("one place per person", () => {
  test("[RM3][LS5] joining again returns the existing place, on a seat and in the line", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid", "dan");
    const seated = { ticket: 2, state: "seated", label: "O", position: null };
    const waiting = { ticket: 4, state: "waiting", label: null, position: 2 };
    stage.refused(join("bob"), "place.exists", seated);
    stage.refused(join("dan"), "place.exists", waiting);
    assert.deepEqual(stage.placeOf("bob"), seated);
    assert.deepEqual(stage.placeOf("dan"), waiting);
  });

  test("[RM4] coming back creates a new place with a new ticket, and the old place stays as it ended", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid", "dan");
    const stateOf = (number: number) => stage.room.roster.stateOf(ticket(number));
    assert.deepEqual([1, 2, 3].map(stateOf), ["active", "active", "waiting"]);
    stage.report("X");
    stage.do(leave("dan"));
    stage.do(leave("ann"));
    stage.at(stage.now + 20_000).forfeit("cid");
    stage.join("dan");
    assert.deepEqual([1, 2, 3, 4].map(stateOf), ["left", "completed", "expired", "left"]);
    assert.equal(stage.ticketOf("bob"), 5);
    assert.equal(stage.ticketOf("dan"), 6);
    stage.do(leave("dan"));
    stage.refused(leave("dan"), "place.missing");
  });
});

describe("the line of an arena", () => {
  test("[LN8] has a maximum length: beyond it joining is refused, and losers still go to the back", () => {
    const stage = new ArenaStage({ lineLengthMax: 2, drawRule: "both-leave" });
    stage.join("ann", "bob", "cid", "dan");
    stage.refused(join("eve"), "line.full");
    stage.report("X");
    assert.equal(stage.scene, "X ann, O cid | dan bob");
    stage.report(null);
    assert.equal(stage.scene, "X dan, O bob | cid ann");
    stage.refused(join("eve"), "line.full");
    stage.do(leave("ann"));
    stage.join("eve");
    assert.equal(stage.scene, "X dan, O bob | cid eve");
  });

  test("[LN2][AR3] lanes skip their share of the line, and those of one lane stay in order", () => {
    const stage = new ArenaStage({ lanes: defaultLanes }).join("X", "O", "n1", "n2", "n3", "n4");
    stage.do(join("v1", 2));
    assert.equal(stage.line.join(" "), "n1 n2 v1 n3 n4");
    stage.do(join("v2", 2));
    assert.equal(stage.line.join(" "), "n1 n2 v1 v2 n3 n4");
    stage.do(join("p1", 3));
    stage.do(join("p2", 3));
    assert.equal(stage.line.join(" "), "p1 p2 n1 n2 v1 v2 n3 n4");
    stage.report("X");
    assert.equal(stage.scene, "X X, O p1 | p2 n1 n2 v1 v2 n3 n4 O");
  });

  test("[LN3][AR3] nobody is placed ahead of premium", () => {
    const lanes = [...defaultLanes, { name: "most", skips: 1, immediate: false }];
    const stage = new ArenaStage({ lanes }).join("X", "O", "n1");
    stage.do(join("p1", 3));
    stage.do(join("m1", 4));
    assert.equal(stage.line.join(" "), "p1 m1 n1");
  });

  test("[LN4][AR3] people who have waited longer than the patience are not overtaken, not even by premium", () => {
    const stage = new ArenaStage({ lanes: defaultLanes, patienceMs: 1_000, moveTimeoutMs: null });
    stage.join("X", "O", "n1").at(1_600).join("n2");
    stage.at(2_000).do(join("p1", 3));
    assert.equal(stage.line.join(" "), "p1 n1 n2", "n1 has waited exactly that long, not longer");
    stage.at(2_001).do(join("p2", 3));
    assert.equal(stage.line.join(" "), "p1 n1 p2 n2");
    stage.report("X");
    stage.at(4_000).do(join("p3", 3));
    assert.equal(stage.line.join(" "), "n1 p2 n2 O p3", "the loser's wait began again, and is over by now");
  });

  test("[LN4][LN6] people who have waited longer than the patience stay settled when it is raised", () => {
    const stage = new ArenaStage({ lanes: defaultLanes, patienceMs: 1_000, moveTimeoutMs: null });
    stage
      .join("X", "O", "n1")
      .at(2_001)
      .do(configure({ patienceMs: 600_000 }));
    stage.join("n2").do(join("p1", 3));
    assert.equal(stage.line.join(" "), "n1 p1 n2");
  });

  test("[LN1][AR5] a loser goes to the very back, whatever lane they entered in", () => {
    const stage = new ArenaStage({ lanes: defaultLanes });
    for (const name of ["p1", "p2", "p3"]) stage.do(join(name, 3));
    stage.join("n1");
    stage.report("O");
    assert.equal(stage.scene, "X p3, O p2 | n1 p1");
    stage.do(join("p4", 3));
    assert.equal(stage.scene, "X p3, O p2 | p4 n1 p1");
  });
});

describe("more and fewer seats", () => {
  const four = { labels: ["N", "E", "S", "W"] };

  test("[RM1] raised without a match: the match waits until the new seat is taken", () => {
    const stage = new ArenaStage({ ...four, seats: 2 }).join("ann");
    stage.do(configure({ seats: 3 }));
    stage.join("bob");
    assert.equal(stage.room.match, undefined);
    assert.equal(only(stage.do(join("cid")), "started").length, 1);
    assert.equal(stage.scene, "N ann, E bob, S cid |");
  });

  test("[RM1] raised during a match: the new seat stays empty until it is over, then goes to the front", () => {
    const stage = new ArenaStage({ ...four, seats: 2 }).join("ann", "bob", "cid", "dan", "eve");
    const before = stage.matchId;
    stage.do(configure({ seats: 4 }));
    assert.equal(stage.matchId, before);
    assert.equal(stage.scene, "N ann, E bob | cid dan eve");
    stage.join("fay");
    assert.equal(stage.scene, "N ann, E bob | cid dan eve fay");
    stage.report("E");
    assert.equal(stage.scene, "N cid, E bob, S dan, W eve | fay ann");
    assert.equal(stage.room.match?.number, 2);
  });

  test("[RM1] lowered without a match: the seated players start at once", () => {
    const stage = new ArenaStage(four).join("ann", "bob", "cid");
    assert.equal(stage.room.match, undefined);
    const events = stage.do(configure({ seats: 2 }));
    assert.equal(only(events, "started").length, 1);
    assert.equal(stage.scene, "N ann, E bob, S cid |", "nobody is removed");
  });

  test("[RM1] lowered during a match: removes nobody, and seats nobody until the count has fallen", () => {
    const stage = new ArenaStage({ ...four, drawRule: "rematch" }).join("ann", "bob", "cid", "dan", "eve");
    stage.do(configure({ seats: 2 }));
    assert.equal(stage.scene, "N ann, E bob, S cid, W dan | eve");
    stage.report(null);
    assert.equal(stage.scene, "N ann, E bob, S cid, W dan | eve", "a draw, and all of them continue");
    stage.do(leave("bob"));
    assert.equal(stage.scene, "N ann, S cid, W dan | eve");
    assert.ok(stage.room.match, "three are more than required");
    stage.report("W");
    assert.equal(stage.scene, "N eve, W dan | cid ann");
  });

  test("[RM1] a game of the catalogue has a fixed number of seats", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" });
    for (const seats of [1, 3, 0, 2.5])
      stage.refused(configure({ seats }), "seats.invalid", { field: "seats" });
    stage.do(configure({ seats: 2 }));
    const elsewhere = new ArenaStage(four);
    for (const seats of [1, 0, 5])
      elsewhere.refused(configure({ seats }), "seats.invalid", { field: "seats" });
  });

  test("[RM6] its status follows from the current match alone", () => {
    const stage = new ArenaStage().join("ann", "bob");
    assert.equal(arenaDecider.listing(stage.room).status, "PLAYING");
    stage.do(leave("bob"));
    assert.equal(arenaDecider.listing(stage.room).status, "WAITING");
    assert.equal(stage.room.roster.livePlace(person("bob")), undefined);
  });
});
