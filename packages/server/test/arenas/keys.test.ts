import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertRefused, type Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { storedIn } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";
import { elsewhere, Hall, patient, quickWin } from "./hall.ts";

function assertReplayed(again: Answer, first: Answer, what = ""): void {
  assert.equal(first.headers["idempotent-replayed"], undefined, what);
  assert.equal(again.headers["idempotent-replayed"], "true", `${what} ${again.status} ${again.text}`);
  assert.deepEqual([again.status, again.text], [first.status, first.text], what);
}

/**
 * How many entries people have caused. Without those of the server's own clock: after an append that took a second, it restarts the
 * clock of the match with the next request, whatever that is (AR9), so on a slow disk a repeated request may add an entry.
 */
async function entriesOfPeople({ folder }: TestServer): Promise<number> {
  const batches = await storedIn(folder, "SELECT lines FROM batches");
  const entries = batches.flatMap(({ lines }) => lines.split("\n").map((line: string) => JSON.parse(line)));
  return entries.filter(({ by }) => by !== "@clock").length;
}

/** A changing request, identified by its route; sent again, it is identical. */
interface Act {
  readonly route: string;
  readonly ask: (key: string) => Promise<Answer>;
}

suite("idempotency keys of arenas", () => {
  let server: TestServer;
  let hall: Hall;

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(() => server.stop());

  /** One request per changing route, in an order in which each has an effect. */
  async function* acts(id: string): AsyncGenerator<Act> {
    yield { route: "POST arenas", ask: (key) => hall.create({ id, title: "Keys", ...patient }, { key }) };
    const change = (key: string) => hall.change(id, { maxWins: 9 }, { key, token: hall.operatorKey });
    yield { route: "PATCH arenas/:id", ask: change };
    yield { route: "POST join (a seat)", ask: (key) => hall.join(id, "ann", { key }) };
    yield { route: "POST join (a match)", ask: (key) => hall.join(id, "bob", { key }) };
    yield { route: "POST join (the line)", ask: (key) => hall.join(id, "cat", { key }) };
    for (const [index, move] of quickWin.entries()) {
      const { players, match } = (await hall.look(id)).state;
      const { person } = players.find(({ label }: Json) => label === match.toMove[0]);
      yield {
        route: `POST moves (${index + 1} of ${quickWin.length})`,
        ask: (key) => hall.move(id, person.id, match.id, move, { key }),
      };
    }
    const second = (await hall.look(id)).state.match.id;
    yield { route: "POST resign", ask: (key) => hall.resign(id, "cat", second, { key }) };
    yield { route: "POST leave (the line)", ask: (key) => hall.leave(id, "cat", { key }) };
    yield { route: "POST leave (a seat)", ask: (key) => hall.leave(id, "ann", { key }) };
    const { id: away, match } = await hall.playing(["ann", "bob"], elsewhere);
    yield { route: "POST result", ask: (key) => hall.report(away, match, "1", { key }) };
  }

  test("[ID1] [ID3] every changing request: the same key gives the identical response, also after a restart and long after the match", async () => {
    const done: { act: Act; answer: Answer; key: string }[] = [];
    for await (const act of acts("replays")) {
      const key = `key of ${act.route}`;
      const answer = await act.ask(key);
      assert.ok(answer.status < 300, `${act.route}: ${answer.status} ${answer.text}`);
      const entries = await entriesOfPeople(server);
      assertReplayed(await act.ask(key), answer, act.route);
      assert.equal(await entriesOfPeople(server), entries, `${act.route}: nothing more is written`);
      done.push({ act, answer, key });
    }
    assert.equal(done.length, 14);
    const all = async (when: string) => {
      for (const { act, answer, key } of done)
        assertReplayed(await act.ask(key), answer, `${act.route}, ${when}`);
    };
    await all("when all is done");
    server = await server.restart();
    hall = new Hall(server);
    await all("after a restart");
    for (const person of ["dan", "eve"]) await hall.join("replays", person);
    for (let round = 0; round < 4; round++) await hall.play("replays", quickWin);
    const { state } = await hall.look("replays");
    await all("matches later");
    server = await server.restart();
    hall = new Hall(server);
    await all("matches and a restart later");
    const { players, line, lastMatch } = (await hall.look("replays")).state;
    assert.deepEqual([players, line, lastMatch], [state.players, state.line, state.lastMatch]);
  });

  test("[ID2] a key belongs to one request: with another it is refused, and nothing changes", async () => {
    const key = "the one key";
    const { id } = (await hall.create({}, { key })).body.data.arena;
    const makers = [
      () => hall.create({ title: "Another" }, { key }),
      () => hall.create({ game: "connect-four" }, { key }),
      () => hall.create({ game: null, labels: ["a", "b"] }, { key }),
      () => hall.create({ maxWins: 2 }, { key }),
      () => hall.create({ lanes: [{ name: "one", skips: 0 }] }, { key }),
      () => hall.create({ game: "rock-paper-scissors", options: { bestOf: 5 } }, { key }),
      () => hall.change(id, { maxWins: 2 }, { key }),
      () => hall.join(id, "maker", { key }),
      () => hall.leave(id, "maker", { key }),
      () => hall.move(id, "maker", "3", "a1", { key }),
      () => hall.resign(id, "maker", "3", { key }),
    ];
    const entries = await hall.entries();
    for (const ask of makers) assertRefused(await ask(), 422, "key.reused", ask.toString());
    assert.equal(await hall.entries(), entries);

    const first = await hall.join(id, "ann", { key });
    await hall.join(id, "bob");
    const others = [
      () => hall.leave(id, "ann", { key }),
      () => hall.move(id, "ann", "4", "a1", { key }),
      () => hall.resign(id, "ann", "4", { key }),
    ];
    for (const ask of others) assertRefused(await ask(), 422, "key.reused", ask.toString());
    assertReplayed(await hall.join(id, "ann", { key }), first);
  });

  test("[ID1] creating an arena without an id: the key finds the arena that it created", async () => {
    const first = await hall.create({}, { key: "make" });
    assertReplayed(await hall.create({}, { key: "make" }), first);
    assertRefused(await hall.create({ title: "Other" }, { key: "make" }), 422, "key.reused");
    const other = await hall.create({}, { key: "make", token: tokenOf("another-maker") });
    assert.notEqual(other.body.data.arena.id, first.body.data.arena.id);
  });

  test("[ID1] [AU3] [MT3] a key belongs to its person: nobody can use it to learn another person's request", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { game: "rock-paper-scissors" });
    const ann = await hall.move(id, "ann", match, "rock", { key: "same" });
    const bob = await hall.move(id, "bob", match, "paper", { key: "same" });
    assert.deepEqual([ann.body.data.move, bob.body.data.move], ["rock", "paper"]);
    assert.equal(bob.headers["idempotent-replayed"], undefined);
  });

  test("[MT5] [ID1] [ID5] a repeated throw: its key gives the first response; without a key it is refused, also after a restart", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { game: "rock-paper-scissors" });
    const first = await hall.move(id, "ann", match, "rock", { turn: 1, key: "round 1" });
    await hall.move(id, "bob", match, "rock", { turn: 1 });
    for (const when of ["at once", "after a restart"]) {
      if (when === "after a restart") {
        server = await server.restart();
        hall = new Hall(server);
      }
      assertReplayed(await hall.move(id, "ann", match, "rock", { turn: 1, key: "round 1" }), first, when);
      for (const [turn, code] of [
        [1, "turn.stale"],
        [3, "turn.stale"],
        [undefined, "turn.missing"],
      ] as const) {
        const refused = await hall.move(id, "ann", match, "rock", { turn });
        assertRefused(refused, 409, code, when);
        assert.deepEqual(refused.body.data, { turn: 2 }, when);
      }
      const { turn, moves } = (await hall.look(id)).state.match;
      assert.deepEqual([turn, moves], [2, 2], when);
    }
    const other = await hall.move(id, "ann", match, "rock", { turn: 2, key: "round 1" });
    assertRefused(other, 422, "key.reused");
    assert.equal((await hall.move(id, "ann", match, "rock", { turn: 2 })).status, 200);
  });
});
