import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ConversationNumber, groupsBefore } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import {
  challenge,
  closed,
  club,
  DirectoryStage,
  drop,
  hear,
  move,
  pass,
  quiet,
  telegram,
  textsTo,
  throwIn,
  web,
} from "./stage.ts";

const link = (conversation: number, ladder: string) =>
  ({ type: "link", conversation: conversation as ConversationNumber, ladder }) as const;
const ladderOf = (stage: DirectoryStage, conversation: number) =>
  stage.directory!.conversations.get(conversation as ConversationNumber)?.ladder;

/** Ann (7) and Bob (8) have private conversations; both are in the group -5, which is conversation 3. */
function group(): DirectoryStage {
  const stage = new DirectoryStage();
  stage.says(telegram("7"), "nick Ann");
  stage.says(telegram("8"), "nick Bob");
  stage.says(telegram("7", "-5"), "help");
  return stage;
}

describe("in a group", () => {
  test("[CH4][CH6] throws are not accepted: people are asked to send a private message", () => {
    const stage = group();
    for (const text of [
      "throw rock @bob",
      "rock",
      "throw ✌ bob rated",
      "throw rock @nobody",
      "throw rock @ann",
    ]) {
      const { events } = stage.do(hear(telegram("7", "-5"), text, club));
      assert.deepEqual(typesOf(events), ["answered"]);
    }
    assert.match(
      stage.says(telegram("7", "-5"), "throw rock @bob"),
      /Please send it to me in a private message/,
    );
    assert.equal(stage.directory!.duels.openCount, 0);
    assert.deepEqual(stage.told("telegram/2").slice(1), [], "Bob hears nothing of it");
  });

  test("[MT3][CH6] the list of duels does not show the sender's throws", () => {
    const stage = group();
    stage.says(telegram("7"), "throw paper @bob");
    assert.match(stage.says(telegram("7"), "games"), /^Bob: you threw paper, waiting for their throw/);
    assert.equal(stage.says(telegram("7", "-5"), "games"), "Bob: you threw, waiting for their throw.");
    assert.match(stage.says(telegram("8", "-5"), "games"), /^Ann: your turn\. Write: throw rock @Ann$/);
    stage.says(telegram("8"), "throw rock @ann");
    assert.match(
      stage.says(telegram("7", "-5"), "games"),
      /Last: You threw paper, Bob threw rock: you win!$/,
    );
  });

  test("[CH6] the first question about a ladder links the group to it, in the same entry", () => {
    for (const text of ["register", "top", "rating @bob", "match @bob 3-1", "register club"]) {
      const stage = group();
      const { events } = stage.do(hear(telegram("7", "-5"), text, club));
      assert.deepEqual(events[0], { type: "linked", conversation: 3, ladder: "club" }, text);
      assert.equal(ladderOf(stage, 3), "club");
      const again = stage.do(hear(telegram("8", "-5"), text, quiet)).events;
      assert.ok(!again.some(({ type }) => type === "linked"), "it already has a ladder");
      assert.equal(ladderOf(stage, 3), "club");
    }
  });

  test("[CH6] refused messages and private messages do not link the group", () => {
    const stage = group();
    stage.says(telegram("9", "-5"), "register", club);
    stage.says(telegram("7", "-5"), "match @nobody 3-1", club);
    stage.says(telegram("7", "-5"), "register nowhere");
    assert.equal(ladderOf(stage, 3), null);
    stage.asks(telegram("7"), "register club", club);
    assert.equal(ladderOf(stage, 1), null);
    assert.deepEqual(stage.directory!.people.get("chat_1" as never)!.ladders, ["club"]);
  });

  test("[CH6] a ladder that does not admit the sender is asked, but not linked to them or the group", () => {
    const stage = group();
    for (const place of [telegram("7", "-5"), telegram("7")]) {
      const { events } = stage.do(hear(place, "register closed", closed));
      assert.deepEqual(typesOf(events), ["asked"]);
    }
    assert.equal(ladderOf(stage, 3), null);
    assert.deepEqual(stage.directory!.people.get("chat_1" as never)!.ladders, []);
    // Anybody may read the standings; asking for them also sets the group's ladder.
    stage.asks(telegram("7", "-5"), "top", closed);
    assert.equal(ladderOf(stage, 3), "closed");
  });

  test("[CH6] an operator can set the ladder of a group, but not of a private chat", () => {
    const stage = group();
    stage.do(link(3, "club"));
    stage.do(link(3, "quiet"));
    assert.equal(ladderOf(stage, 3), "quiet");
    stage.refused(link(1, "club"), "conversation.not-found");
    stage.refused(link(99, "club"), "conversation.not-found");
  });

  test("[CH6] only groups are listed, newest first", () => {
    const stage = group();
    for (const place of ["-6", "-7", "-8"]) stage.says(telegram("7", place), "help");
    const numbers = (before: number, limit: number) =>
      groupsBefore(stage.directory, before, limit).map(([number]) => number);
    assert.deepEqual(numbers(Number.POSITIVE_INFINITY, 10), [6, 5, 4, 3]);
    assert.deepEqual(numbers(Number.POSITIVE_INFINITY, 2), [6, 5]);
    assert.deepEqual(numbers(5, 2), [4, 3]);
    assert.deepEqual(groupsBefore(undefined, 5, 2), []);
  });
});

