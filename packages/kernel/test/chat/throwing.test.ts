import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Hand, understand } from "@openseat/kernel";

const spellings: Readonly<Record<Hand, readonly string[]>> = {
  rock: ["rock", "Rock", "ROCK", "stone", "r", "R", "✊", "✊\ufe0f", "✊🏻", "✊🏿", "🪨", "rock!", "rock,"],
  paper: ["paper", "Paper", "p", "✋", "✋🏽", "📄", "📄\ufe0f", "paper."],
  scissors: "scissors Scissor s ✌ ✌\ufe0f ✌🏾 ✌🏾\ufe0f ✂ ✂\ufe0f ✂\ufe0e scissors;".split(" "),
};

/** Asserts that the texts mean this throw, for every spelling of every hand in place of `HAND`. */
function assertThrows(
  templates: readonly string[],
  aim: { readonly at?: string; readonly rated: boolean },
  isFit: (spelling: string) => boolean = () => true,
): void {
  for (const [hand, all] of Object.entries(spellings)) {
    for (const spelling of all.filter(isFit)) {
      for (const template of templates) {
        const text = template.replace("HAND", spelling);
        assert.deepEqual(understand(text), { type: "throw", hand, ...aim }, JSON.stringify(text));
      }
    }
  }
}

describe("throws", () => {
  test("[CH4][CH5] a hand and a name, in any order, with or without words between", () => {
    const told = ["throw HAND @bob", "throw @bob HAND", "/throw@OpenseatBot HAND @bob", "DUEL HAND bob"];
    const filled = [
      "throw HAND at @bob",
      "throw HAND against bob",
      "throw HAND vs bob",
      "throw HAND vs. bob",
    ];
    const more = [
      "throw HAND v bob",
      "throw HAND, @bob!",
      "throw HAND @bob ?!",
      "/duel @@bob  HAND",
      "throw HAND @ bob",
    ];
    assertThrows([...told, ...filled, ...more], { at: "bob", rated: false });
  });

  test("[CH4][CH5] the command may be left out when a hand comes first", () => {
    assertThrows(["HAND @bob", "HAND bob", "HAND vs @bob", "/HAND @bob", "!HAND @bob"], {
      at: "bob",
      rated: false,
    });
    assertThrows(
      ["/HAND@OpenseatBot @bob"],
      { at: "bob", rated: false },
      (spelling) => !/\p{P}/u.test(spelling),
    );
  });

  test("[CH4][CH5] a hand without a name is for the person who waits; a letter alone is not a throw", () => {
    assertThrows(["throw HAND", "throw HAND at", "throw HAND !", "throw @ HAND"], { rated: false });
    const isLetter = (spelling: string) => /^[a-z]$/i.test(spelling);
    assertThrows(["HAND", "/HAND", " HAND ?"], { rated: false }, (spelling) => !isLetter(spelling));
    for (const text of ["r", "R", "p!", "s ?", "/r"])
      assert.deepEqual(understand(text), { type: "unclear", why: "unknown" }, text);
  });

  test("[CH4][CH5] `rated` may be anywhere in the message", () => {
    assertThrows(
      ["throw HAND @bob rated", "throw rated HAND @bob", "HAND bob RATED!", "throw HAND rated @bob"],
      {
        at: "bob",
        rated: true,
      },
    );
    assertThrows(["throw HAND rated", "HAND Rated."], { rated: true });
    assertThrows(["throw HAND @rated"], { at: "rated", rated: false });
    assertThrows(["throw HAND @rated rated"], { at: "rated", rated: true });
  });

  test("[CH4][CH5] of two hands, the first is thrown, and the second is a name", () => {
    assertThrows(["throw HAND paper", "throw HAND @paper", "throw @paper HAND"], {
      at: "paper",
      rated: false,
    });
    assertThrows(["throw HAND @rock", "throw @rock HAND"], { at: "rock", rated: false });
  });

  test("[CH5] without a hand there is nothing to throw", () => {
    for (const rest of ["", " @bob", " bob", " @rock", " rated", " lizard @bob"])
      assert.deepEqual(understand(`throw${rest}`), { type: "incomplete", command: "throw" }, rest);
  });

  test("[CH5] names of any script, valid or not, are taken as typed", () => {
    const names = ["אבי", "سارة", "李雷", "Žižek", "𝒜lice", "a-b_c", "x".repeat(900), "<b>", "';--", "😀"];
    for (const name of names)
      assert.deepEqual(understand(`throw rock @${name}`), {
        type: "throw",
        hand: "rock",
        at: name.normalize("NFC"),
        rated: false,
      });
  });
});
