import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderDecider, ladderLimits } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { ban, configure, leave } from "./stage.ts";
import { about, discuss, match, named, TalkStage } from "./talk.ts";

const register = { type: "register" } as const;
const top = { type: "top" } as const;
const undo = { type: "undo" } as const;
const confirm = { type: "confirm" } as const;
const decline = { type: "decline" } as const;
const nowhere = (name: string) => `${name} is not on this ladder yet. To join it: register`;

describe("a message about a ladder", () => {
  test("[CH1][CH2] is one entry: its effects, and last the reply; identified by its key alone", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    const events = stage.do(discuss("Ann", match("Ann 3-1 Bob")));
    assert.deepEqual(typesOf(events), ["counted", "answered"]);
    assert.deepEqual(events[1], {
      type: "answered",
      reply: "Match 1: Ann 3, Bob 1. Ann 1016 (+16), Bob 984 (-16).",
      said: "match",
      to: "telegram/7",
      tells: {
        person: "chat_bob",
        text: "Ann has reported a match. Match 1: Ann 3, Bob 1. Ann 1016 (+16), Bob 984 (-16).",
        by: "chat_ann",
      },
    });
    const { fingerprint } = ladderDecider.keys;
    assert.equal(fingerprint(discuss("Ann", top)), fingerprint(discuss("Bob", undo)));
  });

  test("[CH7] with a returned reply sends none, but notifies the other player", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    const effects = ladderDecider.effects!(
      stage.ladder,
      stage.do(discuss("Ann", match("Ann 3-1 Bob"), null)),
    );
    assert.deepEqual(
      effects.map(({ to, body }) => [to, body.tell]),
      [["directory/main", "chat_bob"]],
    );
    assert.deepEqual(ladderDecider.effects!(stage.ladder, stage.do(discuss(null, top, null))), []);
  });

  test("[CH2] gets a refusal as its reply, and nothing else happens", () => {
    const stage = new TalkStage({}, "Ann", "Bob", "Cid");
    stage.onlySays("Ann", register, "You are already a player on this ladder.");
    stage.onlySays("Ann", match("Ann 3-1 Dan"), nowhere("Dan"));
    stage.onlySays("Dan", match("Dan 3-1 Ann"), nowhere("Dan"));
    stage.onlySays("Ann", match("Ann 3-1 Ann"), /^A match needs two different players/);
    stage.onlySays("Cid", match("Ann 3-1 Bob"), /^Only the players of a match can report it/);
    stage.onlySays("Ann", undo, "You have no match to undo.");
    stage.onlySays("Ann", confirm, "No match is waiting for you to confirm or decline.");
    stage.onlySays("Dan", decline, "No match is waiting for you to confirm or decline.");
    stage.onlySays("Dan", undo, "You have no match to undo.");
    stage.onlySays("Ann", about("rating", "Dan"), nowhere("Dan"));
    stage.onlySays("Ann", about("history", "Dan"), nowhere("Dan"));
  });

  test("[CH5] can be read-only without a nickname", () => {
    const stage = new TalkStage({}, "Ann");
    stage.onlySays(null, top, "1. Ann 1000");
    stage.onlySays(null, about("rating", "Ann"), /^Ann is number 1 of 1, with 1000 points/);
    stage.onlySays(null, about("history", "Ann"), "Ann has no matches yet.");
  });
});

describe("register", () => {
  test("[CH5] enrols a player by their nickname", () => {
    const stage = new TalkStage();
    const { happened, reply, tells } = stage.talk("Ann", register);
    assert.deepEqual(happened, [
      { type: "enrolled", player: 1, person: "chat_ann", name: "Ann", rating: 1000 },
    ]);
    assert.equal(
      reply,
      "You are on the ladder The ladder with 1000 points. After a match, write: match @opponent 3-1",
    );
    assert.equal(tells, undefined);
  });

  test("[CH5] brings a player back with their old rating and their present nickname", () => {
    const stage = new TalkStage({ title: "" }, "Ann", "Bob");
    stage.talk("Ann", match("Ann 1-0 Bob"));
    stage.do(leave("chat_ann"));
    const { happened, reply } = stage.talk("Ann", register);
    assert.deepEqual(happened, [{ type: "returned", player: 1, name: "Ann" }]);
    assert.match(reply, /^You are on the ladder with 1016 points\./);
  });

  test("[CH5] is refused on an invite-only ladder and on a full one", () => {
    const closed = new TalkStage({ open: false });
    closed.onlySays("Ann", register, "This ladder is invite-only. Ask its organiser to add you.");
    const full = new TalkStage();
    Object.defineProperty(full.ladder.players, "size", { get: () => ladderLimits.playersMax });
    const { reply, happened } = full.talk("Ann", register);
    assert.match(reply, /^This ladder has reached its limit/);
    assert.deepEqual(happened, []);
  });
});

