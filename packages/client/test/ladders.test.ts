import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import type { LadderChange, NewLadder, PastMatch } from "../src/index.ts";
import { onStage, refusal, Stage, uncalled } from "./support/stage.ts";

suite("ladders", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  const person = (name: string) => stage.client({ token: tokenOf(name) });
  /** Creates a ladder on which reports count at once by default. */
  const newLadder = async (settings: Partial<NewLadder> = {}) =>
    (await person("maker").ladders.create({ title: "Ladder", confirm: false, ...settings })).id;
  /** Creates a ladder with Ann and Bob on it. */
  async function withTwo(settings: Partial<NewLadder> = {}) {
    const id = await newLadder(settings);
    const [ann, bob] = ["ann", "bob"].map((name) => person(name).ladder(id));
    await ann.join();
    await bob.join();
    return { id, ann, bob };
  }
  const annWins = { players: ["ann", "bob"], scores: [3, 1] };

  test("[LD2] [LD7] a ladder is created, listed, joined and played on; standings, player and histories agree", async () => {
    const { id, ann, bob } = await withTwo();
    assert.ok((await person("cem").ladders.list({ limit: 500 })).ladders.some((ladder) => ladder.id === id));
    const made = await ann.report(annWins);
    assert.deepEqual(
      [made.status, made.players.map(({ before, after }) => [before, after])],
      [
        "counted",
        [
          [1000, 1016],
          [1000, 984],
        ],
      ],
    );
    const { ladder, you } = await bob.get();
    assert.deepEqual([ladder.players, ladder.matches, you?.rank, you?.losses], [2, 1, 2, 1]);
    const { players, nextCursor } = await bob.standings();
    assert.deepEqual([players[0].userId, players[1], nextCursor], ["ann", you, null]);
    assert.deepEqual(await bob.player("bob"), you);
    const { history } = await bob.history("bob");
    assert.deepEqual(
      history.map(({ match, opponent, score, after }) => [match, opponent.userId, score, after]),
      [[made.id, "ann", 1, 984]],
    );
    const { matches } = await bob.matches({ player: "bob", opponent: "ann" });
    assert.deepEqual(matches, [await ann.match(made.id)]);
  });

  test("[LD11] standings are read page by page, or from a place", async () => {
    const id = await newLadder();
    const maker = person("maker").ladder(id);
    for (let index = 1; index <= 5; index++) await maker.enrol({ userId: `p${index}`, rating: 1000 + index });
    const first = await maker.standings({ limit: 3 });
    const second = await maker.standings({ limit: 3, cursor: first.nextCursor! });
    const named = ({ players }: typeof first) => players.map(({ userId }) => userId);
    assert.deepEqual(
      [named(first), named(second), second.nextCursor],
      [["p5", "p4", "p3"], ["p2", "p1"], null],
    );
    assert.deepEqual(named(await maker.standings({ from: 2, limit: 2 })), ["p4", "p3"]);
  });

  test("an operator enrols, finds and removes players, and a returning player keeps their rating", async () => {
    const id = await newLadder();
    const maker = person("maker").ladder(id);
    const enrolled = await maker.enrol({ userId: "ida@x/1", name: "Ida", rating: 1500 });
    assert.deepEqual(enrolled, { userId: "ida@x/1", name: "Ida", rating: 1500 });
    assert.deepEqual(
      (await maker.search("Id")).map(({ userId }) => userId),
      ["ida@x/1"],
    );
    assert.deepEqual(await maker.search("Nobody"), []);
    await maker.leave("ida@x/1");
    assert.deepEqual([(await maker.player("ida@x/1")).rank, (await maker.get()).ladder.players], [null, 0]);
    const back = stage.client({ token: tokenOf("ida@x/1") }).ladder(id);
    assert.equal((await back.join()).rating, null);
    assert.equal((await back.get()).you?.rating, 1500);
    await back.leave();
    await assert.rejects(back.leave(), refusal("player.missing", 400));
  });

  test("[LD9] with confirmation, a match counts only after the opponent confirms it", async () => {
    const { ann, bob } = await withTwo({ confirm: true });
    const waiting = await ann.report(annWins);
    assert.equal(waiting.status, "pending");
    assert.deepEqual(
      (await bob.matches({ status: "pending", player: "bob" })).matches.map(({ id }) => id),
      [waiting.id],
    );
    assert.equal((await bob.confirm(waiting.id)).status, "counted");
    const other = await ann.report(annWins);
    assert.deepEqual(await bob.decline(other.id), { id: other.id, status: "declined", recounted: 0 });
  });

  test("[LD13] the creator bans a player, who cannot return until the ban is lifted", async () => {
    const { id, ann, bob } = await withTwo();
    const maker = person("maker").ladder(id);
    await maker.ban("bob");
    assert.equal((await ann.player("bob")).banned, true);
    await assert.rejects(bob.join(), refusal("player.banned", 403));
    await maker.unban("bob");
    await bob.join();
  });

  test("[LD8] a voided match no longer affects ratings, and stays in the history", async () => {
    const { ann } = await withTwo();
    const first = await ann.report(annWins);
    await ann.report({ players: ["ann", "bob"], scores: [2, 2] });
    assert.deepEqual(await ann.void(first.id), { id: first.id, status: "voided", recounted: 1 });
    const { history } = await ann.history("ann");
    assert.deepEqual(
      history.map(({ status, recounted }) => [status, recounted]),
      [
        ["counted", true],
        ["voided", false],
      ],
    );
    assert.equal((await ann.player("ann")).rating, 1000);
  });

  test("head-to-head records of oneself and of any two players", async () => {
    const { ann, bob } = await withTwo();
    await ann.report(annWins);
    await bob.report({ players: ["bob", "ann"], scores: [5, 0] });
    const { wins, losses, points, opponentPoints } = await ann.against("bob");
    assert.deepEqual([wins, losses, points, opponentPoints], [1, 1, 3, 6]);
    const totals = await stage.client().ladder(ann.id).against("ann", "bob");
    assert.deepEqual([totals.player.userId, totals.points], ["bob", 6]);
    await assert.rejects(stage.client().ladder(ann.id).against("ann"), refusal("player.missing", 400));
  });

  test("past matches are imported once with their players, from a list or a file", async () => {
    const id = await newLadder();
    const maker = person("maker").ladder(id);
    const past: PastMatch[] = [
      { players: ["ida", "jon"], scores: [1, 0], names: ["Ida", "Jon"] },
      { players: ["jon", "ida"], scores: [2, 2] },
    ];
    const progress: number[] = [];
    const done = await maker.importMatches(past, ({ done }) => progress.push(done));
    assert.deepEqual([done.rows, done.done, done.status], [2, 2, "done"]);
    assert.equal(progress.at(-1), 2);
    assert.deepEqual((await maker.importMatches(past)).id, done.id, "the same matches are the same import");
    const file = "playerA,playerB,scoreA,scoreB\nkim,lea,7,5\n";
    assert.equal((await maker.importMatches(file)).rows, 1);
    const { ladder } = await maker.get();
    assert.deepEqual([ladder.players, ladder.matches], [4, 3]);
    await assert.rejects(
      maker.importMatches([{ players: ["ida"], scores: [1] }]),
      refusal("import.invalid", 400),
    );
  });

  test("a watcher gets each change once and in order, and a refusal for an unknown ladder", async () => {
    const { id, ann } = await withTwo();
    const received: LadderChange[] = [];
    const versions: number[] = [];
    const stop = stage
      .client()
      .ladder(id)
      .watch((version, changes) => {
        versions.push(version);
        received.push(...changes);
      });
    await until("the ladder", () => versions.length === 1);
    const { id: match } = await ann.report(annWins);
    await ann.void(match);
    await until("the changes", () => received.length === 2);
    assert.deepEqual(
      received.map(({ type }) => type),
      ["match-counted", "match-voided"],
    );
    assert.equal(versions.at(-1), (await ann.get()).version);
    stop();
    const refused: unknown[] = [];
    stage
      .client()
      .ladder("nowhere")
      .watch(uncalled, (error) => void refused.push(error));
    await until("the refusal", () => refused.length === 1);
    assert.ok(refusal("ladder.not-found", 404)(refused[0]));
  });
});

test("[LD1] a report whose answer was lost counts once, and watchers miss nothing", () =>
  onStage(async (stage) => {
    const [ann, bob] = ["ann", "bob"].map((name) => stage.client({ token: tokenOf(name) }));
    const { id } = await ann.ladders.create({ title: "Rough", confirm: false });
    await ann.ladder(id).join();
    await bob.ladder(id).join();
    const received: string[] = [];
    let views = 0;
    bob.ladder(id).watch((_, changes) => {
      views++;
      received.push(...changes.map(({ type }) => type));
    });
    await until("the ladder", () => views === 1);
    for (let number = 1; number <= 20; number++) {
      stage.network.answersToLose = 1;
      await ann.ladder(id).report({ players: ["ann", "bob"], scores: [1, 0] });
      const { ladder } = await ann.ladder(id).get();
      assert.equal(ladder.matches, number);
    }
    await until("all of it", () => received.length === 20);
    assert.deepEqual(new Set(received), new Set(["match-counted"]));
  }));
