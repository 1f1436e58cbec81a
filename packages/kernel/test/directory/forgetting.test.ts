import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ConversationNumber, directoryDecider, directoryLimits } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { millis } from "../room-stage.ts";
import {
  challenge,
  club,
  DirectoryStage,
  hear,
  hours,
  ladder,
  quit,
  sms,
  telegram,
  textsTo,
  throwIn,
  web,
} from "./stage.ts";

const knows = (stage: DirectoryStage, conversation: number) =>
  stage.directory!.conversations.has(conversation as ConversationNumber);

describe("a person who quits", () => {
  test("[CH5] is forgotten in one entry: name and account are free, duels are cancelled, and opponents are notified", () => {
    const stage = new DirectoryStage().named("bob", "cid");
    stage.says(telegram("7"), "nick Ann");
    stage.says(telegram("7"), "throw rock @bob");
    stage.says(web("cid"), "throw rock @ann");
    stage.says(web("cid"), "throw rock @bob");
    const { events, effects } = stage.do(hear(telegram("7"), "quit"));
    assert.deepEqual(typesOf(events), ["duel-dropped", "duel-dropped", "forgotten", "answered"]);
    assert.deepEqual(textsTo(effects, "conversation/bob"), ["Ann has left, so your duel is cancelled."]);
    assert.deepEqual(textsTo(effects, "conversation/cid"), ["Ann has left, so your duel is cancelled."]);
    assert.match(textsTo(effects, "telegram/1")[0], /^You have left. Your nickname is free/);
    const { people, nicknames, accounts, duels } = stage.directory!;
    assert.deepEqual([...people.keys()], ["bob", "cid"]);
    assert.equal(nicknames.has("ann"), false);
    assert.equal(accounts.size, 0);
    assert.equal(duels.openCount, 1, "the others' duel continues");
    assert.match(stage.says(web("bob"), "throw rock @ann"), /^Nobody here has the nickname ann\./);
  });

  test("[CH5] leaves the ladders that they registered on by chat", () => {
    const stage = new DirectoryStage().named("ann");
    stage.asks(web("ann"), "register club", club);
    stage.asks(web("ann"), "register other", ladder("other"));
    assert.deepEqual(stage.do(quit("ann")).effects, [
      { to: "ladder/club", body: { gone: "ann" } },
      { to: "ladder/other", body: { gone: "ann" } },
    ]);
    stage.named("ann");
    assert.deepEqual(stage.do(quit("ann")).effects, [], "earlier registrations are forgotten too");
  });

  test("[CH5] over the API, and cannot quit twice", () => {
    const stage = new DirectoryStage().named("ann");
    stage.do(quit("ann"));
    stage.refused(quit("ann"), "nickname.missing");
    assert.match(stage.says(web("ann"), "quit"), /^You have no nickname here/);
  });

  test("[CH5][NM3] leaves the ladders on which their duels counted, too", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.asks(web("ann"), "register other", ladder("other"));
    stage.do(challenge("ann", "bob", "rock", "club"));
    stage.do(throwIn("bob", 1, "paper", "club"));
    assert.deepEqual(stage.do(hear(web("bob"), "nick Robert")).effects[0], {
      to: "ladder/club",
      body: { named: ["bob", "Robert"] },
    });
    assert.deepEqual(stage.do(quit("ann")).effects, [
      { to: "ladder/club", body: { gone: "ann" } },
      { to: "ladder/other", body: { gone: "ann" } },
    ]);
  });
});

