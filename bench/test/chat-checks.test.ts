import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  conversationDecider,
  type Directory,
  type DirectoryCommand,
  type DirectoryEvent,
  directoryDecider,
  type PersonId,
} from "@openseat/kernel";
import { Host, SqliteLog, systemClock } from "@openseat/server";
import { type ChatSaid, chatVerdicts } from "../src/chat/chat-checks.ts";
import { type ChatHistory, readChat } from "../src/chat/chat-log.ts";
import { OutboxWatch } from "../src/chat/outbox-watch.ts";

test("what the log says of a chat is what was said there, once all is told", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "openseat-chat-checks-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = await SqliteLog.open(folder);
  const deciders = { directory: directoryDecider, conversation: conversationDecider };
  const host = new Host({ log, clock: systemClock, deciders });
  host.start();
  const directory = host.streams<Directory, DirectoryCommand, DirectoryEvent>("directory");
  const say = async (name: string, id: string, text: string) => {
    const person = name as PersonId;
    const key = `web ${person} ${id}`;
    const command: DirectoryCommand = {
      ...{ type: "hear", channel: "web", speaker: { person }, text, isSent: true },
    };
    const outcome = await directory.ask("main", { command, by: person, key });
    assert.ok("entry" in outcome);
  };
  await say("ann", "1", "nick Ann");
  await say("bob", "1", "nick Bob");
  await say("ann", "2", "throw rock @Bob");
  await say("bob", "2", "throw paper @Ann");
  await say("ann", "2", "throw rock @Bob");
  await say("bob", "3", "throw paper @Ann");
  const outbox = new OutboxWatch(folder);
  await outbox.untilEmpty();
  outbox.close();
  await host.stop();

  const { replies, ...counts } = readChat(folder);
  // Each of five messages with its reply, and three times what the other one is told.
  assert.deepEqual(counts, { duelsOpened: 2, duelsEnded: 1, heard: 5, heardTwice: 0, lines: 13 });
  assert.equal(replies.size, 3);
  assert.match(replies.get("3")!, /You threw/);
});

test("a duel, a message, an answer and a line that are not as they should be are found", () => {
  const history: ChatHistory = {
    ...{ duelsOpened: 3, duelsEnded: 2, heard: 12, heardTwice: 0, lines: 31 },
    replies: new Map([["a", "You win!"]]),
  };
  const said: ChatSaid = {
    ...{ throws: 5, matches: 2, others: 5, changed: 0 },
    answers: new Map([["a", '{"data":{"reply":"You win!"}}']]),
  };
  const missed = (changes: Partial<ChatHistory>, saidToo: Partial<ChatSaid> = {}) =>
    chatVerdicts({ ...history, ...changes }, { ...said, ...saidToo })
      .filter(({ met }) => !met)
      .map(({ what }) => what.replace(/chat: (\w+) .*/, "$1"));
  assert.deepEqual(missed({}), []);
  assert.deepEqual(missed({ duelsEnded: 3 }), ["duels"]);
  assert.deepEqual(missed({ duelsOpened: 4 }), ["duels"]);
  assert.deepEqual(missed({ heard: 11 }), ["messages"]);
  assert.deepEqual(missed({ heardTwice: 1 }), ["messages"]);
  assert.deepEqual(missed({ replies: new Map([["a", "You lose."]]) }), ["answers"]);
  assert.deepEqual(missed({ replies: new Map() }), ["answers"]);
  assert.deepEqual(missed({}, { changed: 1 }), ["repeated"]);
  assert.deepEqual(missed({ lines: 32 }), ["lines"]);
});
