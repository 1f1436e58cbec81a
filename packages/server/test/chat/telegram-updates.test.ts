import assert from "node:assert/strict";
import { test } from "node:test";
import { readUpdate } from "../../src/channels/telegram-updates.ts";
import type { Json } from "../support/http.ts";
import { misshapen } from "./telegram-faults.ts";

const bot = { id: 7654321, username: "OurBot" };
const from = { id: 42, is_bot: false, first_name: "Ann" };
const alone = { id: 42, type: "private", first_name: "Ann" };
const group = { id: -17, type: "group", title: "The club" };

const read = (message: Json) => readUpdate({ update_id: 31, message: { message_id: 1, ...message } }, bot);

/** The text as read; undefined if the update is ignored. */
function textOf(message: Json): string | undefined {
  const reading = read({ from, ...message });
  assert.ok(reading.kind === "message" || reading.kind === "ignored", JSON.stringify(reading));
  return reading.kind === "message" ? reading.message.text : undefined;
}

test("[CH1] [CH6] a private message is read with the ids of the update, the person and the chat", () => {
  assert.deepEqual(read({ chat: alone, from, text: "throw rock @bob" }), {
    kind: "message",
    id: 31,
    message: { id: "7654321.31.0", sender: "42", place: "42", text: "throw rock @bob" },
  });
});

test("[CH1] a message from another bot, or from the same bot at another time, is a different message", () => {
  const message = { message_id: 1, date: 1_700_000_000, chat: alone, from, text: "top" };
  const idOf = (given: Json, as = bot) => {
    const reading = readUpdate({ update_id: 31, message: given }, as);
    return reading.kind === "message" ? reading.message.id : undefined;
  };
  assert.equal(idOf(message), "7654321.31.1700000000");
  assert.equal(idOf({ ...message, text: "help" }), idOf(message));
  assert.notEqual(idOf({ ...message, date: 1_800_000_000 }), idOf(message));
  assert.notEqual(idOf(message, { ...bot, id: 8 }), idOf(message));
});

test("[CH6] a message in a group or a supergroup is read with its title", () => {
  for (const type of ["group", "supergroup"])
    assert.deepEqual(read({ chat: { ...group, type }, from, text: "/top" }), {
      kind: "message",
      id: 31,
      message: { id: "7654321.31.0", sender: "42", place: "-17", group: { title: "The club" }, text: "/top" },
    });
});

test("[CH5] [CH6] in private chats a caption counts as text, and a message without text is empty", () => {
  assert.equal(textOf({ chat: alone, photo: [{}], caption: "top" }), "top");
  for (const thing of [{ photo: [{}] }, { sticker: {} }, { location: {} }, {}])
    assert.equal(textOf({ chat: alone, ...thing }), "");
});

test("[CH6] in groups, only messages that begin with a slash, mention the bot or reply to it are read", () => {
  const before = (id: number) => ({ reply_to_message: { from: { id, is_bot: id === bot.id } } });
  const cases: [message: Json, received: string | undefined][] = [
    [{ text: "/top" }, "/top"],
    [{ caption: "/top", photo: [{}] }, "/top"],
    [{ text: "@OurBot top" }, "top"],
    [{ text: "well, @OurBot: top" }, "well, top"],
    [{ text: "top", ...before(bot.id) }, "top"],
    [{ text: "top" }, undefined],
    [{ text: "top", ...before(99) }, undefined],
    [{ text: "top", reply_to_message: { from: null } }, undefined],
    [{ text: "top @OurBotToo" }, undefined],
    [{ text: "mail me@OurBot" }, undefined],
    [{ text: "what does a/b mean?" }, undefined],
    [{ new_chat_members: [{}] }, undefined],
    [{ text: "" }, undefined],
  ];
  for (const [message, received] of cases)
    assert.equal(textOf({ chat: group, ...message }), received, JSON.stringify(message));
});

test("[CH6] a command for another bot is ignored in a group, in every form", () => {
  for (const text of [
    "/top@otherbot",
    "/top@OurBotToo",
    "/throw@other rock @OurBot",
    "@OurBot /top@otherbot",
  ])
    assert.equal(textOf({ chat: group, text }), undefined, text);
  const reply = { reply_to_message: { from: { id: bot.id } } };
  assert.equal(textOf({ chat: group, text: "/top@otherbot", ...reply }), undefined);
});

test("[CH5] the bot's own name is removed in any case, in private chats and in groups", () => {
  const cases = {
    "/throw@OurBot rock": "/throw rock",
    "/throw@OURBOT rock @bob": "/throw rock @bob",
    "/top@ourbot": "/top",
    "@OurBot throw rock": "throw rock",
    "@ourbot, throw rock": "throw rock",
    "@OurBot /throw@OurBot rock": "/throw rock",
    "throw @OurBot rock": "throw rock",
    "@OurBot": "",
  };
  for (const chat of [alone, group])
    for (const [text, received] of Object.entries(cases))
      assert.equal(textOf({ chat, text }), received, text);
  assert.equal(textOf({ chat: alone, text: "throw rock @OurBotToo" }), "throw rock @OurBotToo");
});

test("[CH6] messages of bots and channels, edits, and all other kinds of updates are ignored", () => {
  const message = { message_id: 1, chat: alone, from, text: "top" };
  const ignored = [
    { update_id: 31, message: { ...message, from: { ...from, is_bot: true } } },
    { update_id: 31, message: { ...message, chat: { id: -100, type: "channel", title: "News" } } },
    { update_id: 31, message: { ...message, chat: group, text: "/top", sender_chat: { id: -100 } } },
    { update_id: 31, edited_message: message },
    { update_id: 31, channel_post: message },
    { update_id: 31, callback_query: { id: "1", from, message } },
    { update_id: 31, my_chat_member: {} },
    { update_id: 31 },
  ];
  for (const update of ignored)
    assert.deepEqual(readUpdate(update, bot), { kind: "ignored", id: 31 }, JSON.stringify(update));
});

test("[CH6] a group that becomes a supergroup has moved", () => {
  const moved = { kind: "moved", id: 31, messageId: "7654321.31.0", from: "-17", to: "-1000017" };
  assert.deepEqual(read({ chat: group, from, migrate_to_chat_id: -1_000_017 }), moved);
  assert.deepEqual(read({ chat: group, migrate_to_chat_id: -1_000_017 }), moved, "with any sender");
});

test("[CH7] an update in an unexpected format is malformed, with its id if that can be read", () => {
  for (const fields of misshapen) {
    const reading = readUpdate({ update_id: 31, ...fields }, bot);
    assert.deepEqual([reading.kind, reading.id], ["malformed", 31], JSON.stringify(fields));
  }
  const message = { chat: alone, from, text: "top" };
  const odd = [null, undefined, 7, "update", [], [{ update_id: 31 }], {}];
  const ids = [null, "31", 1.5, -31, Number.NaN, 2 ** 60, {}].map((update_id) => ({ update_id, message }));
  for (const update of [...odd, ...ids]) {
    const reading = readUpdate(update, bot);
    assert.deepEqual([reading.kind, reading.id], ["malformed", undefined], JSON.stringify(update));
  }
});
