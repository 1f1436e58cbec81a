import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catalogue, gameNamed } from "../../src/match/catalogue.ts";
import {
  always,
  checkEnd,
  checkMoves,
  checkSameAgain,
  checkSecrets,
  checkViews,
  checkWords,
} from "./checks.ts";

test("every game of the catalogue has a name of its own, by which it is found", () => {
  for (const game of catalogue) assert.equal(gameNamed(game.name), game);
  assert.equal(gameNamed("solitaire"), undefined);
});

for (const game of catalogue) {
  describe(game.name, () => {
    test("names, labels, moves and options fit the wire and can be read out", () => checkWords(game));

    test("a match ends, and nobody has to move exactly when it has", () => always(game, checkEnd));

    test("all that may be played is on the table, once", () => always(game, checkMoves));

    test("[MT1] a state is never changed, and the same seed, options and moves lead to the same again", () =>
      always(game, checkSameAgain));

    test("what is seen fits the table, is small, and arrives as it was sent", () => always(game, checkViews));

    if (game.isSecret)
      test("[MT3] nobody can tell one secret move from another before all have moved", () => {
        let compared = 0;
        always(game, (_, script) => {
          compared += checkSecrets(game, script);
        });
        assert.ok(compared > 0, "there was nothing to compare");
      });
  });
}
