import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { onStage, refusal, Stage } from "./support/stage.ts";

suite("nicknames and duels", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  const person = (name: string) => stage.client({ token: tokenOf(name) });
  /** A person whose nickname is their id. */
  async function named(name: string) {
    const client = person(name);
    await client.people.takeNickname(name);
    return client;
  }

  test("[NM1] [NM2] a nickname is unique regardless of case, can be looked up, and can be released", async () => {
    const ann = person("ann");
    assert.equal(await ann.people.nickname(), null);
    assert.equal(await ann.people.takeNickname("Ännchen"), "Ännchen");
    assert.equal(await ann.people.nickname(), "Ännchen");
    const found = { userId: "ann", nickname: "Ännchen" };
    assert.deepEqual(await stage.client().people.find("ÄNNCHEN"), found);
    const ben = person("ben");
    await assert.rejects(ben.people.takeNickname("ännchen"), refusal("nickname.taken", 409));
    await assert.rejects(ben.people.find("no/body?"), refusal("nickname.unknown", 404));
    await ann.people.quit();
    assert.equal(await ann.people.nickname(), null);
  });

  test("[CH4] [MT3] a throw is secret until both have thrown; then both see the result", async () => {
    const [ida, jon] = [await named("ida"), await named("jon")];
    const opened = await ida.duels.challenge("Jon", { throw: "rock" });
    assert.deepEqual([opened.status, opened.opponent, opened.yourThrow], ["OPEN", "jon", "rock"]);
    const seen = await jon.duel(opened.id).get();
    assert.deepEqual([seen.hasOpponentThrown, seen.opponentThrow, seen.yourThrow], [true, null, null]);
    assert.deepEqual((await jon.duels.list()).open, [seen]);
    const over = await jon.duel(opened.id).throw("scissors");
    assert.deepEqual([over.status, over.result, over.opponentThrow], ["FINISHED", "lost", "rock"]);
    const { open, finished } = await ida.duels.list();
    assert.deepEqual([open, finished.map(({ id, result }) => [id, result])], [[], [[opened.id, "won"]]]);
  });

  test("[CH4] a duel counts on a ladder if both players name the same one", async () => {
    const [kim, lea] = [await named("kim"), await named("lea")];
    const { id: ladder } = await kim.ladders.create({ title: "Duels", duels: true });
    const { id } = await kim.duels.challenge("lea", { throw: "paper", ladder });
    assert.equal((await lea.duel(id).get()).offeredLadder, ladder);
    assert.equal((await lea.duel(id).throw("rock", { ladder })).ladder, ladder);
    await until("the match", async () => (await kim.ladder(ladder).get()).ladder.matches === 1);
    assert.equal((await kim.ladder(ladder).player("kim")).wins, 1);
  });

  test("a challenge can be made without a throw, and can be dropped", async () => {
    const [mia, nils] = [await named("mia"), await named("nils")];
    const { id, yourThrow } = await mia.duels.challenge("nils");
    assert.equal(yourThrow, null);
    const dropped = await nils.duel(id).drop();
    assert.deepEqual([dropped.status, dropped.reason], ["DROPPED", "declined"]);
  });
});

test("[CH4] a throw whose answer was lost counts once, and the retry gets the same answer", () =>
  onStage(async (stage) => {
    const [ann, bob] = ["ann", "bob"].map((name) => stage.client({ token: tokenOf(name) }));
    await ann.people.takeNickname("Ann");
    stage.network.answersToLose = 1;
    await bob.people.takeNickname("Bob");
    for (let round = 1; round <= 5; round++) {
      stage.network.answersToLose = 2;
      const { id, status } = await ann.duels.challenge("bob", { throw: "rock" });
      stage.network.answersToLose = 1;
      const { result } = await bob.duel(id).throw("paper");
      assert.deepEqual([id, status, result], [String(round), "OPEN", "won"]);
    }
    assert.equal((await bob.duels.list()).finished.length, 5);
  }));
