import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  canVoid,
  changesShown,
  claim,
  claimQuestion,
  matchSummary,
  scoreShown,
  statusWords,
  timeToConfirm,
  waitsFor,
} from "../../src/ladder/match-words.ts";
import { consequence, matchIn, problemsIn, scoreIn } from "../../src/ladder/report/reporting.ts";
import { ann, bob, cleo } from "../arena/stage.ts";
import { annBeatBob, annPlays, ladder, pending, timeMs } from "./stage.ts";

const bobWon = { ...annBeatBob, players: annBeatBob.players.map((side, at) => ({ ...side, score: at })) };
const draw = { ...annBeatBob, players: annBeatBob.players.map((side) => ({ ...side, score: 2 })) };

describe("matches of a ladder", () => {
  test("name the winner first, and the viewer as you", () => {
    assert.deepEqual(
      [undefined, ann.id, bob.id].map((me) => matchSummary(annBeatBob, me)),
      ["Ann beat Bob", "You beat Bob", "Ann beat you"],
    );
    assert.equal(matchSummary(bobWon, bob.id), "You beat Ann");
    assert.deepEqual(
      [matchSummary(draw, undefined), matchSummary(draw, bob.id)],
      ["Ann and Bob drew", "Ann and you drew"],
    );
    assert.deepEqual([scoreShown(bobWon), scoreShown(draw)], ["1\u00a0:\u00a00", "2\u00a0:\u00a02"]);
  });

  test("[LD8] [LD9] show rating changes while they count, and their status otherwise", () => {
    assert.deepEqual(
      changesShown(annBeatBob).map(({ name, change }) => `${name} ${change}`),
      ["Ann +16", "Bob −16"],
    );
    for (const status of ["pending", "voided", "declined", "lapsed"] as const)
      assert.deepEqual(changesShown({ ...annBeatBob, status }), []);
    const words = (status: typeof annBeatBob.status) => statusWords({ ...annBeatBob, status });
    assert.deepEqual(
      [words("counted"), words("pending"), words("voided"), words("declined"), words("lapsed")],
      ["", "unconfirmed", "voided", "declined", "never confirmed"],
    );
    const anew = annBeatBob.players.map((side) => ({ ...side, recounted: true }));
    assert.equal(statusWords({ ...annBeatBob, players: anew }), "recalculated");
  });

  test("[LD9] wait for the reporter's opponent and nobody else", () => {
    assert.deepEqual(
      [ann.id, bob.id, cleo.id, undefined].map((me) => waitsFor(pending, me)),
      [false, true, false, false],
    );
    assert.equal(waitsFor({ ...pending, reportedBy: "second" }, ann.id), true);
    assert.equal(waitsFor(annBeatBob, bob.id), false);
    assert.equal(claim(pending, bob.id), "Ann says they beat you, 3\u00a0:\u00a01.");
    assert.equal(claim({ ...bobWon, status: "pending" }, bob.id), "Ann says you beat them, 1\u00a0:\u00a00.");
    assert.equal(claim({ ...draw, status: "pending" }, bob.id), "Ann says you drew, 2\u00a0:\u00a02.");
    assert.equal(timeToConfirm(pending, ladder, timeMs + 86_400_000), "You have 2 days to confirm it.");
    assert.match(timeToConfirm(pending, ladder, timeMs + 4 * 86_400_000), /almost over/);
  });

  test("[LD14] say so if the players reported different scores", () => {
    assert.equal(statusWords({ ...pending, dispute: "8" }), "disputed");
    assert.equal(claimQuestion(pending), "Is that right?");
    assert.match(claimQuestion({ ...pending, dispute: "8" }), /^You reported another score\./);
  });

  test("[LD8] can be taken back by the reporter within the undo window", () => {
    const may = (match: typeof annBeatBob, me: string | undefined, afterMs: number) =>
      canVoid(match, ladder, me, timeMs + afterMs);
    assert.equal(may(annBeatBob, ann.id, 3_599_000), true);
    assert.equal(may(annBeatBob, ann.id, 3_600_000), false);
    for (const me of [bob.id, undefined]) assert.equal(may(annBeatBob, me, 0), false);
    assert.equal(may({ ...annBeatBob, reportedBy: "second" }, bob.id, 0), true);
    assert.equal(may({ ...annBeatBob, reportedBy: "service" }, ann.id, 0), false);
    assert.equal(may({ ...annBeatBob, status: "voided" }, ann.id, 0), false);
    assert.equal(
      may(pending, ann.id, 86_400_000),
      true,
      "a match that does not count yet can always be taken back",
    );
  });

  test("[LD8] the undo window starts when they counted, even if they were recalculated since", () => {
    const later = new Date(timeMs + 3_000_000).toISOString();
    const confirmed = { ...annBeatBob, changedAt: later };
    assert.equal(canVoid(confirmed, ladder, ann.id, timeMs + 4_000_000), true);
    const anew = { ...confirmed, players: confirmed.players.map((side) => ({ ...side, recounted: true })) };
    assert.equal(canVoid(anew, ladder, ann.id, timeMs + 4_000_000), true);
  });
});

describe("reporting a match", () => {
  const filled = { opponent: { userId: bob.id, name: "Bob" }, yours: "3", theirs: " 1 " };

  test("[LD6] a score is a whole number from 0 to 1,000, and nothing else", () => {
    assert.deepEqual(["0", " 7 ", "1000"].map(scoreIn), [0, 7, 1_000]);
    for (const text of ["", "-3", "eleven", "1.5", "1e2", "1001", "+1", "0x1", "٣", "1 0"])
      assert.equal(scoreIn(text), undefined, text);
  });

  test("[LD6] problems are shown by field, and a valid form is sent", () => {
    assert.deepEqual(problemsIn(filled, ann.id), {});
    assert.deepEqual(matchIn(filled, ann.id), { players: [ann.id, bob.id], scores: [3, 1] });
    const wrong = { opponent: undefined, yours: "eleven", theirs: "" };
    assert.deepEqual(problemsIn(wrong, ann.id), {
      opponent: "Choose who you played: type a name, then pick it from the list.",
      yours: "A score is a whole number from 0 to 1,000.",
      theirs: "Type a score. Use 0 for no points.",
    });
    assert.equal(matchIn(wrong, ann.id), undefined);
    assert.deepEqual(Object.keys(problemsIn({ ...filled, opponent: annPlays }, ann.id)), ["opponent"]);
    assert.equal(matchIn(filled, undefined), undefined);
  });

  test("shows beforehand what it will do", () => {
    assert.equal(
      consequence(filled, ladder),
      "You beat Bob, 3 : 1. It counts at once. You can take it back for 1 hour.",
    );
    assert.equal(
      consequence({ ...filled, yours: "0" }, { ...ladder, confirm: true }),
      "You lost to Bob, 0 : 1. It counts once Bob has confirmed it, within 3 days.",
    );
    assert.match(consequence({ ...filled, yours: "1" }, ladder), /^You and Bob drew, 1 : 1\./);
    assert.equal(
      consequence({ opponent: undefined, yours: "", theirs: "" }, { ...ladder, undoWindowSeconds: 0 }),
      "It counts at once, and cannot be taken back.",
    );
  });
});