describe("match", () => {
  test("[CH5] counts for either reporter, won, lost or drawn, even with scores of zero", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    assert.match(stage.talk("Ann", match("Ann 3-1 Bob")).reply, /^Match 1: Ann 3, Bob 1\. Ann 1016 \(\+16\)/);
    const lost = stage.talk("Bob", match("Bob 0-2 Ann"));
    assert.match(lost.reply, /^Match 2: Bob 0, Ann 2\. Bob 969 \(-15\), Ann 1031 \(\+15\)\.$/);
    assert.equal(lost.tells?.person, "chat_ann");
    const drawn = stage.talk("Ann", match("Ann 0-0 Bob"));
    assert.match(drawn.reply, /^Match 3: Ann 0, Bob 0\. Ann 1028 \(-3\), Bob 972 \(\+3\)\.$/);
    assert.equal(stage.of("chat_ann").draws, 1);
  });

  test("[CH5] notifies the other player, in either order of names", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    for (const [by, text, other] of [
      ["Ann", "Bob 1-0 Ann", "chat_bob"],
      ["Bob", "Bob 1-0 Ann", "chat_ann"],
    ] as const) {
      const { tells } = stage.talk(by, match(text));
      assert.equal(tells?.person, other);
      assert.match(tells!.text, new RegExp(`^${by} has reported a match\\. Match \\d: Bob 1, Ann 0\\.`));
    }
  });

  test("[CH5] a change that rounds to zero is not shown as a loss", () => {
    const stage = new TalkStage({ k: [{ from: 0, k: 1 }] }, "Ann", "Bob");
    stage.talk("Ann", match("Ann 1-0 Bob"));
    assert.match(stage.talk("Ann", match("Ann 0-0 Bob")).reply, /Ann 1000 \(\+0\), Bob 1000 \(\+0\)\.$/);
  });

  test("[CH5][LD9] with confirmation, it waits for the opponent, who is told how to confirm", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob");
    const { happened, reply, tells } = stage.talk("Ann", match("Ann 3-1 Bob"));
    assert.deepEqual(typesOf(happened), ["reported"]);
    assert.equal(reply, "Match 1: Ann 3, Bob 1. It counts once Bob confirms it; they can write: confirm");
    assert.deepEqual(tells, {
      person: "chat_bob",
      text: "Ann has reported a match. Match 1: Ann 3, Bob 1. It counts when you write: confirm (if it is wrong: decline).",
    });
  });

  test("[CH5][LD9] pending reports per opponent are limited", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob");
    for (let nth = 0; nth < ladderLimits.pendingOfPairMax; nth++) stage.talk("Ann", match("Ann 3-1 Bob"));
    stage.onlySays(
      "Ann",
      match("Ann 3-1 Bob"),
      /10 of your reports are waiting for this opponent to confirm/,
    );
    assert.deepEqual(stage.types("Bob", match("Ann 3-2 Bob")), ["reported"]);
  });

  test("[CH5][LD14] the same score from the opponent confirms a report, and both get the rating changes", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob");
    stage.talk("Ann", match("Ann 3-1 Bob"));
    const { happened, reply, tells } = stage.talk("Bob", match("Bob 1-3 Ann"));
    assert.deepEqual(typesOf(happened), ["counted"]);
    assert.equal(reply, "Match 1: Bob 1, Ann 3. Ann 1016 (+16), Bob 984 (-16).");
    assert.deepEqual(tells, {
      person: "chat_ann",
      text: "Bob has confirmed a match. Match 1: Bob 1, Ann 3. Ann 1016 (+16), Bob 984 (-16).",
    });
  });

  test("[CH5][LD14] another score from the opponent is a dispute, and both are told how to resolve it", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob");
    stage.talk("Ann", match("Ann 3-1 Bob"));
    const { reply, tells } = stage.talk("Bob", match("Bob 3-1 Ann"));
    assert.equal(
      reply,
      "Match 2: Bob 3, Ann 1. Ann has reported another score, in match 1. If that one is right, write: confirm @Ann",
    );
    assert.deepEqual(tells, {
      person: "chat_ann",
      text: "Bob gives another score than you did in match 1. Match 2: Bob 3, Ann 1. If that is right, write: confirm @Bob. Neither counts unless one of you confirms.",
    });
    assert.match(stage.talk("Ann", { type: "confirm", of: named("Bob") }).reply, /^Match 2 counts\./);
    assert.deepEqual([stage.status(1), stage.status(2)], ["declined", "counted"]);
  });

  test("[CH5][LD13] a banned player is told so", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    stage.do(ban("chat_bob"));
    stage.onlySays("Bob", register, "Bob is banned from this ladder.");
    stage.onlySays("Ann", match("Ann 3-1 Bob"), "Bob is banned from this ladder.");
  });
});

