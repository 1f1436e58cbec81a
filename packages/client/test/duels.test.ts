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
  /** Somebody who is called as their id. */
  async function named(name: string) {
    const client = person(name);
    await client.people.takeNickname(name);
    return client;
  }

  test("[NM1] [NM2] a nickname is taken once, whatever its case, and found by it", async () => {
    const ann = person("ann");
    assert.equal(await ann.people.nickname(), null);
    assert.equal(await ann.people.takeNickname("Ännchen"), "Ännchen");
    assert.equal(await ann.people.nickname(), "Ännchen");
    const found = { userId: "ann", nickname: "Ännchen" };
    assert.deepEqual(await stage.client().people.find("ÄNNCHEN"), found);
    const ben = person("ben");
    await assert.rejects(ben.people.takeNickname("ännchen"), refusal("nickname.taken", 409));
    await assert.rejects(ben.people.takeNickname("a b/c"), refusal("nickname.invalid", 400));
    await assert.rejects(ben.people.find("no/body?"), refusal("nickname.unknown", 404));
  });

  test("[NM3] [CH5] another nickname frees the one before, and whoever quits is forgotten", async () => {
    const [cem, dan] = [person("cem"), person("dan")];
    await cem.people.takeNickname("Cem");
    await cem.people.takeNickname("Cemal");
    assert.equal(await dan.people.takeNickname("cem"), "cem");
    await cem.people.quit();
    assert.equal(await cem.people.nickname(), null);
    await assert.rejects(cem.people.find("Cemal"), refusal("nickname.unknown", 404));
    await assert.rejects(cem.people.quit(), refusal("nickname.missing"));
  });

  test("[CH4] [MT3] a throw is secret until both have thrown; then both see the result", async () => {
    const [ida, jon] = [await named("ida"), await named("jon")];
    const opened = await ida.duels().challenge("Jon", { throw: "rock" });
    assert.deepEqual([opened.status, opened.opponent, opened.yourThrow], ["OPEN", "jon", "rock"]);
    const seen = await jon.duels().get(opened.id);
    assert.deepEqual([seen.hasOpponentThrown, seen.opponentThrow, seen.yourThrow], [true, null, null]);
    assert.deepEqual((await jon.duels().list()).open, [seen]);
    const over = await jon.duels().throw(opened.id, "scissors");
    assert.deepEqual([over.status, over.result, over.opponentThrow], ["FINISHED", "lost", "rock"]);
    const { open, finished } = await ida.duels().list();
    assert.deepEqual([open, finished.map(({ id, result }) => [id, result])], [[], [[opened.id, "won"]]]);
    await assert.rejects(ida.duels().throw(opened.id, "paper"), refusal("duel.over", 409));
    await assert.rejects(person("eve").duels().get(opened.id), refusal("duel.not-found", 404));
  });

  test("[CH4] it counts on a ladder if both name the same", async () => {
    const [kim, lea] = [await named("kim"), await named("lea")];
    const { id: ladder } = await kim.ladders.create({ title: "Duels", duels: true });
    const { id } = await kim.duels().challenge("lea", { throw: "paper", ladder });
    assert.equal((await lea.duels().get(id)).offeredLadder, ladder);
    assert.equal((await lea.duels().throw(id, "rock", { ladder })).ladder, ladder);
    await until("the match", async () => (await kim.ladder(ladder).get()).ladder.matches === 1);
    assert.equal((await kim.ladder(ladder).player("kim")).wins, 1);
    const { id: other } = await kim.ladders.create({ title: "Without", duels: false });
    await assert.rejects(kim.duels().challenge("lea", { ladder: other }), refusal("ladder.no-duels"));
  });

  test("a challenge can be made without a throw, and be dropped by either", async () => {
    const [mia, nils] = [await named("mia"), await named("nils")];
    const { id, yourThrow } = await mia.duels().challenge("nils");
    assert.equal(yourThrow, null);
    await assert.rejects(mia.duels().challenge("nils"), refusal("duel.exists", 409));
    const dropped = await nils.duels().drop(id);
    assert.deepEqual([dropped.status, dropped.reason], ["DROPPED", "declined"]);
    const again = await mia.duels().challenge("nils", { throw: "rock" });
    assert.equal((await mia.duels().drop(again.id)).reason, "withdrawn");
  });

  test("nobody, oneself, and no nickname are refused with a word each", async () => {
    const olga = await named("olga");
    await assert.rejects(olga.duels().challenge("nobody"), refusal("nickname.unknown", 404));
    await assert.rejects(olga.duels().challenge("OLGA", { throw: "rock" }), refusal("duel.self", 400));
    await assert.rejects(person("pia").duels().challenge("olga"), refusal("nickname.missing"));
    await assert.rejects(olga.duels().get("no number"), refusal("input.invalid", 400));
  });
});

test("[CH4] a throw whose answer was lost is thrown once, and its answer is the same", () =>
  onStage(async (stage) => {
    const [ann, bob] = ["ann", "bob"].map((name) => stage.client({ token: tokenOf(name) }));
    await ann.people.takeNickname("Ann");
    stage.network.answersToLose = 1;
    await bob.people.takeNickname("Bob");
    for (let round = 1; round <= 10; round++) {
      stage.network.answersToLose = 2;
      const { id, status } = await ann.duels().challenge("bob", { throw: "rock" });
      stage.network.answersToLose = 1;
      const { result } = await bob.duels().throw(id, "paper");
      assert.deepEqual([id, status, result], [String(round), "OPEN", "won"]);
    }
    assert.equal((await bob.duels().list()).finished.length, 10);
  }));
