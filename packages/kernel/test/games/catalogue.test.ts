import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { catalogue, gameNamed } from "../../src/match/catalogue.ts";
import {
  checkEnd,
  checkMoves,
  checkSameAgain,
  checkSecrets,
  checkViews,
  checkWords,
  type Script,
  scripts,
} from "./checks.ts";

test("every game of the catalogue has a name of its own, by which it is found", () => {
  for (const game of catalogue) assert.equal(gameNamed(game.name), game);
  assert.equal(gameNamed("solitaire"), undefined);
});

for (const game of catalogue) {
  describe(game.name, () => {
    const always = (holds: (script: Script) => void) => fc.assert(fc.property(scripts(game), holds));

    test("names, labels, moves and options fit the wire and can be read out", () => checkWords(game));

    test("a match ends, and nobody has to move exactly when it has", () =>
      always((script) => checkEnd(game, script)));

    test("all that may be played is on the table, once", () => always((script) => checkMoves(game, script)));

    test("[MT1] a state is never changed, and the same seed, options and moves lead to the same again", () =>
      always((script) => checkSameAgain(game, script)));

    test("what is seen fits the table, is small, and arrives as it was sent", () =>
      always((script) => checkViews(game, script)));

    if (game.isSecret)
      test("[MT3] nobody can tell one secret move from another before all have moved", () => {
        let compared = 0;
        always((script) => {
          compared += checkSecrets(game, script);
        });
        assert.ok(compared > 0, "there was nothing to compare");
      });
  });
}
