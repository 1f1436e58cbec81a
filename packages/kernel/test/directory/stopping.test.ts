import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DirectoryEvent, directoryDecider } from "@openseat/kernel";
import { throughBytes } from "../decider-stage.ts";
import { challenge, consent, DirectoryStage, day, hear, pass, quit, sms, takeName } from "./stage.ts";

const phone = sms("+491");
const typesOf = (events: readonly DirectoryEvent[]) => events.map(({ type }) => type);
const replyOf = (events: readonly DirectoryEvent[]) => {
  const last = events.at(-1)!;
  return last.type === "answered" ? last.reply : undefined;
};

/** Ann has a phone and a duel with Bob, who is on the web. */
function stageOf(): DirectoryStage {
  const stage = new DirectoryStage().named("bob");
  stage.do(hear(phone, "nick Ann"));
  return stage;
}
const sentToPhone = ({ sent }: DirectoryStage) => sent.filter(({ to }) => to === "sms/1").length;

describe("STOP and START", () => {
  test("[CH8] after STOP no notices or results are sent; STOP itself gets no reply", () => {
    const stage = stageOf();
    stage.do(challenge("bob", "Ann", "rock"));
    assert.equal(sentToPhone(stage), 1);
    const { events, effects } = stage.do(consent(phone, "STOP"));
    assert.deepEqual([typesOf(events), replyOf(events), effects], [["unsubscribed", "answered"], "", []]);
    stage.do(hear(phone, "throw rock @bob"));
    stage.do(challenge("bob", "Ann", "rock"));
    stage.do(pass("ladder/club", [[1, "chat_1", "A match."]]));
    assert.equal(sentToPhone(stage), 1);
    assert.deepEqual(typesOf(stage.do(consent(phone, "STOP")).events), ["answered"], "a second time");
  });

  test("[CH8] messages still get replies, and START turns notices on again", () => {
    const stage = stageOf();
    stage.do(consent(phone, "STOP"));
    assert.match(stage.says(phone, "help"), /^You are Ann\./);
    const { events } = stage.do(consent(phone, "START"));
    assert.deepEqual(typesOf(events), ["resubscribed", "answered"]);
    assert.match(replyOf(events)!, /^You are Ann\./);
    stage.do(challenge("bob", "Ann", "rock"));
    assert.equal(sentToPhone(stage), 1);
  });

  test("[CH8] START without STOP is an ordinary message", () => {
    const stage = stageOf();
    assert.deepEqual(typesOf(stage.do(consent(phone, "START")).events), ["answered"]);
  });

  test("[CH8] the number stays unsubscribed when its person quits, is silent, or comes back by another name", () => {
    for (const leaving of ["forget me", "web", "silence"]) {
      const stage = stageOf();
      stage.do(consent(phone, "STOP"));
      if (leaving === "forget me") stage.do(hear(phone, leaving));
      if (leaving === "web") stage.do(quit("chat_1"));
      stage.now += 60 * day;
      stage.wake();
      stage.do(hear(phone, "nick Anna"));
      stage.do(challenge("bob", "Anna", "rock"));
      assert.equal(sentToPhone(stage), 0, leaving);
    }
  });

  test("[CH8] a person without a nickname who wrote STOP is remembered, and forgotten a month after START", () => {
    const stage = new DirectoryStage();
    stage.do(consent(phone, "STOP"));
    stage.now += 60 * day;
    stage.wake();
    assert.equal(stage.directory!.conversations.size, 1);
    assert.match(replyOf(stage.do(hear(phone, "quit")).events)!, /^You have left/);
    stage.do(consent(phone, "START"));
    stage.now += 31 * day;
    stage.wake();
    assert.equal(stage.directory!.conversations.size, 0);
  });

  test("[CH8][LG5] it outlasts a restart", () => {
    const stage = stageOf();
    stage.do(consent(phone, "STOP"));
    stage.directory = directoryDecider.snapshots.restore(
      throughBytes(directoryDecider.snapshots.save(stage.directory!)),
    );
    stage.do(takeName("cid", "Cid"));
    stage.do(challenge("cid", "Ann", "rock"));
    assert.equal(sentToPhone(stage), 0);
  });
});
