import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { optionAfter } from "../../src/ladder/options.ts";
import { pageAround, pageLength, pagesAround, placeOf, placesShown } from "../../src/ladder/places.ts";
import {
  courseOf,
  courseText,
  outcomeOf,
  pointText,
  stepMark,
} from "../../src/ladder/player/rating-course.ts";
import {
  changeShown,
  isOn,
  ladderCall,
  ladderRules,
  ordinal,
  record,
  signed,
  standingAnnouncement,
} from "../../src/ladder/standing.ts";
import { ratingShown } from "../../src/ui/words.ts";
import { annPlays, ladder, step, time } from "./stage.ts";

test("places and ratings as people write them", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, 1_003].map(ordinal), [
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "13th",
    "21st",
    "22nd",
    "101st",
    "111th",
    "1,003rd",
  ]);
  assert.deepEqual([ratingShown(1_026.6), ratingShown(999.4)], ["1027", "999"]);
  assert.deepEqual([signed(12.4), signed(-8), signed(-0.3)], ["+12", "−8", "±0"]);
  assert.equal(changeShown(1_011.4, 1_011.6), "+1", "from 1011 to 1012, as displayed");
  assert.equal(record(annPlays), "2 wins, 1 draw and 1 loss");
});

test("how a ladder rates players and when reports count", () => {
  assert.equal(ladderRules(ladder), "Rated by Elo. Results count at once.");
  assert.equal(
    ladderRules({ ...ladder, system: "glicko2", confirm: true }),
    "Rated by Glicko-2. A result counts once the opponent has confirmed it, within 3 days.",
  );
});

describe("the page of a ladder", () => {
  const said = (...given: Parameters<typeof ladderCall>) => {
    const { headline, detail, way } = ladderCall(...given);
    return [headline, detail, way];
  };
  const left = { ...annPlays, leftAt: time, rank: null };

  test("shows the possible actions to visitors, players and people who have left", () => {
    assert.deepEqual(said({ ...ladder, players: 0 }, null), [
      "Be the first on this ladder",
      "You start at 1000 and gain rating with every win.",
      "Join the ladder",
    ]);
    assert.deepEqual(said(ladder, null).at(0), "Play on this ladder");
    assert.deepEqual(said(ladder, annPlays), [
      "You are 13th of 30",
      "Your rating is 1027, provisional. 2 wins, 1 draw and 1 loss.",
      undefined,
    ]);
    assert.match(said(ladder, { ...annPlays, games: 0 })[1]!, /Play someone and report the result\.$/);
    assert.deepEqual(said(ladder, left), [
      "You have left this ladder",
      "Come back to continue with your rating of 1027.",
      "Come back",
    ]);
    assert.deepEqual([isOn(null), isOn(left), isOn(annPlays)], [false, false, true]);
  });

  test("[LD13] offers no way in to banned people", () => {
    assert.deepEqual(said(ladder, { ...left, banned: true }), [
      "You are banned from this ladder",
      "Ask its organiser to let you join again.",
      undefined,
    ]);
  });

  test("offers no way into an invite-only ladder", () => {
    for (const you of [null, left]) assert.equal(ladderCall({ ...ladder, open: false }, you).way, undefined);
  });

  test("[LM7] offers no way into a ladder that has ended empty", () => {
    const call = ladderCall({ ...ladder, status: "ENDED" }, null);
    assert.deepEqual([call.headline, call.way], ["This ladder has ended", undefined]);
  });

  test("announces a changed rating to screen readers, and nothing else", () => {
    const after = { ...annPlays, rating: 1_042.2, rank: 9, version: 5 };
    assert.equal(standingAnnouncement(annPlays, after), "Your rating is now 1042 (+15). You are 9th.");
    assert.equal(standingAnnouncement(annPlays, { ...annPlays, rank: 12 }), "");
    assert.equal(standingAnnouncement(undefined, after), "");
    assert.equal(standingAnnouncement(annPlays, null), "");
  });
});

describe("pages of the standings", () => {
  test("link to the previous and next page, never past the top", () => {
    assert.deepEqual(pagesAround(1, true), { before: undefined, after: 1 + pageLength });
    assert.deepEqual(pagesAround(10, false), { before: 1, after: undefined });
    assert.equal(pagesAround(60, true).before, 60 - pageLength);
    assert.deepEqual([pageAround(3), pageAround(100)], [1, 88]);
  });
  test("show their range of places", () => {
    assert.equal(placesShown(26, 25, 1_280), "26 to 50 of 1,280");
    assert.equal(placesShown(26, 5, 29), "26 to 30 of 30", "someone has joined in the meantime");
  });
  test("[LD7] among players of equal rank, the place may be below the shared rank", () => {
    const equals = ["x", "y", annPlays.userId].map((userId) => ({ ...annPlays, userId }));
    assert.equal(placeOf(annPlays, equals), 15);
    assert.equal(placeOf(annPlays, equals.slice(0, 2)), 13, "too many equal players: the rank is used");
  });
});

describe("a rating over time", () => {
  const second = { ...step, match: "8", score: 0, opponentScore: 2, before: 1_016, after: 998.6 };
  const voided = { ...step, match: "9", status: "voided" as const, before: 998.6, after: 1_400 };
  const course = courseOf([voided, second, step]);
  test("[LD8] goes from the oldest match to the newest, without voided ones", () => {
    assert.deepEqual(course.ratings, [1_000, 1_016, 998.6]);
    assert.deepEqual(courseOf([voided]), { ratings: [], steps: [] });
  });
  test("is described as a whole and point by point", () => {
    assert.equal(courseText(course), "From 1000 to 999 in 2 matches: highest 1016, lowest 999.");
    assert.equal(courseText(courseOf([])), "No match has counted yet.");
    assert.deepEqual(
      [0, 1, 2].map((index) => pointText(course, index)),
      ["1000 at the start", "1016 (+16) beat Bob", "999 (−17) lost to Bob"],
    );
    assert.equal(outcomeOf({ score: 2, opponentScore: 2 }), "drew with");
  });
  test("[LD8] labels voided and recalculated matches", () => {
    assert.equal(stepMark(step), "");
    assert.equal(stepMark(voided), "voided");
    assert.equal(stepMark({ ...step, recounted: true, firstChange: -8.2 }), "recalculated, −8 at first");
  });
});

test("arrow keys cycle through the options, and other keys are ignored", () => {
  assert.deepEqual(
    [-1, 0, 2].map((index) => optionAfter("ArrowDown", index, 3)),
    [0, 1, 0],
  );
  assert.deepEqual(
    [-1, 0, 2].map((index) => optionAfter("ArrowUp", index, 3)),
    [2, 2, 1],
  );
  assert.equal(optionAfter("Enter", 0, 3), undefined);
  assert.equal(optionAfter("ArrowDown", -1, 0), undefined);
});
