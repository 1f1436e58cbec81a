import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type DirectoryCommand,
  type DirectoryEvent,
  directoryDecider,
  type LadderCommand,
  ladderDecider,
} from "@openseat/kernel";
import { LogDamaged } from "../../src/host/stream/stream-state.ts";
import { range } from "../support/http.ts";
import { onChatStage, Pigeons } from "./chat-stage.ts";

const sorry = /^Sorry, something went wrong and your message/;

/** The rules of the directory, with a bug that a message with “poison” triggers. */
const poisonable = {
  ...directoryDecider,
  decide(...[state, command, now]: Parameters<typeof directoryDecider.decide>) {
    if (isPoison(command)) throw new Error("a fault in the rules");
    return directoryDecider.decide(state, command, now);
  },
};

function isPoison(command: DirectoryCommand): boolean {
  return command.type === "hear" && command.text.includes("poison") && !command.isBroken;
}

test("[CH7] a message that cannot be handled is answered, recorded, and answered the same when it is repeated", () =>
  onChatStage({ deciders: { directory: poisonable } }, async (stage) => {
    await stage.reply("ann", "nick Ann");
    const reply = await stage.reply("ann", "poison", "p");
    assert.match(reply, sorry);
    assert.ok(stage.errors.length > 0, "the error was reported");
    assert.equal(await stage.reply("ann", "poison", "p"), reply);
    assert.equal(await stage.another().reply("ann", "poison", "p"), reply, "also after the bug is fixed");
    const entries = await stage.entries<DirectoryEvent>("directory/main");
    const last = entries.at(-1)!;
    assert.deepEqual([last.key, last.events.at(-1)!.type], ["web ann p", "answered"]);
    assert.match(await stage.reply("ann", "help"), /^You are Ann\./);
    await stage.settle();
    const lines = await stage.lines("ann");
    assert.deepEqual(lines.slice(2, 4), ["you: poison", `openseat: ${reply}`]);
    assert.match(lines[4], /^you: help/);
  }));

test("[CH7] only the message that causes an error fails, however many are decided in its batch", () =>
  onChatStage({ deciders: { directory: poisonable } }, async (stage) => {
    const people = range(60);
    const texts = people.map((index) => (index % 9 === 4 ? "poison" : `nick Person-${index}`));
    const replies = await Promise.all(people.map((index) => stage.reply(`p${index}`, texts[index], "first")));
    for (const [index, reply] of replies.entries())
      assert.match(reply, texts[index] === "poison" ? sorry : new RegExp(`^Hello, Person-${index}!`));
    const again = await Promise.all(people.map((index) => stage.reply(`p${index}`, texts[index], "first")));
    assert.deepEqual(again, replies);
    assert.equal((await stage.received()).length, people.length, "each is in the log, once");
  }));

test("[CH7] from a channel, a message that cannot be handled does not block its conversation", async () => {
  const pigeons = new Pigeons();
  await onChatStage({ channels: [pigeons], deciders: { directory: poisonable } }, async (stage) => {
    const texts = ["nick Ann", "poison", "help"];
    for (const text of texts) await stage.bring(pigeons, ["ann's loft", "loft 1"], text);
    await stage.settle();
    assert.match(pigeons.sent[0], /^loft 1: Hello, Ann!/);
    assert.match(pigeons.sent[1], /^loft 1: Sorry, something went wrong/);
    assert.match(pigeons.sent[2], /^loft 1: You are Ann\./);
    assert.equal(pigeons.sent.length, 3);
  });
});

test("[CH7] if even that cannot be recorded it is refused, nothing is thrown, and it is received once it can be", async () => {
  const decide = () => {
    throw new Error("nothing works");
  };
  await onChatStage({ deciders: { directory: { ...directoryDecider, decide } } }, async (stage) => {
    const received = await stage.say("ann", "nick Ann", "n");
    assert.deepEqual("refusal" in received && received.refusal.code, "server.fault");
    const answer = await stage.ask("POST", "/api/v1/chat/messages", "ann", {
      messageId: "n",
      text: "nick Ann",
    });
    assert.deepEqual([answer.status, answer.body.code], [500, "server.fault"]);
    assert.match(await stage.another().reply("ann", "nick Ann", "n"), /^Hello, Ann!/);
  });
});

test("[CH7] a damaged ladder: messages for it get a reply that says so, and everything else continues", () =>
  onChatStage({}, async (stage) => {
    await stage.reply("ann", "nick Ann");
    await stage.reply("bob", "nick Bob");
    await stage.reply("ann", "register");
    const later = stage.another();
    stage.log.beforeRead = (stream) => {
      if (stream.startsWith("ladder/"))
        throw new LogDamaged(stream, "its hashes do not follow from each other");
    };
    const reply = await later.reply("ann", "top", "t");
    assert.match(reply, sorry);
    assert.match(await later.reply("ann", "throw rock @Bob rated", "r"), sorry);
    assert.match(await later.reply("ann", "throw rock @Bob"), /It is secret until Bob/);
    assert.match(await later.reply("bob", "throw paper"), /^You threw paper, Ann threw rock/);
    stage.log.beforeRead = () => {};
    assert.equal(
      await later.reply("ann", "top", "t"),
      reply,
      "after the repair it is still the same message",
    );
    assert.match(await later.reply("ann", "top"), /^1\. Ann 1000/);
    await later.stop();
  }));

test("[CH7] if the directory has the message and the ladder fails, the reply says so, also on repeats, and the others continue", async () => {
  const decide = (...[state, command, now]: Parameters<typeof ladderDecider.decide>) => {
    if (isThirteen(command)) throw new Error("a fault in the rules of ladders");
    return ladderDecider.decide(state, command, now);
  };
  await onChatStage({ deciders: { ladder: { ...ladderDecider, decide } } }, async (stage) => {
    for (const name of ["Ann", "Bob"]) {
      await stage.reply(name.toLowerCase(), `nick ${name}`);
      await stage.reply(name.toLowerCase(), "register");
    }
    const [poison, top, match] = await Promise.all([
      stage.reply("ann", "match @Bob 13-0", "poison"),
      stage.reply("bob", "rating @Ann"),
      stage.reply("bob", "match @Ann 2-1"),
    ]);
    assert.match(poison, sorry);
    assert.match(top, /^Ann is number/);
    assert.match(match, /^Match 1: Bob 2, Ann 1\./);
    assert.equal(await stage.reply("ann", "match @Bob 13-0", "poison"), poison);
    const mended = stage.another();
    assert.equal(
      await mended.reply("ann", "match @Bob 13-0", "poison"),
      poison,
      "it had no effect, and may never have one",
    );
    assert.match(await mended.reply("ann", "match @Bob 13-0"), /^Match 2: Ann 13, Bob 0\./);
    await mended.stop();
    await stage.settle();
    const told = (await stage.lines("ann")).filter((line) => sorry.test(line.slice("openseat: ".length)));
    assert.equal(told.length, 1, "said once");
  });
});

function isThirteen(command: LadderCommand): boolean {
  if (command.type !== "discuss" || command.isBroken) return false;
  return command.question.type === "match" && command.question.scores[0] === 13;
}