describe("confirm and decline", () => {
  const waiting = () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob", "Cid");
    stage.talk("Ann", match("Ann 3-1 Bob"));
    stage.talk("Cid", match("Bob 0-1 Cid"));
    return stage;
  };

  test("[CH5][LD9] settle the oldest match that waits for the sender, and notify the other player", () => {
    const stage = waiting();
    stage.onlySays("Ann", confirm, "No match is waiting for you to confirm or decline.");
    const first = stage.talk("Bob", confirm);
    assert.equal(first.reply, "Match 1 counts. Ann 1016 (+16), Bob 984 (-16).");
    assert.deepEqual(first.tells, {
      person: "chat_ann",
      text: "Bob has confirmed match 1. Ann 1016 (+16), Bob 984 (-16).",
    });
    const second = stage.talk("Bob", decline);
    assert.equal(second.reply, "Match 2 is declined. It does not count.");
    assert.deepEqual(second.tells, {
      person: "chat_cid",
      text: "Bob has declined match 2. It does not count.",
    });
    stage.onlySays("Bob", confirm, "No match is waiting for you to confirm or decline.");
    assert.deepEqual([stage.status(1), stage.status(2)], ["counted", "declined"]);
  });

  test("[CH5][LD9] confirm with a name settles the oldest match that this person reported", () => {
    const stage = waiting();
    stage.talk("Cid", match("Cid 2-0 Bob"));
    const confirmOf = (name: string) => ({ type: "confirm", of: named(name) }) as const;
    for (const name of ["Bob", "Zoe"])
      stage.onlySays(
        "Bob",
        confirmOf(name),
        `No match that ${name} has reported is waiting for you to confirm or decline.`,
      );
    stage.onlySays(
      "Cid",
      confirmOf("Ann"),
      "No match that Ann has reported is waiting for you to confirm or decline.",
    );
    stage.onlySays(
      "Zoe",
      confirmOf("Ann"),
      "No match that Ann has reported is waiting for you to confirm or decline.",
    );
    assert.match(stage.talk("Bob", confirmOf("Cid")).reply, /^Match 2 counts\./);
    assert.match(stage.talk("Bob", confirmOf("Cid")).reply, /^Match 3 counts\./);
    stage.onlySays(
      "Bob",
      confirmOf("Cid"),
      "No match that Cid has reported is waiting for you to confirm or decline.",
    );
    assert.match(stage.talk("Bob", confirmOf("Ann")).reply, /^Match 1 counts\./);
  });

  test("[CH5][LD9] are too late for a lapsed match", () => {
    const stage = waiting();
    stage.at(stage.now + 10_000);
    stage.onlySays("Bob", confirm, "No match is waiting for you to confirm or decline.");
  });
});

describe("undo", () => {
  test("[CH5][LD8] voids the sender's latest reports one by one, and notifies the opponents", () => {
    const stage = new TalkStage({}, "Ann", "Bob", "Cid");
    stage.talk("Ann", match("Ann 3-1 Bob"));
    stage.talk("Ann", match("Cid 3-1 Ann"));
    stage.talk("Bob", match("Bob 1-0 Ann"));
    stage.play("chat_ann 1:0 chat_cid");
    const first = stage.talk("Ann", undo);
    assert.equal(first.reply, "Match 2 is void and no longer counts.");
    assert.deepEqual(first.tells, { person: "chat_cid", text: "Ann has voided match 2." });
    assert.deepEqual(typesOf(first.happened), ["voided"]);
    assert.equal(stage.talk("Ann", undo).tells?.person, "chat_bob");
    stage.onlySays("Ann", undo, "You have no match to undo.");
    assert.deepEqual(
      [1, 2, 3, 4].map((each) => stage.status(each)),
      ["voided", "voided", "counted", "counted"],
    );
  });

  test("[CH5][LD8] also voids pending matches, in the order of their reports", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob", "Cid");
    for (const text of ["Ann 1-0 Bob", "Ann 2-0 Cid", "Ann 3-0 Bob"]) stage.talk("Ann", match(text));
    stage.talk("Cid", confirm);
    stage.talk("Bob", confirm);
    assert.deepEqual([stage.status(1), stage.status(2), stage.status(3)], ["counted", "counted", "pending"]);
    assert.match(stage.talk("Ann", undo).reply, /^Match 3 is void/);
    assert.match(stage.talk("Ann", undo).reply, /^Match 2 is void/);
    assert.match(stage.talk("Ann", undo).reply, /^Match 1 is void/);
  });

  test("[CH5][LD8] a counted match comes before a pending one if it was reported later", () => {
    const stage = new TalkStage({ confirm: true }, "Ann", "Bob", "Cid");
    stage.talk("Ann", match("Ann 1-0 Bob"));
    stage.talk("Ann", match("Ann 1-0 Cid"));
    stage.talk("Cid", confirm);
    assert.match(stage.talk("Ann", undo).reply, /^Match 2 is void/);
    assert.match(stage.talk("Ann", undo).reply, /^Match 1 is void/);
  });

  test("[CH5][LD8] is limited in time and in later matches", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    stage.talk("Ann", match("Ann 3-1 Bob"));
    stage.now += 5_001;
    stage.onlySays("Ann", undo, /^The time to undo this match is over\./);
    const { ownRecountMax, ownRecountedMax } = ladderLimits;
    const busy = new TalkStage({}, "Ann", "Bob", "Cid", "Dan");
    busy.keepsLog = false;
    busy.talk("Ann", match("Ann 3-1 Bob"));
    for (let nth = 0; nth < ownRecountMax; nth++) busy.play("chat_cid 1:0 chat_dan");
    assert.match(busy.talk("Ann", undo).reply, /^Match 1 is void/);
    busy.talk("Ann", match("Ann 3-1 Bob"));
    for (let nth = 0; nth <= ownRecountedMax; nth++) busy.play("chat_bob 1:0 chat_cid");
    busy.onlySays("Ann", undo, /^More than 200 later matches depend on this one\./);
    for (let nth = ownRecountedMax; nth <= ownRecountMax; nth++) busy.play("chat_cid 1:0 chat_dan");
    busy.onlySays("Ann", undo, "You have no match to undo.");
  });
});