describe("the address of a person who has quit", () => {
  test("[CH5][CH6] is forgotten an hour later, after the reply was sent", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    stage.says(telegram("7"), "quit");
    const due = stage.now + directoryLimits.forgetAfterMs;
    assert.equal(directoryDecider.nextDue(stage.directory!), due);
    assert.deepEqual(stage.at(due - 1), []);
    assert.ok(knows(stage, 1));
    const [{ events, effects }] = stage.at(due);
    assert.deepEqual(events, [{ type: "conversation-forgotten", conversation: 1 }]);
    assert.deepEqual(effects, []);
    assert.doesNotMatch(JSON.stringify(stage.saved), /telegram/);
    assert.equal(directoryDecider.nextDue(stage.directory!), undefined);
    stage.says(telegram("7"), "help");
    assert.equal(stage.directory!.conversationsMet, 2, "numbers are not reused");
  });

  test("[CH5] is kept when they write again before that", () => {
    const stage = new DirectoryStage();
    stage.says(sms("+491"), "nick Ann");
    stage.says(sms("+491"), "quit");
    stage.now += directoryLimits.forgetAfterMs - 1;
    const { events } = stage.do(hear(sms("+491"), "nick Ann"));
    assert.deepEqual(typesOf(events), ["kept", "named", "kept", "answered"]);
    assert.deepEqual(stage.at(stage.now + 100 * hours), []);
    assert.ok(knows(stage, 1));
  });

  test("[CH5] has its hour again after they quit again", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    stage.says(telegram("7"), "quit");
    stage.now += directoryLimits.forgetAfterMs - 1;
    stage.says(telegram("7"), "nick Ann");
    const { events } = stage.do(hear(telegram("7"), "quit"));
    assert.equal(events.at(-2)?.type, "forgotten");
    assert.deepEqual(stage.at(stage.now + directoryLimits.forgetAfterMs - 1), []);
    assert.equal(stage.at(stage.now + 1).length, 1);
    assert.ok(!knows(stage, 1));
  });

  test("[CH5][CH6] in a private chat is forgotten when they quit in a group, and the group is not", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    stage.says(telegram("8", "-5"), "nick Bob");
    stage.says(telegram("7", "-5"), "quit");
    stage.says(telegram("8", "-5"), "quit");
    stage.at(stage.now + directoryLimits.forgetAfterMs);
    assert.ok(!knows(stage, 1));
    assert.ok(knows(stage, 2));
  });

  test("[CH5] many are forgotten in several entries, in the order in which they quit", () => {
    const stage = new DirectoryStage();
    const count = directoryLimits.forgottenMax + 10;
    for (let nth = 1; nth <= count; nth++) stage.says(telegram(`${nth}`), `nick p${nth}`);
    for (let nth = count; nth >= 1; nth--) {
      stage.now++;
      stage.says(telegram(`${nth}`), "quit");
    }
    const ticks = stage.at(stage.now + directoryLimits.forgetAfterMs);
    assert.deepEqual(
      ticks.map(({ events }) => events.length),
      [directoryLimits.forgottenMax, 10],
    );
    assert.deepEqual(ticks[0].events[0], { type: "conversation-forgotten", conversation: count });
    assert.equal(stage.directory!.conversations.size, 0);
    assert.equal(stage.directory!.places.size, 0);
  });

  test("[CH5] in a private chat is forgotten when they quit elsewhere, or an operator removes them", () => {
    const stage = new DirectoryStage();
    stage.says(sms("+491"), "nick Ann");
    stage.says(telegram("8", "-5"), "nick Bob");
    const conversations = ["chat_1", "chat_2"].map((name) => {
      const forgotten = stage.do(quit(name)).events.at(-1)!;
      return forgotten.type === "forgotten" && forgotten.conversation;
    });
    assert.deepEqual(conversations, [1, null]);
    stage.at(stage.now + directoryLimits.forgetAfterMs);
    assert.ok(!knows(stage, 1));
    assert.ok(knows(stage, 2), "the group");
  });

  test("[CH5] duels and addresses that are due are handled in order of time", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.says(web("ann"), "throw rock @bob");
    const { nextDue } = directoryDecider;
    const lapse = nextDue(stage.directory!)!;
    stage.says(telegram("7"), "nick Cid");
    stage.says(telegram("7"), "quit");
    assert.equal(nextDue(stage.directory!), stage.now + directoryLimits.forgetAfterMs);
    stage.at(stage.now + directoryLimits.forgetAfterMs);
    assert.equal(nextDue(stage.directory!), lapse);
    const decision = directoryDecider.decide(stage.directory, directoryDecider.tick, millis(lapse - 1));
    assert.deepEqual(decision, { events: [] });
  });
});
