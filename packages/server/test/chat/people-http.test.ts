import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Club } from "../ladders/club.ts";
import { assertInvalid, assertRefused, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

suite("people and their nicknames", () => {
  let server: TestServer;
  let talk: Talk;
  let club: Club;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
    club = new Club(server);
  });
  after(() => server.stop());

  const me = async (person: string): Promise<Json> =>
    (await good(server.client.get("/api/v1/people/me", { token: tokenOf(person) }))).person;

  const ownerOf = async (name: string): Promise<string | undefined> =>
    (await talk.called(name)).body.data?.person.userId;

  test("[NM1] a person without a nickname has none, and later the one that they chose", async () => {
    assert.deepEqual(await me("typist"), { userId: "typist", nickname: null });
    const answer = await talk.takeName("typist", " Ty-Pist_1 ");
    assert.deepEqual(answer.body, {
      success: true,
      message: "You are Ty-Pist_1 now.",
      data: { person: { userId: "typist", nickname: "Ty-Pist_1" } },
    });
    assert.deepEqual(await me("typist"), { userId: "typist", nickname: "Ty-Pist_1" });
    for (const name of ["Ty-Pist_1", "TY-PIST_1", "ty-pist_1"])
      assert.deepEqual((await good(talk.called(name))).person, { userId: "typist", nickname: "Ty-Pist_1" });
    assertRefused(await talk.called("ty-pist"), 404, "nickname.unknown");
  });

  test("[NM2] [LM1] an invalid nickname is refused and writes nothing", async () => {
    const entries = await talk.entries();
    for (const nickname of ["x", "x".repeat(21), "two words", "ab\ud800", "a\u0007b\u0000c"])
      assertRefused(await talk.takeName("picky", nickname), 400, "nickname.invalid", nickname);
    for (const nickname of ["", "x".repeat(101), 12, null, ["ab"]])
      assertInvalid(await talk.takeName("picky", nickname as string), "nickname");
    assert.deepEqual(await me("picky"), { userId: "picky", nickname: null });
    assert.equal(await talk.entries(), entries);
  });

  test("[LM1] a body without a nickname or with unknown fields, and invalid names in the path, are refused", async () => {
    const put = (body: Json) =>
      server.client.call("/api/v1/people/me/nickname", { method: "PUT", token: tokenOf("picky"), body });
    assertInvalid(await put({}), "nickname");
    assertInvalid(await put({ nickname: "Fine", userId: "other" }), "userId");
    assertInvalid(await put([]), "body");
    assertInvalid(await talk.called("x".repeat(101)), "nickname");
    for (const name of ["..", "__proto__", "\u0000", "%", "<b>"])
      assertRefused(await talk.called(name), 404, "nickname.unknown", name);
    assertInvalid(
      await server.client.post("/api/v1/people/me/quit", {
        token: tokenOf("picky"),
        body: { userId: "other" },
      }),
      "userId",
    );
  });

  test("[NM1] [NM2] fifty people request one name at once, each in another spelling: exactly one gets it", async () => {
    const spellings = ["Crowd", "CROWD", "crowd", "ｃrowd", "cRoWd"];
    const answers = await Promise.all(
      range(50).map((index) => talk.takeName(`crowd${index}`, spellings[index % spellings.length])),
    );
    const winners = range(50).filter((index) => answers[index].status === 200);
    assert.equal(winners.length, 1);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 409, "nickname.taken");
    for (const spelling of spellings) assert.equal(await ownerOf(spelling), `crowd${winners[0]}`);
  });

  test("[NM3] requesting your own nickname again succeeds and writes nothing", async () => {
    const [ann] = await talk.named("again");
    const nickname = nameOf(ann);
    const entries = await talk.entries();
    for (const typed of [nickname, ` ${nickname} `, nickname]) {
      const answer = await talk.takeName(ann, typed);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.data, { person: { userId: ann, nickname } });
    }
    assert.equal(await talk.entries(), entries);
  });

  test("[CH5] [NM3] a person who quits is forgotten: the name is free, and open duels are cancelled", async () => {
    const [ann, bob, cat] = await talk.named("ann", "bob", "cat");
    const [first, second] = [await talk.opened(ann, bob), await talk.opened(cat, ann)];
    const answer = await talk.quit(ann);
    assert.deepEqual([answer.status, answer.body.data], [200, { person: { userId: ann, nickname: null } }]);
    assert.deepEqual(await me(ann), { userId: ann, nickname: null });
    assertRefused(await talk.called(ann), 404, "nickname.unknown");
    for (const [person, duel] of [[bob, first] as const, [cat, second] as const]) {
      const { status, reason, opponentThrow } = await talk.seenDuel(person, duel);
      assert.deepEqual([status, reason, opponentThrow], ["DROPPED", "gone", null]);
      await talk.lines(person, new RegExp(`^${nameOf(ann)} has left`));
    }
    assertRefused(await talk.quit(ann), 409, "nickname.missing");
    assert.equal((await talk.takeName(bob, nameOf(ann))).status, 200);
    // A returning person starts from scratch.
    assert.equal((await talk.takeName(ann, `${nameOf(ann)}-2`)).status, 200);
  });

  test("[CH5] [ID1] [ID2] an operator forgets a person who requested it, once per key", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const duel = await talk.opened(bob, ann);
    const forget = (person: string, token = server.operatorKey, key?: string) =>
      server.client.post(`/api/v1/people/${person}/forget`, { token, key });
    for (const token of [tokenOf(ann), tokenOf(bob), server.serviceKey])
      assertRefused(await forget(ann, token), 403, "auth.forbidden");
    const first = await forget(ann, server.operatorKey, "as asked");
    assert.deepEqual([first.status, first.body.data], [200, { person: { userId: ann, nickname: null } }]);
    assert.equal((await talk.seenDuel(bob, duel)).reason, "gone");
    assert.equal(await ownerOf(ann), undefined);
    const again = await forget(ann, server.operatorKey, "as asked");
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
    assertRefused(await forget(bob, server.operatorKey, "as asked"), 422, "key.reused");
    assertRefused(await forget(ann), 409, "nickname.missing");
    assertInvalid(await forget("@operator"), "userId");
    assert.equal(await ownerOf(bob), bob);
  });

  test("[ID1] [ID2] a request repeated with its key takes effect once, and another request with that key is refused", async () => {
    for (const [key, same, other] of [
      ["take", () => talk.takeName("keyed", "Keyed", { key: "take" }), "Keyed-2"],
      ["quit", () => talk.quit("keyed", { key: "quit" }), "Keyed-3"],
    ] as const) {
      const first = await same();
      assert.equal(first.status, 200, first.text);
      const before = await me("keyed");
      const again = await same();
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assertRefused(await talk.takeName("keyed", other, { key }), 422, "key.reused");
      assert.deepEqual(await me("keyed"), before);
    }
  });

  test("[ID4] after a name was refused as taken, the same key may request it again", async () => {
    const [ann] = await talk.named("ann");
    const ask = () => talk.takeName("patient", nameOf(ann), { key: "one day" });
    assertRefused(await ask(), 409, "nickname.taken");
    await talk.quit(ann);
    assert.equal((await ask()).status, 200);
  });

  test("[LG5] names, and the keys that led to them, survive a restart", async () => {
    const [ann] = await talk.named("ann");
    const first = await talk.takeName(ann, "Kept", { key: "kept" });
    server = await server.restart();
    [talk, club] = [new Talk(server), new Club(server)];
    assert.equal(await ownerOf("kept"), ann);
    const again = await talk.takeName(ann, "Kept", { key: "kept" });
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
    assertRefused(await talk.takeName("late", "KEPT"), 409, "nickname.taken");
  });

  test("[NM1] a person joins a ladder under their nickname, or by default under the name in their token", async () => {
    const ladder = await club.newLadder();
    assert.equal((await talk.takeName("joiner", "Jo-Jo")).status, 200);
    for (const person of ["joiner", "plain"]) assert.equal((await club.join(ladder, person)).status, 200);
    assert.equal((await club.player(ladder, "joiner")).name, "Jo-Jo");
    assert.equal((await club.player(ladder, "plain")).name, "Plain");
  });

  test("[NM3] a new name reaches the ladders that a person registered on, and quitting leaves them", async () => {
    await club.newLadder([], { id: "first-ladder" });
    await club.newLadder([], { id: "second-ladder" });
    const ladders = ["first-ladder", "second-ladder"];
    const [ann, bob] = await talk.named("mover", "stayer");
    for (const ladder of ladders)
      for (const person of [ann, bob])
        assert.match(await talk.say(person, `register ${ladder}`), /^You are on the ladder/);
    assert.match(await talk.say(ann, `match @${bob} 3-1`), /^Match 1:/);
    assert.equal((await talk.takeName(ann, "Moved")).status, 200);
    for (const ladder of ladders)
      await until("the new name", async () => (await club.player(ladder, ann)).name === "Moved");
    await talk.say(ann, "nick Moved-On");
    for (const ladder of ladders)
      await until("the newest name", async () => (await club.player(ladder, ann)).name === "Moved-On");
    assert.equal((await talk.quit(ann)).status, 200);
    for (const ladder of ladders) {
      await until("their leave", async () => (await club.standings(ladder)).length === 1);
      assert.doesNotMatch((await club.get(ladder, `/players/${ann}`)).text, /Moved|Mover/);
    }
    const [match] = await club.matches("second-ladder");
    assert.equal(match.status, "counted", "past matches stay, because they also belong to the opponent");
  });
});
