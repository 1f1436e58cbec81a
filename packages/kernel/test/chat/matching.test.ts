import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { understand } from "@openseat/kernel";

function assertMatch(
  texts: readonly string[],
  players: readonly [string | undefined, string | undefined],
  scores: readonly [number, number],
): void {
  for (const text of texts)
    assert.deepEqual(understand(text), { type: "match", players, scores }, JSON.stringify(text));
}

describe("matches", () => {
  test("[CH5] two names and a score, in every way in which scores are written", () => {
    const tight = "3-1 3:1 3–1 3—1 3−1 3-1. 3-1! 3:1? 03-01".split(" ");
    for (const score of [...tight, "3 - 1", "3 : 1", "3 – 1", "3 1", "3- 1", "3 -1", "3 1 !"])
      assertMatch([`match @ann @bob ${score}`, `match ann bob ${score}`], ["ann", "bob"], [3, 1]);
  });

  test("[CH5] with words between the names, in any case and by any name of the command", () => {
    const texts = ["match @ann vs @bob 3-1", "match ann VS. bob 3-1", "report @ann beat @bob 3-1"];
    const more = [
      "/result@OpenseatBot @ann against @bob 3:1",
      "MATCH\n@ann\n@bob\n3-1",
      "match ann, bob: 3-1",
    ];
    assertMatch([...texts, ...more], ["ann", "bob"], [3, 1]);
  });

  test("[CH5] the sender's own match: with one name, or with `me` in either place", () => {
    assertMatch(
      ["match @bob 3-1", "match vs bob 3 1", "match me @bob 3-1", "match Me vs bob 3-1"],
      [undefined, "bob"],
      [3, 1],
    );
    assertMatch(["match @bob me 3-1"], ["bob", undefined], [3, 1]);
    assertMatch(["match @me @bob 3-1"], ["me", "bob"], [3, 1]);
    assertMatch(["match me 3-1"], [undefined, undefined], [3, 1]);
  });

  test("[CH5] draws, scores of zero, and names of digits", () => {
    assertMatch(["match @ann @bob 0-0", "match @ann @bob 0 0"], ["ann", "bob"], [0, 0]);
    assertMatch(["match @ann @bob 2-2"], ["ann", "bob"], [2, 2]);
    assertMatch(["match @12 @34 5-6", "match 12 34 5-6", "match 12 34 5 6"], ["12", "34"], [5, 6]);
    assertMatch(["match @ann @bob 999999-0"], ["ann", "bob"], [999_999, 0]);
  });

  test("[CH5] an invalid score or a wrong number of names gets the usage", () => {
    const noScores = ["", " 3", " three-one", " 31", " -3-1", " 1.5-1", " 1234567-1", " 3-1-2"];
    const names = ["", " 3-1", " @ 3-1", " @a @b @c 3-1", " vs 3-1", " ٣-١ @ann"];
    for (const rest of [...noScores.map((score) => ` @ann @bob${score}`), ...names])
      assert.deepEqual(understand(`match${rest}`), { type: "incomplete", command: "match" }, rest);
  });
});
