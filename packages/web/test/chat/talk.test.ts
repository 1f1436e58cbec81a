import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ConversationLine } from "@openseat/client";
import {
  daysOf,
  entriesOf,
  isAtEnd,
  runsOf,
  suggestions,
  timeShown,
} from "../../src/chat/conversation-lines.ts";
import { noTalk, type Talk, type TalkNews, talkAfter } from "../../src/chat/talk.ts";

const at = "2030-01-01T12:00:00.000Z";

/** Lines from texts such as `you: help`, numbered from 1 or from a given number. */
function linesOf(texts: readonly string[], first = 1): ConversationLine[] {
  return texts.map((line, index) => {
    const [by, ...rest] = line.split(": ");
    return { number: first + index, by: by as "you" | "openseat", text: rest.join(": "), at };
  });
}

const after = (...news: TalkNews[]): Talk => news.reduce(talkAfter, noTalk);
const live = (...texts: string[]): TalkNews => ({ type: "live", lines: linesOf(texts) });
const saying = (id: string, text: string): TalkNews => ({ type: "saying", id, text, at });
const answered = (id: string, word: string): TalkNews => ({ type: "answered", id, word });
const failed = (id: string, word = ""): TalkNews => ({ type: "failed", id, word });
/** The shown entries, with sender and state. */
const shown = (talk: Talk) =>
  entriesOf(talk).map(({ by, text, sending }) =>
    [by, text, ...(sending ? [sending.isFailed ? "failed" : "sending"] : [])].join(" "),
  );

describe("messages from the page", () => {
  test("[CH6] are shown at once, then with their reply, and then as the conversation has them", () => {
    const begun = after(live(), saying("a", "help"));
    assert.deepEqual(shown(begun), ["you help sending"]);
    const told = talkAfter(begun, answered("a", "Hello!"));
    assert.deepEqual(shown(told), ["you help", "openseat Hello!"]);
    const had = talkAfter(told, live("you: help", "openseat: Hello!"));
    assert.deepEqual([shown(had), had.outgoing], [["you help", "openseat Hello!"], []]);
  });

  test("[CH6] the conversation may contain the message before its reply arrives", () => {
    const had = after(live(), saying("a", "help"), live("you: help", "openseat: Hello!"));
    assert.deepEqual([shown(had), had.said.text], [["you help", "openseat Hello!"], "Hello!"]);
    assert.equal(talkAfter(had, answered("a", "Hello!")), had, "neither shown nor announced twice");
  });

  test("[CH1] equal texts are two messages, each shown once", () => {
    const before = ["you: top", "openseat: Nobody."];
    const both = after(live(...before), saying("a", "top"), saying("b", "top"));
    assert.deepEqual(shown(both).slice(2), ["you top sending", "you top sending"]);
    const one = talkAfter(both, live(...before, "you: top", "openseat: Ann."));
    assert.deepEqual(shown(one).slice(2), ["you top", "openseat Ann.", "you top sending"]);
    assert.equal(one.outgoing[0].id, "b", "an earlier line is not taken for the message");
  });

  test("[CH1] a failed message says so, is retried under its id, and disappears if it had arrived", () => {
    const lost = after(live(), saying("a", "help"), failed("a", "Too fast."));
    assert.deepEqual(shown(lost), ["you help failed"]);
    assert.equal(entriesOf(lost)[0].sending?.why, "Too fast.");
    assert.equal(lost.said.text, "Your message was not sent.");
    const again = talkAfter(lost, saying("a", "help"));
    assert.deepEqual([shown(again), again.outgoing.length], [["you help sending"], 1]);
    const found = talkAfter(lost, live("you: help", "openseat: Hello!"));
    assert.deepEqual(shown(found), ["you help", "openseat Hello!"]);
  });

  test("a long message is recognised by its stored part", () => {
    const long = "🙂".repeat(400);
    const had = after(live(), saying("a", `${long}`), {
      type: "live",
      lines: [{ number: 1, by: "you", text: long.slice(0, 500), at }],
    });
    assert.deepEqual(had.outgoing, []);
  });

  test("fetched lines are shown until live lines arrive, and never afterwards", () => {
    const looked: TalkNews = { type: "fetched", lines: linesOf(["you: old"]) };
    assert.deepEqual(shown(after(looked)), ["you old"]);
    assert.deepEqual(shown(after(live("you: old", "openseat: new"), looked)), ["you old", "openseat new"]);
  });
});