describe("read-only questions", () => {
  test("[CH5] rating: rank, points and results", () => {
    const stage = new TalkStage({}, "Ann", "Bob", "Cid");
    for (const text of ["Ann 3-1 Bob", "Ann 1-1 Bob"]) stage.talk("Ann", match(text));
    stage.onlySays(
      "Bob",
      about("rating", "Ann"),
      "Ann is number 1 of 3, with 1015 points: 1 won, 1 drawn, 0 lost.",
    );
    stage.onlySays(
      "Bob",
      about("rating", "Bob"),
      "Bob is number 3 of 3, with 985 points: 0 won, 1 drawn, 1 lost.",
    );
    stage.do(leave("chat_bob"));
    stage.onlySays("Ann", about("rating", "Bob"), /^Bob has left the ladder, with 985 points/);
  });

  test("[CH5] top: the first ten, with ties; and a hint on an empty ladder", () => {
    const stage = new TalkStage();
    stage.onlySays("Ann", top, "Nobody is on the ladder yet. To be the first, write: register");
    for (let nth = 0; nth < 12; nth++) stage.talk(`P${nth}`, register);
    stage.talk("P7", match("P7 1-0 P8"));
    const { reply } = stage.talk(null, top);
    assert.equal(reply.split("\n").length, 10);
    assert.match(reply, /^1\. P7 1016\n2\. P0 1000\n2\. P1 1000\n/);
  });

  test("[CH5] history: the latest five that count, newest first, with score and rating change", () => {
    const stage = new TalkStage({}, "Ann", "Bob", "Cid");
    stage.onlySays("Ann", about("history", "Ann"), "Ann has no matches yet.");
    const played = [
      "Ann 1-0 Bob",
      "Bob 1-0 Ann",
      "Ann 1-1 Cid",
      "Ann 2-0 Cid",
      "Bob 3-3 Ann",
      "Ann 0-1 Bob",
      "Ann 5-0 Bob",
    ];
    for (const text of played) stage.talk("Ann", match(text));
    stage.talk("Ann", undo);
    stage.talk("Bob", match("Bob 1-0 Cid"));
    assert.deepEqual(stage.talk("Bob", about("history", "Ann")).reply.split("\n"), [
      "Match 6: Ann lost to Bob 0-1 (-17)",
      "Match 5: Ann drew with Bob 3-3 (-1)",
      "Match 4: Ann beat Cid 2-0 (+16)",
      "Match 3: Ann drew with Cid 1-1 (+0)",
      "Match 2: Ann lost to Bob 0-1 (-17)",
    ]);
    stage.talk("Cid", match("Cid 1-0 Bob"));
    assert.match(
      stage.talk("Cid", about("history", "Cid")).reply,
      /^Match 9: Cid beat Bob 1-0 \(\+19\)\nMatch 8: Cid lost to Bob 0-1 \(-14\)\n/,
    );
  });

  test("[CH5] history of a player with only voided matches", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    stage.talk("Ann", match("Ann 1-0 Bob"));
    stage.talk("Ann", undo);
    stage.onlySays("Ann", about("history", "Bob"), "Bob has no recent matches.");
  });

  test("[CH5] current settings apply when a ladder starts to require confirmation", () => {
    const stage = new TalkStage({}, "Ann", "Bob");
    stage.do(configure({ confirm: true }));
    assert.deepEqual(stage.types("Ann", match("Ann 1-0 Bob")), ["reported"]);
  });
});
