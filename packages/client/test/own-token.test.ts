import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { inSeconds, tokenOf } from "../../server/test/support/tokens.ts";
import type { ArenaAtVersion, Person, PersonChange } from "../src/index.ts";
import { systemClock } from "../src/platform.ts";
import { ManualClock } from "./support/clocks.ts";
import { refusal, Stage, uncalled } from "./support/stage.ts";

/** Valid for one second or two: the server allows clocks to differ by five seconds. */
const aboutToExpire = () => tokenOf("ann", { exp: inSeconds(-3) });
const expired = () => tokenOf("ann", { exp: inSeconds(-60) });

/** A function that returns these tokens, one per call, and then always the last. */
function source(...tokens: readonly string[]) {
  const get = async () => tokens[Math.min(get.calls++, tokens.length - 1)];
  get.calls = 0;
  return get;
}

/** Real time, except that whole minutes pass when a test says so. */
function clockByTheMinute() {
  let minutes = 0;
  const timers = new Set<() => void>();
  return {
    now: () => systemClock.now() + minutes * 60_000,
    after(ms: number, run: () => void) {
      if (ms !== 60_000) return systemClock.after(ms, run);
      timers.add(run);
      return () => void timers.delete(run);
    },
    passMinute() {
      minutes++;
      for (const run of [...timers]) run();
    },
  };
}

