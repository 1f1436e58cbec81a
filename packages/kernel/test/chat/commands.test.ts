import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isForLadder, understand } from "@openseat/kernel";
import { messageLengthMax } from "../../src/chat/grammar.ts";

/** The commands that need no arguments, with their aliases. */
const words: Readonly<Record<string, string>> = {
  ...{ help: "help ? start", games: "games duels", quit: "quit forget", register: "register join" },
  ...{ rating: "rating rank", history: "history", top: "top standings", undo: "undo", confirm: "confirm" },
  decline: "decline withdraw",
};
const wordsThatNeedMore = { nick: "nick name nickname", throw: "throw duel", match: "match report result" };
const alone = [
  ...Object.entries(words).map(([type, all]) => [all, { type }] as const),
  ...Object.entries(wordsThatNeedMore).map(
    ([command, all]) => [all, { type: "incomplete", command }] as const,
  ),
].flatMap(([all, meaning]) => all.split(" ").map((word) => [word, meaning] as const));

const spaces = [" ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0000", "\u0085", " \u200b "];
const unseen = [
  ...["\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200d", "\u200e", "\u200f", "\u202e"],
  ...["\u2060", "\u2066", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\u{e0061}", "\u{e0100}"],
];

/** Asserts that all texts have the same meaning. */
function assertAll(texts: readonly string[], meaning: object): void {
  for (const text of texts) assert.deepEqual(understand(text), meaning, JSON.stringify(text));
}

describe("commands", () => {
  test("[CH5] each command and its aliases", () => {
    for (const [word, meaning] of alone) assertAll([word], meaning);
  });

  test("[CH5] case, `/`, `!`, a bot's name and punctuation do not matter", () => {
    for (const [word, meaning] of alone) {
      const titled = word.charAt(0).toUpperCase() + word.slice(1);
      const plain = [word.toUpperCase(), titled, `/${word}`, `!${word}`, `//${word}`, `/${word}@OpenseatBot`];
      const marked = [`${word}!`, `${word}.`, `${word}?`, `${word}!!!`, `${word},`, `/${word}@OpenseatBot?!`];
      assertAll([...plain, ...marked], meaning);
    }
  });

  test("[CH5] spaces of any kind and number do not matter", () => {
    for (const [word, meaning] of alone)
      assertAll(
        spaces.flatMap((space) => [`${space}${word}`, `${word}${space}`, `${space}${word}${space}`]),
        meaning,
      );
    for (const space of spaces)
      assertAll([`throw${space}rock${space}@bob`], { type: "throw", hand: "rock", at: "bob", rated: false });
  });

  test("[CH5] invisible characters do not matter anywhere", () => {
    for (const mark of unseen)
      assertAll([`${mark}thr${mark}ow ${mark} ro${mark}ck ${mark}@${mark}b${mark}ob${mark}`], {
        type: "throw",
        hand: "rock",
        at: "bob",
        rated: false,
      });
  });

  test("[CH5] extra words after a command without arguments are ignored", () => {
    assertAll(["help me please", "help throw"], { type: "help" });
    assertAll(["games of mine", "duels ?"], { type: "games" });
    assertAll(["top 10", "standings!! now"], { type: "top" });
  });

  test("[CH5] commands that cannot be undone must be the only thing said", () => {
    assertAll(["quit", "forget me", "Forget ME!", "quit ?"], { type: "quit" });
    assertAll(["quit it", "forget about it", "quit @me", "forget me not"], {
      type: "incomplete",
      command: "quit",
    });
    assertAll(["undo .", "/undo@OpenseatBot"], { type: "undo" });
    assertAll(["undo the last one", "undo @bob"], { type: "incomplete", command: "undo" });
  });

  test("[CH5] confirm takes an optional name", () => {
    assertAll(["confirm @bob", "confirm bob!", "/confirm @@bob please"], { type: "confirm", of: "bob" });
    assertAll(["confirm", "confirm @", "confirm !"], { type: "confirm" });
  });

  test("[CH5] register takes an optional ladder", () => {
    assertAll(["register club", "/join@OpenseatBot club", "Register  club.", "register @club"], {
      type: "register",
      ladder: "club",
    });
    assertAll(["register Club-7_x"], { type: "register", ladder: "Club-7_x" });
    assertAll(["register !", "join ?"], { type: "register" });
  });

  test("[CH4][CH5] decline with a name drops a duel; without a name, it declines a match", () => {
    assertAll(
      ["decline @bob", "decline bob", "/withdraw@OpenseatBot @@bob", "Withdraw  bob!", "decline bob please"],
      {
        type: "drop",
        at: "bob",
      },
    );
    assertAll(["decline @Žižek", "decline Z\u030ciz\u030cek"], { type: "drop", at: "Žižek" });
    assertAll(["decline @", "withdraw !", "decline ?"], { type: "decline" });
  });

  test("[CH5] rating and history take an optional name", () => {
    for (const type of ["rating", "history"] as const) {
      assertAll([`${type} @bob`, `${type} bob`, `/${type} @bob.`, `${type} bob?`, `${type} @@bob`], {
        type,
        of: "bob",
      });
      assertAll([type, `${type} me`, `${type} ME!`, `${type} ?`, `${type} @`], { type });
      assertAll([`${type} @me`], { type, of: "me" });
      assertAll([`${type} Žižek`, `${type} Z\u030ciz\u030cek`], { type, of: "Žižek" });
    }
  });

  test("[CH5][NM2] a nickname keeps its punctuation", () => {
    assertAll(["nick Bob", "/nick @Bob", "NAME Bob", "nickname\nBob", "nick @@Bob"], {
      type: "nick",
      name: "Bob",
    });
    assertAll(["nick Bob!"], { type: "nick", name: "Bob!" });
    assertAll(["nick Bob !"], { type: "nick", name: "Bob !" });
    assertAll(["nick two  words"], { type: "nick", name: "two words" });
    assertAll(["nick @"], { type: "nick", name: "" });
    assertAll(["nick e\u0301a", "nick e\u200d\u0301a"], { type: "nick", name: "éa" });
  });

  test("[CH5] messages for a ladder are recognised", () => {
    const forLadder = ["register", "match @a 1-0", "rating", "top", "history", "undo", "confirm", "decline"];
    const others = ["help", "nick a", "throw rock", "games", "quit", "decline @a", "match", "what", ""];
    assert.deepEqual(
      forLadder.filter((text) => !isForLadder(understand(text))),
      [],
    );
    assert.deepEqual(
      others.filter((text) => isForLadder(understand(text))),
      [],
    );
  });
});

describe("messages that are not commands", () => {
  test("[CH5] empty and invisible texts", () => {
    const nothing = ["", " ", "\n\t\r", "\u0000\u0001\u001f\u007f", "\u00a0\u3000", unseen.join("")];
    assertAll([...nothing, "\u202e \u200b"], { type: "unclear", why: "empty" });
  });

  test("[CH5] texts that are too long", () => {
    const long = { type: "unclear", why: "long" };
    assertAll(["x".repeat(messageLengthMax + 1), " ".repeat(1_000_000), `help ${"💥".repeat(500)}`], long);
    assert.deepEqual(understand(`help ${"x".repeat(messageLengthMax - 5)}`), { type: "help" });
  });

  test("[CH5] any other text, including names of object properties", () => {
    const inherited = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "then"];
    const odd = ["hello", "/", "!", "///", "@", "@bob", "@bob rock", "👍", "مرحبا", "\ud83d", "\udc00 rock"];
    const almost = ["helpp", "hel p", "th row rock @bob", "rockk", "r", "P", "s!", "rock@bob", "1-0", "3 1"];
    const texts = [...inherited, ...odd, ...almost];
    assertAll(texts, { type: "unclear", why: "unknown" });
    assertAll(
      inherited.flatMap((word) => [`/${word}`, `${word} @bob 3-1`, `${word}@OpenseatBot x`]),
      { type: "unclear", why: "unknown" },
    );
  });

  test("[CH5] people may have the names of commands, hands and object properties", () => {
    for (const name of "help throw rock rated me vs constructor __proto__ toString".split(" ")) {
      assertAll([`throw paper @${name}`, `throw @${name} paper`], {
        type: "throw",
        hand: "paper",
        at: name,
        rated: false,
      });
      assertAll([`rating @${name}`], { type: "rating", of: name });
      assertAll([`match @${name} @bob 3-1`], { type: "match", players: [name, "bob"], scores: [3, 1] });
      assertAll([`nick ${name}`], { type: "nick", name });
    }
  });
});
