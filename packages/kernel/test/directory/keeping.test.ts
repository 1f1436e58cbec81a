import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ConversationNumber, directoryDecider, directoryLimits } from "@openseat/kernel";
import { throughBytes } from "../decider-stage.ts";
import { millis } from "../room-stage.ts";
import { DirectoryStage, day, hear, type Place, quit, sms, telegram, web } from "./stage.ts";

const { nextDue } = directoryDecider;
const { restore, save } = directoryDecider.snapshots;
const month = directoryLimits.namelessMsMax;
const hour = directoryLimits.forgetAfterMs;

const forgetAt = (stage: DirectoryStage, conversation = 1) =>
  stage.directory!.conversations.get(conversation as ConversationNumber)?.forgetAt;

/** The times that this message sets for forgetting the conversation. */
function keeps(stage: DirectoryStage, place: Place, text: string): (number | null)[] {
  const { events } = stage.do(hear(place, text));
  return events.flatMap((event) => (event.type === "met" || event.type === "kept" ? event.forgetAt : []));
}

describe("a conversation with a person without a nickname", () => {
  test("[CH5] is forgotten after a month of silence, without notice", () => {
    const stage = new DirectoryStage();
    assert.deepEqual(keeps(stage, sms("+491"), "help"), [stage.now + month]);
    const due = nextDue(stage.directory!)!;
    assert.equal(due, stage.now + month);
    assert.deepEqual(stage.at(due - 1), []);
    const [{ events, effects }] = stage.at(due);
    assert.deepEqual(events, [{ type: "conversation-forgotten", conversation: 1 }]);
    assert.deepEqual(effects, []);
    assert.doesNotMatch(JSON.stringify(stage.saved), /491/);
  });

  test("[CH5] gets another month with each message, recorded at most once per day", () => {
    const stage = new DirectoryStage();
    const first = stage.now;
    keeps(stage, telegram("7"), "help");
    stage.now = first + day - 1;
    assert.deepEqual(keeps(stage, telegram("7"), "help"), []);
    assert.equal(forgetAt(stage), first + month);
    stage.now = first + day;
    assert.deepEqual(keeps(stage, telegram("7"), "help"), [first + day + month]);
    assert.deepEqual(stage.at(first + month), []);
    assert.equal(stage.at(first + day + month).length, 1);
  });

  test("[CH5] is kept from their first nickname on, in the same entry, and unchanged by later ones", () => {
    const stage = new DirectoryStage();
    keeps(stage, sms("+491"), "help");
    assert.deepEqual(keeps(stage, sms("+491"), "nick x"), [], "the nickname is not allowed");
    assert.deepEqual(keeps(stage, sms("+491"), "nick Ann"), [null]);
    assert.deepEqual(keeps(stage, sms("+491"), "nick Queen"), []);
    stage.now += 2 * day;
    assert.deepEqual(keeps(stage, sms("+491"), "help"), []);
    assert.deepEqual(stage.at(stage.now + 100 * month), []);
    assert.equal(forgetAt(stage), null);
  });

  test("[CH5][CH6] is kept for a person who took a nickname in a group, from their next private message", () => {
    const stage = new DirectoryStage();
    keeps(stage, telegram("7"), "help");
    assert.deepEqual(keeps(stage, telegram("7", "-5"), "nick Ann"), [null], "the group");
    assert.equal(forgetAt(stage, 1), stage.now + month);
    assert.deepEqual(keeps(stage, telegram("7"), "help"), [null]);
  });

  test("[CH6] a group is kept, no matter who writes there", () => {
    const stage = new DirectoryStage();
    assert.deepEqual(keeps(stage, telegram("7", "-5"), "help"), [null]);
    assert.equal(nextDue(stage.directory!), undefined);
  });
});

describe("`quit` without a name", () => {
  test("[CH5] makes the address be forgotten after an hour, and gets a reply", () => {
    const stage = new DirectoryStage();
    const first = stage.now;
    assert.deepEqual(keeps(stage, telegram("7"), "quit"), [first + month, first + hour]);
    assert.match(stage.told("telegram/1")[0], /^You have left\. /);
    assert.equal(stage.at(first + hour).length, 1);
    assert.equal(stage.directory!.conversations.size, 0);
  });

  test("[CH5] has nothing to forget on the web and in a group", () => {
    const stage = new DirectoryStage();
    for (const place of [web("ann"), telegram("7", "-5")]) {
      const { events } = stage.do(hear(place, "quit"));
      const answered = events.at(-1)!;
      assert.ok(answered.type === "answered");
      assert.equal(answered.reply, "You have no nickname here, so there is nothing to delete.");
      assert.ok(!events.some(({ type }) => type === "kept"));
    }
    assert.equal(nextDue(stage.directory!), undefined);
  });

  test("[CH5] a later message keeps the address for a month, not forever", () => {
    for (const texts of [["quit"], ["nick Ann", "quit"]]) {
      const stage = new DirectoryStage();
      for (const text of texts) stage.says(telegram("7"), text);
      assert.equal(forgetAt(stage), stage.now + hour);
      stage.now += hour - 1;
      assert.deepEqual(keeps(stage, telegram("7"), "thanks"), [stage.now + month]);
      assert.deepEqual(stage.at(stage.now + month - 1), []);
      assert.equal(stage.at(stage.now + 1).length, 1);
    }
  });

  test("[CH5] repeated at one instant, with other messages in between, forgets once", () => {
    const scripts = [
      ["quit", "quit", "quit"],
      ["quit", "help", "quit"],
      ["nick Ann", "quit", "nick Ann", "quit"],
    ];
    for (const texts of scripts) {
      const stage = new DirectoryStage();
      for (const text of texts) stage.says(telegram("7"), text);
      const ticks = stage.at(stage.now + hour);
      assert.deepEqual(
        ticks.map(({ events }) => events),
        [[{ type: "conversation-forgotten", conversation: 1 }]],
        texts.join(),
      );
      assert.deepEqual(stage.at(stage.now + 2 * month), []);
    }
  });
});

test("[CH5][LG5] after a restart, conversations are forgotten at the same time and in the same order", () => {
  const stage = new DirectoryStage();
  for (const number of ["3", "1", "2"]) stage.says(sms(number), "help");
  stage.now += day;
  stage.says(sms("3"), "help");
  stage.says(sms("2"), "nick Bob");
  stage.says(sms("4"), "nick Ann");
  stage.do(quit("chat_2"));
  const other = restore(throughBytes(save(stage.directory!)));
  for (const later of [hour, month - day, month]) {
    const now = millis(stage.now + later);
    const { decide, tick } = directoryDecider;
    assert.deepEqual(decide(other, tick, now), decide(stage.directory, tick, now));
  }
  assert.equal(nextDue(other), stage.now + hour);
  const forgotten = stage.at(stage.now + month).flatMap(({ events }) => events);
  assert.deepEqual(
    forgotten.map((event) => event.type === "conversation-forgotten" && event.conversation),
    [4, 2, 1],
  );
  assert.deepEqual([...stage.directory!.conversations.keys()], [3], "Bob's");
});
