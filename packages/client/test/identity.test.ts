import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { until } from "../../server/test/support/http.ts";
import { inSeconds, tokenOf } from "../../server/test/support/tokens.ts";
import type { Openseat, Person, PersonChange } from "../src/index.ts";
import { ManualClock } from "./support/clocks.ts";
import { onStage, refusal, Stage, sharedStorage } from "./support/stage.ts";

function changesOf(client: Openseat): [Person, PersonChange][] {
  const changes: [Person, PersonChange][] = [];
  client.onPerson((person, change) => void changes.push([person, change]));
  return changes;
}

/** A token as it is after its server's secret has changed. */
function spoil(storage: ReturnType<typeof sharedStorage>): void {
  for (const [key, value] of storage.kept) {
    const { token, person } = JSON.parse(value);
    storage.kept.set(key, JSON.stringify({ token: `${token.slice(0, -4)}AAAA`, person }));
  }
}

suite("who one is", () => {
  let stage: Stage;
  let game: string;
  before(async () => {
    stage = await Stage.open();
    game = await stage.server.client.newGame({ maxPlayers: 1_000 });
  });
  after(() => stage.close());

  test("a client starts without a person, becomes a guest with a friendly name, and remembers it", async () => {
    const storage = sharedStorage();
    const first = stage.client({ storage });
    const changes = changesOf(first);
    assert.equal(first.me, undefined);
    const me = await first.guest();
    assert.equal(me.name, friendlyName(me.id));
    assert.deepEqual([first.me, await first.guest("Another"), changes], [me, me, [[me, "new"]]]);
    assert.deepEqual(stage.client({ storage }).me, me);
    assert.notEqual((await stage.client().guest()).id, me.id);
  });

  test("concurrent requests create one guest, and an action without a person creates a guest", async () => {
    const client = stage.client();
    const [ann, again, joined] = await Promise.all([
      client.guest("Ann"),
      client.guest("Ben"),
      client.game(game).join(),
    ]);
    assert.deepEqual([again, joined.participant.userId], [ann, ann.id]);
    assert.equal(ann.name, "Ann");
  });

  test("two tabs that open at the same time become one guest", async () => {
    const storage = sharedStorage();
    const tabs = [stage.client({ storage }), stage.client({ storage }), stage.client({ storage })];
    const persons = await Promise.all(tabs.map((tab) => tab.guest()));
    assert.deepEqual(new Set(persons.map(({ id }) => id)).size, 1);
    assert.deepEqual(new Set(tabs.map(({ me }) => me?.id)).size, 1);
  });

  test("a renamed guest stays the same person", async () => {
    const storage = sharedStorage();
    const client = stage.client({ storage });
    const { id } = await client.guest();
    await client.game(game).join();
    const changes = changesOf(client);
    assert.deepEqual(await client.rename("  Zoë "), { id, name: "Zoë" });
    assert.deepEqual([client.me, changes], [{ id, name: "Zoë" }, [[{ id, name: "Zoë" }, "renamed"]]]);
    await client.game(game).leave();
    assert.deepEqual(stage.client({ storage }).me, { id, name: "Zoë" });
    await assert.rejects(client.rename(" "), refusal("input.invalid", 400));
    assert.equal(
      (await stage.client().rename("New")).name,
      "New",
      "an anonymous client becomes a guest with that name",
    );
  });

  test("an application's token sets the person and the name", async () => {
    const ann = stage.client({ token: tokenOf("ann", { name: "Änn" }) });
    assert.deepEqual(ann.me, { id: "ann", name: "Änn" });
    assert.deepEqual(await ann.guest("Bo"), { id: "ann", name: "Änn" });
    assert.deepEqual(stage.client({ token: tokenOf("bob") }).me, { id: "bob", name: friendlyName("bob") });
    const operator = stage.client({ token: stage.server.operatorKey });
    assert.equal(operator.me, undefined);
    await assert.rejects(operator.guest(), refusal("auth.forbidden", 403));
    await assert.rejects(ann.rename("Anna"), refusal("auth.forbidden", 403));
  });

  test("a guest with an invalid token becomes a new guest, at most once per minute, and continues", async () => {
    const [storage, clock] = [sharedStorage(), new ManualClock()];
    const client = stage.client({ storage, clock });
    const before = await client.guest("Ann");
    spoil(storage);
    const changes = changesOf(client);
    const [joined, page] = await Promise.all([client.game(game).join(), client.games.list()]);
    assert.ok(page.games.length > 0);
    assert.notEqual(joined.participant.userId, before.id);
    assert.deepEqual(changes, [[{ id: joined.participant.userId, name: "Ann" }, "replaced"]]);
    spoil(storage);
    await assert.rejects(client.games.list(), refusal("auth.invalid", 401), "not repeatedly");
    assert.equal(changes.length, 1);
    clock.advance(60_000);
    await client.games.list();
    assert.equal(changes.length, 2);
  });

  test("an application's invalid token is refused, but public rooms can still be watched", async () => {
    const errors: unknown[] = [];
    const token = tokenOf("ann", { exp: inSeconds(-60) });
    const ann = stage.client({ token, onError: (error) => void errors.push(error) });
    await assert.rejects(ann.game(game).join(), refusal("auth.expired", 401));
    let views = 0;
    ann.game(game).watch(() => void views++);
    await until("the view", () => views === 1);
    assert.ok(refusal("auth.expired")(errors[0]));
    assert.equal(errors.length, 1);
    const told: unknown[] = [];
    ann.game(game).watch(
      () => void views++,
      (error) => void told.push(error),
    );
    await until("another view", () => views === 2);
    assert.ok(refusal("auth.expired")(told[0]), "a later watcher is told too");
    assert.deepEqual([told.length, errors.length], [1, 1]);
  });

  test("an invalid guest token is replaced when the live connection opens", async () => {
    const storage = sharedStorage();
    const client = stage.client({ storage });
    const before = await client.guest();
    spoil(storage);
    let views = 0;
    client.game(game).watch(() => void views++);
    await until("the view", () => views === 1);
    assert.notEqual(client.me?.id, before.id);
  });

  test("a storage that throws or holds invalid data does not stop the client", async () => {
    const fail = () => {
      throw new Error("forbidden");
    };
    const client = stage.client({ storage: { get: fail, set: fail, remove: fail } });
    const me = await client.guest();
    assert.deepEqual(client.me, me);
    await client.game(game).join();
    for (const rubbish of ["", "{", "null", "5", '{"token":5}', '{"token":"a.b.c","person":{"id":1}}']) {
      const storage = { ...sharedStorage(), get: () => rubbish };
      assert.equal(stage.client({ storage }).me, undefined, rubbish);
    }
  });
});

test("a limit on guests is reported if waiting for it takes too long", () =>
  onStage(
    async (stage) => {
      await stage.client().guest();
      await assert.rejects(stage.client().guest(), (error) => {
        assert.ok(refusal("limit.address", 429)(error));
        assert.equal((error as { retryAfterMs?: number }).retryAfterMs, 60_000);
        return true;
      });
    },
    ["--guests-per-address-max", "1"],
  ));
