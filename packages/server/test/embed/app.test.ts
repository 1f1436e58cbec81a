import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Actor, type CallResult, type Openseat, operator, service } from "../../src/embed/index.ts";
import { until } from "../support/http.ts";
import { issuer, issuerSecret, tokenOf } from "../support/tokens.ts";
import { openseatOn, tempFolder } from "./stage.ts";

/** The value of a call that must succeed. */
async function done<Value>(call: Promise<CallResult<Value>>): Promise<Value> {
  const { value, refusal } = await call;
  assert.ok(value !== undefined, JSON.stringify(refusal));
  return value;
}

/** The code of a call that must be refused. */
async function codeOf(call: Promise<CallResult<unknown>>): Promise<string> {
  const { value, refusal } = await call;
  assert.ok(refusal, JSON.stringify(value));
  return refusal.code;
}

describe("calls in the process", () => {
  const folder = tempFolder();
  let openseat: Openseat;
  let app: Openseat["app"];
  before(async () => {
    openseat = await openseatOn(folder, { port: 0, issuer, issuerSecret });
    app = openseat.app;
    const early = app.games.list();
    await openseat.start();
    assert.deepEqual((await done(early)).games, [], "a call before the start waits for it");
  });
  after(async () => {
    await openseat.stop();
    folder.remove();
  });

  const newGame = async (fields: { maxPlayers?: number; waitlist?: boolean } = {}) =>
    (await done(app.games.create("creator", { title: "A game", maxPlayers: 2, ...fields }))).game.id;

  test("[OP7] they return what requests are answered with, and both see the same rooms", async () => {
    const id = await newGame({ maxPlayers: 1, waitlist: true });
    const joined = await done(app.games.join({ id: "ann", name: "Ann" }, id));
    assert.equal(joined.participant.name, "Ann");
    const headers = { authorization: `Bearer ${tokenOf("ann")}` };
    const answer = await fetch(`${openseat.url}/api/v1/games/${id}`, { headers });
    assert.deepEqual(((await answer.json()) as { data: unknown }).data, await done(app.games.get(id)));
    const again = await fetch(`${openseat.url}/api/v1/games/${id}/join`, { method: "POST", headers });
    assert.equal(((await again.json()) as { code: string }).code, await codeOf(app.games.join("ann", id)));
    assert.equal((await done(app.games.join("bob", id))).game.yourPosition, 1);
    const { participants } = await done(app.games.participants(id, { present: true }));
    assert.deepEqual(
      participants.map(({ userId, status }) => [userId, status]),
      [
        ["ann", "ACTIVE"],
        ["bob", "WAITING"],
      ],
    );
    await done(app.games.leave("ann", id));
    assert.equal((await done(app.games.heartbeat("bob", id))).participant.status, "ACTIVE");
  });

  test("[OP7] a key makes a call safe to repeat", async () => {
    const id = await newGame();
    const first = await app.games.join("ann", id, { key: "once" });
    const second = await app.games.join("ann", id, { key: "once" });
    assert.deepEqual([first.replayed, second.replayed], [false, true]);
    assert.deepEqual(second.value, first.value);
    assert.equal(await codeOf(app.games.leave("ann", id, { key: "once" })), "key.reused");
    assert.equal(await codeOf(app.games.join("ann", id, { key: "\n" })), "input.invalid");
  });

  test("[OP7] [AU3] roles are checked as for requests, and no text is a role", async () => {
    const id = await newGame();
    assert.equal(await codeOf(app.games.join(service, id)), "auth.forbidden");
    assert.equal(await codeOf(app.games.end("stranger", id)), "auth.forbidden");
    assert.equal((await done(app.games.end(operator, id))).game.status, "ENDED");
    for (const actor of ["@operator", "@service", "", "a\nb", undefined, null, 7, { id: "@operator" }])
      assert.equal(
        await codeOf(app.games.create(actor as Actor, { title: "A", maxPlayers: 2 })),
        "input.invalid",
      );
    const lookalike = { identity: { role: "operator", by: "@operator" } } as never;
    assert.equal(await codeOf(app.queues.create(lookalike, { title: "A", maxActive: 1 })), "input.invalid");
    assert.equal(
      await codeOf(app.queues.create("ann" as never, { title: "A", maxActive: 1 })),
      "auth.forbidden",
    );
  });

  test("[OP7] input is checked as for requests, and is not changed", async () => {
    const given = { title: "A game", maxPlayers: 2, endTime: undefined };
    await done(app.games.create("ann", given as never));
    assert.deepEqual(given, { title: "A game", maxPlayers: 2, endTime: undefined });
    const faults: [Promise<CallResult<unknown>>, field: string][] = [
      [app.games.create("ann", { title: "A game", maxPlayers: 0 }), "maxPlayers"],
      [app.games.create("ann", { title: "A game", maxPlayers: 2, seats: 3 } as never), "seats"],
      [app.games.create("ann", undefined as never), "body"],
      [app.games.create("ann", { title: 1n, maxPlayers: 2 } as never), "body"],
      [app.games.join("ann", "../x"), "id"],
      [app.games.get(undefined as never), "id"],
      [app.games.list({ limit: 501 }), "limit"],
      [app.games.remove(operator, "game", "@ann"), "userId"],
      [app.positions.get("ann", "not a place"), "id"],
    ];
    for (const [call, field] of faults) {
      const { refusal } = await call;
      assert.deepEqual([refusal?.code, refusal?.data?.field], ["input.invalid", field]);
    }
  });

  test("[OP7] lists come in pages", async () => {
    const ids = new Set([await newGame(), await newGame(), await newGame()]);
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await done(app.games.list({ limit: 1, ...(cursor && { cursor }) }));
      for (const { id } of page.games) ids.delete(id);
      cursor = page.nextCursor;
    }
    assert.equal(ids.size, 0);
  });

  test("[OP7] queues, positions and sessions: in line, admitted, inside, completed", async () => {
    await done(app.queues.create(operator, { id: "sale", title: "Sale", maxActive: 1 }));
    const first = await done(app.positions.enter("ann", "sale", { metadata: { plan: "a" } }));
    assert.equal(first.position.status, "ADMITTED");
    const second = await done(app.positions.enter(service, "sale", { userId: "bob" }));
    assert.deepEqual([second.isNew, second.position.position], [true, 1]);
    const { session } = await done(app.sessions.claim("ann", { token: first.position.token! }));
    assert.equal((await done(app.sessions.heartbeat("ann", session.id))).session.status, "ACTIVE");
    assert.equal(await codeOf(app.sessions.complete("bob", session.id)), "place.not-found");
    await done(app.sessions.complete("ann", session.id));
    const { position } = await done(app.positions.get("bob", second.position.id));
    assert.equal(position.status, "ADMITTED");
    assert.deepEqual((await done(app.positions.details(operator, first.position.id))).details.metadata, {
      plan: "a",
    });
    assert.equal((await done(app.queues.pause(operator, "sale"))).hasChanged, true);
    assert.equal((await done(app.queues.pause(operator, "sale"))).hasChanged, false);
    await done(app.queues.resume(operator, "sale"));
    await done(app.queues.change(operator, "sale", { maxActive: 2 }));
    await done(app.positions.leave("bob", second.position.id));
    assert.equal((await done(app.queues.stats("sale"))).stats.completed, 1);
    assert.equal((await done(app.queues.get("sale"))).queue.maxActive, 2);
    assert.ok((await done(app.queues.list())).queues.some(({ id }) => id === "sale"));
    const third = await done(app.positions.enter("eve", "sale"));
    const visit = await done(app.sessions.claim("eve", { token: third.position.token! }));
    await done(app.sessions.end("eve", visit.session.id));
    assert.equal((await done(app.queues.end(operator, "sale"))).queue.status, "ENDED");
  });

  test("[OP7] [LM3] only calls that name an address count against it", async () => {
    await done(
      app.queues.create(operator, { id: "tight", title: "Tight", maxActive: 50, maxEntersPerAddress: 1 }),
    );
    for (const person of ["a", "b", "c"]) await done(app.positions.enter(person, "tight"));
    const from = { address: "192.0.2.7" };
    await done(app.positions.enter("d", "tight", {}, from));
    assert.equal(await codeOf(app.positions.enter("e", "tight", {}, from)), "limit.address");
  });

  test("[OP7] arenas: a match from the first move to its replay", async () => {
    const { arena } = await done(app.arenas.create("creator", { title: "Lunch", game: "tic-tac-toe" }));
    await done(app.arenas.join("ann", arena.id));
    await done(app.arenas.join("bob", arena.id));
    const { state } = await done(app.arenas.get(arena.id, "ann"));
    const match = state.match!.id;
    // The first player is drawn by lot.
    const first = state.you!.moves.length > 0 ? "ann" : "bob";
    await done(app.arenas.move(first, arena.id, { match, move: "b2" }));
    assert.equal(await codeOf(app.arenas.move("eve", arena.id, { match, move: "a1" })), "seat.missing");
    await done(app.arenas.resign("bob", arena.id, { match }));
    const { matches } = await done(app.arenas.matches(arena.id));
    assert.equal(matches[0].id, match);
    assert.equal((await done(app.arenas.replay(arena.id, match))).moves.length, 1);
    assert.equal(
      await codeOf(app.arenas.report(service, arena.id, { match, winner: "X" })),
      "result.decided-here",
    );
    await done(app.arenas.leave("ann", arena.id));
    assert.equal(
      await codeOf(app.arenas.change("stranger", arena.id, { label: "x" } as never)),
      "input.invalid",
    );
    assert.equal(
      await codeOf(app.arenas.join({ id: "ann", name: 5 } as never, arena.id)),
      "input.invalid",
      "a name must be text",
    );
    assert.ok((await done(app.arenas.list())).arenas.length > 0);
    assert.equal((await done(app.arenas.end("creator", arena.id))).arena.id, arena.id);
  });

  test("[OP7] ladders: players, matches and standings", async () => {
    const { ladder } = await done(app.ladders.create("creator", { title: "Club", confirm: true }));
    const { id } = ladder;
    for (const person of ["ann", "bob"]) await done(app.ladders.join(person, id));
    await done(app.ladders.enrol("creator", id, { userId: "eve", name: "Eve" }));
    const scores = { players: ["ann", "bob"] as [string, string], scores: [3, 1] as [number, number] };
    const { match } = await done(app.ladders.report("ann", id, scores));
    assert.equal(match.status, "pending");
    assert.equal((await done(app.ladders.confirm("bob", id, match.id))).match.status, "counted");
    const { players } = await done(app.ladders.standings(id, { limit: 2 }));
    assert.equal(players[0].userId, "ann");
    assert.equal((await done(app.ladders.player(id, "bob"))).player.losses, 1);
    assert.deepEqual(
      (await done(app.ladders.search(id, "ev"))).players.map(({ userId }) => userId),
      ["eve"],
    );
    assert.equal((await done(app.ladders.history(id, "ann"))).history.length, 1);
    assert.equal((await done(app.ladders.matches(id, { player: "ann" }))).matches.length, 1);
    assert.equal((await done(app.ladders.match(id, match.id))).match.id, match.id);
    assert.equal((await done(app.ladders.against(id, "ann", "bob"))).wins, 1);
    assert.equal((await done(app.ladders.get(id, "ann"))).you?.userId, "ann");
    const other = await done(app.ladders.report("ann", id, scores));
    assert.equal((await done(app.ladders.decline("bob", id, other.match.id))).match.status, "declined");
    assert.equal((await done(app.ladders.void("creator", id, match.id))).match.status, "voided");
    assert.equal((await done(app.ladders.ban("creator", id, "eve"))).banned, true);
    assert.equal((await done(app.ladders.unban("creator", id, "eve"))).banned, false);
    await done(app.ladders.remove("creator", id, "bob"));
    await done(app.ladders.leave("ann", id));
    await done(app.ladders.change("creator", id, { title: "Closed" }));
    assert.equal((await done(app.ladders.end("creator", id))).ladder.title, "Closed");
    assert.ok(Array.isArray((await done(app.ladders.list())).ladders));
  });

  test("[OP7] nicknames, duels and chat", async () => {
    assert.equal((await done(app.people.takeName("p1", "Dora"))).person.nickname, "Dora");
    await done(app.people.takeName("p2", "Emil"));
    assert.equal((await done(app.people.called("dora"))).person.userId, "p1");
    assert.equal((await done(app.people.get("p2"))).person.nickname, "Emil");
    const { duel } = await done(app.duels.challenge("p1", { opponent: "Emil", throw: "rock" }));
    assert.equal((await done(app.duels.get("p2", duel.id))).duel.hasOpponentThrown, true);
    const over = await done(app.duels.throw("p2", duel.id, { throw: "paper" }));
    assert.equal(over.duel.result, "won");
    assert.equal((await done(app.duels.list("p1"))).finished.length, 1);
    const next = await done(app.duels.challenge("p1", { opponent: "Emil" }));
    assert.equal((await done(app.duels.drop("p2", next.duel.id))).duel.status, "DROPPED");
    const said = await done(app.chat.say("p1", { text: "help" }, { key: "m1" }));
    assert.equal(said.messageId, "m1");
    const again = await app.chat.say("p1", { text: "help" }, { key: "m1" });
    assert.ok(again.replayed);
    await until("the message in the conversation", async () => {
      const { lines } = await done(app.chat.conversation("p1"));
      return lines.some(({ by, text }) => by === "you" && text === "help");
    });
    assert.equal((await done(app.people.quit("p1"))).person.nickname, null);
    assert.equal((await done(app.people.forget(operator, "p2"))).person.nickname, null);
  });
});

test("[OP7] after the stop, calls are refused", async () => {
  const folder = tempFolder();
  const openseat = await openseatOn(folder, { port: 0 });
  await openseat.start();
  await openseat.stop();
  assert.equal(await codeOf(openseat.app.games.list()), "server.stopping");
  assert.equal(await codeOf(openseat.app.games.join("ann", "game")), "server.stopping");
  folder.remove();
});
