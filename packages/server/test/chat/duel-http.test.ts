import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertNear, Club, eloChange } from "../ladders/club.ts";
import { type Answer, assertInvalid, assertRefused, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

suite("duels over the API", () => {
  let server: TestServer;
  let talk: Talk;
  let club: Club;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
    club = new Club(server);
  });
  after(() => server.stop());

  const blank = {
    hasOpponentThrown: false,
    opponentThrow: null,
    result: null,
    ladder: null,
    offeredLadder: null,
    reason: null,
  };

  test("[CH4] a challenge, a throw by each, and one result, as seen by each", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const challenged = await talk.duel(ann, bob);
    const { duel } = challenged.body.data;
    assert.equal(challenged.body.message, `You have challenged ${nameOf(bob)}.`);
    const { id, at } = duel;
    assert.deepEqual(duel, { ...blank, id, at, status: "OPEN", opponent: nameOf(bob), yourThrow: null });
    assert.match(at, /^\d{4}-\d\d-\d\dT/);
    const theirs = { ...blank, id, at, status: "OPEN", opponent: nameOf(ann), yourThrow: null };
    assert.deepEqual(await talk.seenDuel(bob, id), theirs);
    await talk.lines(bob, new RegExp(`^${nameOf(ann)} challenges you`));

    const first = await talk.throw(bob, id, "scissors");
    assert.match(first.body.message, /^You threw\. Waiting for Ann\d* to throw/);
    assert.deepEqual([first.body.data.duel.status, first.body.data.duel.yourThrow], ["OPEN", "scissors"]);
    const open = await talk.seenDuel(ann, id);
    assert.deepEqual([open.hasOpponentThrown, open.opponentThrow, open.yourThrow], [true, null, null]);

    const last = await talk.throw(ann, id, "rock");
    assert.equal(last.body.message, `You threw rock, ${nameOf(bob)} threw scissors: you win.`);
    const over = { ...blank, id, at: last.body.data.duel.at, status: "FINISHED", hasOpponentThrown: true };
    const won = {
      ...over,
      opponent: nameOf(bob),
      yourThrow: "rock",
      opponentThrow: "scissors",
      result: "won",
    };
    const lost = {
      ...over,
      opponent: nameOf(ann),
      yourThrow: "scissors",
      opponentThrow: "rock",
      result: "lost",
    };
    assert.deepEqual(last.body.data.duel, won);
    assert.deepEqual(await talk.seenDuel(ann, id), won);
    assert.deepEqual(await talk.seenDuel(bob, id), lost);
    assert.deepEqual(await talk.duels(ann), { open: [], finished: [won] });
    const lines = await talk.lines(bob, /^You threw scissors/);
    assert.equal(
      lines.at(-1),
      `openseat: You threw scissors, ${nameOf(ann)} threw rock: ${nameOf(ann)} wins.`,
    );
  });

  test("[CH4] a challenge is withdrawn by its maker or declined by the other, and both see it", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    for (const [by, reason] of [[ann, "withdrawn"] as const, [bob, "declined"] as const]) {
      const id = await talk.opened(ann, bob, "paper");
      const answer = await talk.drop(by, id);
      assert.equal(answer.body.message, "The duel was cancelled.");
      for (const person of [ann, bob]) {
        const { status, reason: why, opponentThrow, result } = await talk.seenDuel(person, id);
        assert.deepEqual([status, why, opponentThrow, result], ["DROPPED", reason, null, null], person);
      }
      assertRefused(await talk.drop(ann, id), 409, "duel.over");
      assertRefused(await talk.throw(bob, id, "rock"), 409, "duel.over");
    }
    await talk.lines(bob, /has withdrawn the challenge/);
    await talk.lines(ann, /does not want to duel/);
  });

  /** Sends it, and asserts that neither player's data has changed. */
  async function assertNothing(
    [one, other]: readonly string[],
    ask: () => Promise<Answer>,
    check: (answer: Answer) => void,
  ): Promise<void> {
    const before = [await talk.duels(one), await talk.duels(other)];
    check(await ask());
    assert.deepEqual([await talk.duels(one), await talk.duels(other)], before);
  }
  const refusing = (status: number, code: string) => (answer: Answer) => assertRefused(answer, status, code);

  test("[CH4] each error has its own refusal: no nickname, unknown or own opponent, twice, too late, another person's duel", async () => {
    const [ann, bob, cat] = await talk.named("ann", "bob", "cat");
    const both = [ann, bob];
    await assertNothing(
      both,
      () => talk.duel("noname", ann, { throw: "rock" }),
      refusing(409, "nickname.missing"),
    );
    await assertNothing(
      both,
      () => talk.duel(ann, "nobody", { throw: "rock" }),
      refusing(404, "nickname.unknown"),
    );
    await assertNothing(both, () => talk.duel(ann, ann, { throw: "rock" }), refusing(400, "duel.self"));
    const id = await talk.opened(ann, bob);
    await assertNothing(both, () => talk.duel(ann, bob, { throw: "paper" }), refusing(409, "duel.thrown"));
    await assertNothing(both, () => talk.throw(ann, id, "paper"), refusing(409, "duel.thrown"));
    await assertNothing(both, () => talk.duel(bob, ann), refusing(409, "duel.exists"));
    for (const ask of [
      () => talk.throw(cat, id, "rock"),
      () => talk.drop(cat, id),
      () => server.client.get(`/api/v1/duels/${id}`, { token: tokenOf(cat) }),
      () => talk.throw(ann, "999999", "rock"),
    ])
      await assertNothing(both, ask, refusing(404, "duel.not-found"));
    await talk.throw(bob, id, "rock");
    await assertNothing(both, () => talk.throw(bob, id, "rock"), refusing(409, "duel.over"));
    await assertNothing(both, () => talk.drop(ann, id), refusing(409, "duel.over"));
  });

  test("[LM1] invalid input is refused with the field named", async () => {
    const both = await talk.named("ann", "bob");
    const [ann, bob] = both;
    const id = await talk.opened(bob, ann);
    const post = (body: Json, path: string) =>
      server.client.post(`/api/v1/duels${path}`, { token: tokenOf(ann), body });
    for (const [body, path, field] of [
      [{}, "", "opponent"],
      [{ opponent: "x".repeat(101) }, "", "opponent"],
      [{ opponent: bob, throw: "lizard" }, "", "throw"],
      [{ opponent: bob, ladder: null }, "", "ladder"],
      [{ opponent: bob, hand: "rock" }, "", "hand"],
      [{}, `/${id}/throw`, "throw"],
      [{ throw: "rock", opponent: bob }, `/${id}/throw`, "opponent"],
      [{ why: "no" }, `/${id}/drop`, "why"],
      [{ throw: "rock" }, "/0/throw", "id"],
      [undefined, "/1e3/drop", "id"],
    ] as const)
      await assertNothing(
        both,
        () => post(body, path),
        (answer) => assertInvalid(answer, field, path),
      );
    const bad = await server.client.get(`/api/v1/duels/${"9".repeat(16)}`, { token: tokenOf(ann) });
    assertInvalid(bad, "id");
  });

  test("[ID1] [ID2] each changing request, repeated with the same key, takes effect once", async () => {
    const [ann, bob, cat] = await talk.named("ann", "bob", "cat");
    const keys: string[] = [];
    const assertOnce = async (
      same: (key: string) => Promise<Answer>,
      other: (key: string) => Promise<Answer>,
    ) => {
      const key = `key-${await talk.entries()}`;
      keys.push(key);
      const first = await same(key);
      assert.equal(first.status, 200, first.text);
      const before = await talk.duels(ann);
      const again = await same(key);
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assertRefused(await other(key), 422, "key.reused");
      assert.deepEqual(await talk.duels(ann), before);
      return first.body.data.duel.id;
    };
    const challenge = (hand: string) => (key: string) => talk.duel(ann, bob, { throw: hand }, { key });
    const id = await assertOnce(challenge("rock"), challenge("paper"));
    // The response to the challenge stays the same after the duel, and reveals no more.
    await talk.throw(bob, id, "paper");
    const again = await challenge("rock")(keys[0]);
    assert.equal(again.body.data.duel.opponentThrow, null);
    const open = await talk.opened(cat, ann);
    await assertOnce(
      (key) => talk.throw(ann, open, "rock", {}, { key }),
      (key) => talk.throw(ann, open, "paper", {}, { key }),
    );
    const last = await talk.opened(ann, cat);
    await assertOnce(
      (key) => talk.drop(ann, last, { key }),
      (key) => talk.drop(ann, open, { key }),
    );
    await assertOnce(
      (key) => talk.duel(ann, cat, {}, { key }),
      (key) => talk.duel(ann, bob, {}, { key }),
    );
  });

  test("[LD12] duels count on a ladder that accepts them, if both players agree on it", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    for (const id of ["for-duels", "also-for-duels"]) await club.newLadder([], { id, duels: true });
    const play = async (mine: Json, theirs: Json) => {
      const { duel } = await good(talk.duel(ann, bob, { throw: "rock", ...mine }));
      assert.equal((await talk.seenDuel(bob, duel.id)).offeredLadder, mine.ladder ?? null);
      assert.equal((await talk.seenDuel(ann, duel.id)).offeredLadder, null);
      return (await good(talk.throw(bob, duel.id, "scissors", theirs))).duel.ladder;
    };
    assert.equal(await play({ ladder: "for-duels" }, {}), null);
    assert.equal(await play({}, { ladder: "for-duels" }), null);
    assert.equal(await play({ ladder: "for-duels" }, { ladder: "also-for-duels" }), null);
    assert.equal(await play({ ladder: "for-duels" }, { ladder: "for-duels" }), "for-duels");
    await until("the result", async () => (await club.look("for-duels")).ladder.matches === 1);
    const change = eloChange([1000, 1000], [1, 0]);
    const [best, other] = await club.standings("for-duels");
    assert.deepEqual(
      [best.userId, best.name, other.userId, other.name],
      [ann, nameOf(ann), bob, nameOf(bob)],
    );
    assertNear(best.rating, 1000 + change);
    assertNear(other.rating, 1000 - change);
    assert.equal((await club.look("also-for-duels")).ladder.matches, 0);
  });

  test("[LD13] a duel of a banned player does not count there: it is refused before a throw", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    await club.newLadder([ann], { id: "strict-duels", duels: true });
    const fields = { throw: "rock", ladder: "strict-duels" };
    const { duel } = await good(talk.duel(bob, ann, fields));
    await server.client.post(`/api/v1/ladders/strict-duels/players/${ann}/ban`, {
      token: server.operatorKey,
    });
    for (const [one, other] of [
      [ann, bob],
      [bob, ann],
    ]) {
      const refused = await talk.duel(one, other, fields);
      assertRefused(refused, 403, "player.banned");
      assert.equal(refused.body.data.userId, ann);
    }
    assertRefused(await talk.throw(ann, duel.id, "rock", { ladder: "strict-duels" }), 403, "player.banned");
    assert.equal((await good(talk.throw(ann, duel.id, "rock", {}))).duel.ladder, null);
  });

  test("[CH4] a ladder that accepts no duels, or does not exist, is refused before a throw", async () => {
    const both = await talk.named("ann", "bob");
    const [ann, bob] = both;
    const plain = await club.newLadder();
    for (const [ladder, status, code] of [
      [plain, 409, "ladder.no-duels"],
      ["nowhere", 404, "ladder.not-found"],
    ] as const) {
      const fields = { throw: "rock", ladder };
      await assertNothing(both, () => talk.duel(ann, bob, fields), refusing(status, code));
      const id = await talk.opened(bob, ann);
      await assertNothing(both, () => talk.throw(ann, id, "rock", { ladder }), refusing(status, code));
      await talk.drop(bob, id);
    }
    assert.match(await talk.say(ann, `register ${plain}`), /^You are on the ladder/);
    assert.match(await talk.say(ann, `throw rock @${bob} rated`), /Duels do not count on your ladder/);
    assert.deepEqual((await talk.duels(ann)).open, []);
    await club.change(plain, { duels: true });
    assert.match(await talk.say(ann, `throw rock @${bob} rated`), /It is secret/);
  });

  test("[LM2] a person opens at most 50 duels, and others can still challenge them", async () => {
    const [ann, ...others] = await talk.named("ann", ...range(51).map(() => "other"));
    for (const other of others.slice(0, 50)) await talk.opened(ann, other);
    assertRefused(await talk.duel(ann, others[50], { throw: "rock" }), 429, "duel.too-many");
    assert.match(await talk.say(ann, `throw rock @${others[50]}`), /You have 50 open challenges/);
    assert.match(await talk.say(others[50], `throw rock @${ann}`), /It is secret/);
    assert.match(await talk.say(others[0], `throw rock @${ann}`), /a draw/);
    assert.equal((await talk.duel(ann, others[50], { throw: "paper" })).body.data.duel.result, "won");
  });
});