describe("screen reader announcements of a conversation", () => {
  test("contain new lines of Openseat once, and no old ones", () => {
    const begun = after(live("you: help", "openseat: Hello!"));
    assert.equal(begun.said.text, "");
    const told = talkAfter(begun, live("you: help", "openseat: Hello!", "openseat: Bob challenges you."));
    assert.deepEqual(told.said, { text: "Bob challenges you.", number: 1 });
    assert.deepEqual(talkAfter(told, live("you: help", "openseat: Hello!")).said, told.said);
  });

  test("a reply is announced when it arrives, with any other new lines", () => {
    const told = after(live(), saying("a", "throw rock"), answered("a", "You win!"));
    assert.deepEqual(told.said, { text: "You win!", number: 1 });
    const had = talkAfter(told, live("you: throw rock", "openseat: You win!"));
    assert.equal(had.said, told.said);
    const more = talkAfter(told, live("you: throw rock", "openseat: You win!", "openseat: You win!"));
    assert.deepEqual(more.said, { text: "You win!", number: 2 }, "an equal text is announced again");
  });
});

describe("the layout of a conversation", () => {
  /** In the reader's time zone. */
  const local = (day: number, hour: number, minute = 0) => new Date(2030, 0, day, hour, minute).toISOString();
  const entry = (by: "you" | "openseat", time: string) => ({ key: time, by, text: "…", at: time });

  test("groups lines by day, speaker and time", () => {
    const days = daysOf(
      [
        entry("openseat", local(1, 9)),
        entry("you", local(9, 23, 59)),
        entry("you", local(10, 0, 1)),
        entry("you", local(10, 0, 3)),
        entry("openseat", local(10, 0, 3)),
        entry("openseat", local(10, 11)),
      ],
      Date.parse(local(10, 12)),
    );
    assert.deepEqual(
      days.map(({ name, groups }) => [name, groups.map(({ by, entries }) => `${by} ${entries.length}`)]),
      [
        ["1 Jan 2030", ["openseat 1"]],
        ["Yesterday", ["you 1"]],
        ["Today", ["you 2", "openseat 1", "openseat 1"]],
      ],
    );
    assert.equal(timeShown(local(10, 0, 3)), "00:03");
  });

  test("an empty conversation has no days", () => assert.deepEqual(daysOf([], 0), []));

  test("right-to-left names are isolated in lines of Openseat", () => {
    assert.deepEqual(runsOf("Zoë is number 1 of 4."), ["Zoë is number 1 of 4."]);
    assert.deepEqual(runsOf("2. שלום-רב 1000"), ["2. ", "שלום-רב", " 1000"]);
    assert.deepEqual(runsOf("throw rock @א1: it is"), ["throw rock @", "א1", ": it is"]);
    assert.deepEqual(runsOf("Nobody is called شخص آخر here."), ["Nobody is called ", "شخص آخر", " here."]);
  });

  test("the view follows the end unless the reader has scrolled up", () => {
    const box = { clientHeight: 400, scrollHeight: 1_000 };
    assert.deepEqual(
      [600, 560, 500, 0].map((scrollTop) => isAtEnd({ ...box, scrollTop })),
      [true, true, false, false],
    );
  });
});

test("[CH5] every command is suggested, and commands that affect others are only filled in", () => {
  const whole = suggestions.filter(({ isWhole }) => isWhole).map(({ text }) => text);
  assert.deepEqual(whole, ["help", "games", "register", "rating", "top", "history"]);
  const begun = suggestions.filter(({ isWhole }) => !isWhole).map(({ text }) => text);
  assert.deepEqual(begun, ["nick ", "throw rock @", "match @", "undo"]);
});