describe("where people get notices", () => {
  test("[CH4][CH6] in the group, for people who never wrote in private", () => {
    const stage = new DirectoryStage().named("ann");
    stage.says(telegram("7", "-5"), "nick Bob");
    const { effects } = stage.do(hear(web("ann"), "throw rock @bob"));
    assert.deepEqual(textsTo(effects, "telegram/1"), [
      "Bob: ann challenges you to rock, paper, scissors! Send me a private message: throw rock @ann (or paper, or scissors).",
    ]);
  });

  test("[CH4][CH6][MT3] in a group, notices begin with the recipient and ask for throws in private", () => {
    const stage = new DirectoryStage().named("ann");
    stage.says(telegram("7", "-5"), "nick Bob");
    const told = (outcome: ReturnType<DirectoryStage["do"]>) => textsTo(outcome.effects, "telegram/1");
    stage.do(challenge("ann", "bob"));
    assert.deepEqual(told(stage.do(throwIn("ann", 1, "rock", "club"))), [
      "Bob: ann has thrown. Your turn. Send me a private message: throw rock @ann (or paper, or scissors). To make it count on the ladder, add: rated.",
    ]);
    assert.deepEqual(told(stage.do(pass("ladder/club", [[1, "chat_1", "Cid reports 1-0."]]))), [
      "Bob: Cid reports 1-0.",
    ]);
    assert.deepEqual(told(stage.do(drop("ann", 1))), [], "people who have not thrown are not notified");
    stage.do(challenge("chat_1", "ann"));
    assert.deepEqual(told(stage.do(drop("ann", 2))), ["Bob: ann does not want to duel."]);
    stage.do(challenge("chat_1", "ann", "rock"));
    assert.deepEqual(told(stage.do(challenge("ann", "bob", "paper"))), [
      "Bob: You threw rock, ann threw paper: ann wins.",
    ]);
  });

  test("[CH4][CH6] in private, from their first private message, whatever it says", () => {
    const stage = new DirectoryStage().named("ann");
    stage.says(telegram("7", "-5"), "nick Bob");
    const { events } = stage.do(hear(telegram("7"), "👍"));
    assert.deepEqual(typesOf(events), ["met", "homed", "answered"]);
    assert.match(
      textsTo(stage.do(hear(web("ann"), "throw rock @bob")).effects, "telegram/2")[0],
      /^ann challenges/,
    );
    // The private conversation stays the home, even after messages and renames in a group.
    for (const text of ["help", "nick Robert", "register"]) stage.do(hear(telegram("7", "-5"), text, club));
    assert.equal(stage.directory!.people.get("chat_1" as never)!.home, "telegram/2");
    assert.deepEqual(typesOf(stage.do(hear(telegram("7"), "help")).events), ["answered"]);
  });

  test("[CH5] several people in one group get one message", () => {
    const stage = new DirectoryStage().named("ann");
    stage.says(telegram("7", "-5"), "nick Bob");
    stage.says(telegram("8", "-5"), "nick Cid");
    for (const sender of ["7", "8"]) stage.do(challenge(`chat_${Number(sender) - 6}`, "ann", "rock"));
    const { effects } = stage.do({ type: "quit", person: "ann" as never });
    assert.deepEqual(effects, [
      {
        to: "telegram/1",
        body: {
          text: "Bob: ann has left, so your duel is cancelled.\nCid: ann has left, so your duel is cancelled.",
        },
      },
    ]);
  });
});

describe("a conversation that moves to another address", () => {
  test("[CH6] is the same conversation, with the same ladder and people", () => {
    const stage = group();
    stage.do(link(3, "club"));
    assert.deepEqual(stage.do(move("-5", "-1005")).events, [
      { type: "moved", conversation: 3, place: "-1005" },
    ]);
    stage.says(telegram("7", "-1005"), "help");
    assert.equal(stage.directory!.conversationsMet, 3);
    assert.equal(ladderOf(stage, 3), "club");
    // The old address belongs to nobody.
    stage.says(telegram("7", "-5"), "help");
    assert.equal(stage.directory!.conversationsMet, 4);
  });

  test("[CH6] takes over messages and people from the new address if they came before the move", () => {
    const stage = new DirectoryStage().named("ann");
    stage.says(telegram("7", "-5"), "nick Bob");
    stage.do(link(1, "club"));
    stage.says(telegram("8", "-1005"), "nick Cid");
    assert.equal(stage.directory!.conversations.size, 2);
    stage.do(move("-5", "-1005"));
    assert.deepEqual([...stage.directory!.conversations.keys()], [1]);
    assert.deepEqual([...stage.directory!.places], [["telegram -1005", 1]]);
    assert.match(
      textsTo(stage.do(hear(web("ann"), "throw rock @Cid")).effects, "telegram/1")[0],
      /^Cid: ann chall/,
    );
  });

  test("[CH6] moving it again changes nothing, and an unknown one cannot move", () => {
    const stage = group();
    stage.do(move("-5", "-5"));
    assert.equal(stage.directory!.conversations.size, 3);
    stage.do(move("-5", "-1005"));
    stage.refused(move("-5", "-1005"), "conversation.not-found");
    stage.refused({ ...move("-1005", "-5"), channel: "sms" } as never, "conversation.not-found");
  });
});