suite("a token from a function", () => {
  let stage: Stage;
  let game: string;
  before(async () => {
    stage = await Stage.open();
    game = await stage.server.client.newGame({ maxPlayers: 1_000 });
  });
  after(() => stage.close());

  async function isRefused(token: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${stage.server.url}/api/v1/games`, { headers })).status === 401;
  }

  test("is asked for once by concurrent requests, and says who the client is", async () => {
    const token = source(tokenOf("ann", { name: "Ann" }));
    const client = stage.client({ token });
    const changes: [Person, PersonChange][] = [];
    client.onPerson((person, change) => void changes.push([person, change]));
    assert.equal(client.me, undefined);
    const [me, joined] = await Promise.all([client.guest(), client.game(game).join(), client.games.list()]);
    assert.deepEqual([me, joined.participant.userId], [{ id: "ann", name: "Ann" }, "ann"]);
    assert.deepEqual([client.me, changes, token.calls], [me, [[me, "new"]], 1]);
  });

  test("is asked for again when it is refused, once for all requests", async () => {
    const token = source(expired(), tokenOf("bea"), tokenOf("cleo"));
    const client = stage.client({ token });
    const [page, joined] = await Promise.all([client.games.list(), client.game(game).join()]);
    assert.ok(page.games.length > 0);
    assert.deepEqual([joined.participant.userId, client.me?.id, token.calls], ["bea", "bea", 2]);
  });

  test("may be a plain function, and a key of a service or an operator", async () => {
    const client = stage.client({ token: () => stage.server.operatorKey });
    await client.queues.create({ title: "The sale", maxActive: 1 });
    assert.equal(client.me, undefined);
    await assert.rejects(client.guest(), refusal("auth.forbidden", 403));
  });

  test("that is refused again is asked for at most once per minute", async () => {
    const clock = new ManualClock();
    const token = source(expired());
    const client = stage.client({ token, clock });
    for (let call = 0; call < 3; call++)
      await assert.rejects(client.games.list(), refusal("auth.expired", 401));
    assert.equal(token.calls, 2);
    clock.advance(60_000);
    await assert.rejects(client.games.list(), refusal("auth.expired", 401));
    assert.equal(token.calls, 3);
  });

  test("that worked is asked for at once when it expires, also within a minute", async () => {
    const brief = aboutToExpire();
    const token = source(brief, tokenOf("ann"));
    const client = stage.client({ token, clock: new ManualClock() });
    await client.games.list();
    await until("the end of the token", () => isRefused(brief));
    await client.games.list();
    assert.equal(token.calls, 2);
  });

  test("that cannot be had fails the request, and is asked for again after a minute", async () => {
    const clock = new ManualClock();
    let calls = 0;
    const token = () => {
      if (++calls < 2) throw new Error("the site is down");
      return tokenOf("dan");
    };
    const client = stage.client({ token, clock });
    const isReported = (error: unknown) =>
      refusal("client.no-token", 0)(error) && /the site is down/.test((error as Error).message);
    await assert.rejects(client.games.list(), isReported);
    await assert.rejects(client.game(game).join(), isReported);
    assert.equal(calls, 1);
    clock.advance(60_000);
    assert.equal((await client.game(game).join()).participant.userId, "dan");
    const silent = stage.client({ token: () => new Promise<string>(() => {}), clock });
    const list = silent.games.list();
    await until("the timeout", () => clock.timers > 0);
    clock.advance(10_000);
    await assert.rejects(list, /did not answer in time/);
    await assert.rejects(stage.client({ token: () => "" }).games.list(), /it returned no token/);
  });

  test("keeps a seat: the live connection authenticates with the next token", async () => {
    const brief = aboutToExpire();
    const token = source(brief, tokenOf("ann"));
    const client = stage.client({ token, onError: uncalled });
    const { id } = await stage.client().arenas.create({ title: "Lunch", game: "tic-tac-toe" });
    const views: ArenaAtVersion[] = [];
    client.arena(id).watch((view) => void views.push(view), uncalled);
    await client.arena(id).join();
    await until("the seat", () => views.at(-1)?.state.you?.state === "seated");
    await until("the end of the token", () => isRefused(brief));
    stage.network.cut();
    await until("the new token", () => token.calls === 2 && client.connection === "open");
    const seen = views.length;
    await stage
      .client({ token: tokenOf("bob") })
      .arena(id)
      .join();
    await until("the next view", () => views.length > seen);
    assert.equal(views.at(-1)?.state.you?.state, "seated");
  });

  test("that is renewed by a request is used by the open connection too", async () => {
    const brief = aboutToExpire();
    const token = source(brief, tokenOf("ann"));
    const client = stage.client({ token, onError: uncalled });
    const room = await stage.server.client.newGame({});
    let views = 0;
    client.game(room).watch(() => void views++, uncalled);
    await until("the view", () => views === 1);
    const { opened } = stage.network;
    await until("the end of the token", () => isRefused(brief));
    await client.game(room).join();
    await until("the change", () => views === 2);
    // A connection whose token has expired refuses to watch, so the client would have to reconnect.
    const other = await stage.server.client.newGame({});
    let others = 0;
    client.game(other).watch(() => void others++, uncalled);
    await until("the other view", () => others === 1);
    assert.deepEqual([token.calls, client.connection], [2, "open"]);
    assert.ok(stage.network.opened - opened <= 2, "at most the connections of two requests");
  });

  test("that is refused for good is told to watchers and to onError, once, and tried again after a minute", async () => {
    const clock = clockByTheMinute();
    const [errors, told]: unknown[][] = [[], []];
    const token = source(expired(), expired(), tokenOf("eve"));
    const eve = stage.client({ token, clock, onError: (error) => void errors.push(error) });
    const { id } = await stage.client().arenas.create({ title: "Lunch", game: "tic-tac-toe" });
    await stage
      .client({ token: tokenOf("eve") })
      .arena(id)
      .join();
    const views: ArenaAtVersion[] = [];
    eve.arena(id).watch(
      (view) => void views.push(view),
      (error) => void told.push(error),
    );
    await until("an anonymous view", () => views.length === 1);
    assert.equal(views[0].state.you, null);
    assert.ok(refusal("auth.expired")(told[0]) && refusal("auth.expired")(errors[0]));
    clock.passMinute();
    await until("eve's own view", () => views.at(-1)?.state.you?.state === "seated");
    assert.deepEqual([told.length, errors.length, token.calls], [1, 1, 3]);
  });
});
