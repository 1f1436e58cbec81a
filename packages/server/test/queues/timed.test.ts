import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { range } from "../support/http.ts";
import { doneOf } from "../support/results.ts";
import { answered } from "../support/test-clock.ts";
import { operator, person, WaitingStage } from "./waiting-stage.ts";

/** On a test clock; nothing here waits for a real one. */
suite("waiting rooms as time passes", () => {
  test("[AD6] an unclaimed admission expires, its token is refused, and the seat goes to the next person", async () => {
    const stage = new WaitingStage();
    const { sessions, positions } = stage.rooms;
    const queue = await stage.opened({ claimTimeoutSeconds: 30 });
    const { position: ann } = await stage.good(stage.enter(queue, "ann"));
    const { position: bob } = await stage.good(stage.enter(queue, "bob"));
    assert.equal(Date.parse(ann.claimBy), stage.clock.now() + 30_000);
    await stage.clock.advance(29_999);
    assert.equal((await stage.good(positions.get(person("ann"), ann.id))).position.status, "ADMITTED");
    await stage.clock.advance(1);
    assert.equal((await stage.good(positions.get(person("ann"), ann.id))).position.status, "EXPIRED");
    assert.equal((await stage.good(positions.get(person("bob"), bob.id))).position.status, "ADMITTED");
    await stage.clock.advance(2_000);
    const claim = () => sessions.claim(person("ann"), { token: ann.token });
    assert.deepEqual(await stage.refused(claim()), "token.expired");
    assert.deepEqual(await stage.refused(positions.heartbeat(person("ann"), ann.id)), "place.over");
    await stage.stop();
  });

  test("[LS3] services and operators see when a place last sent a heartbeat, as exactly as presence knows", async () => {
    const stage = new WaitingStage();
    const { positions } = stage.rooms;
    const queue = await stage.opened({ heartbeatTimeoutSeconds: 60, claimTimeoutSeconds: 3_600 });
    await stage.good(stage.enter(queue, "inside"));
    const { position } = await stage.good(stage.enter(queue, "ann"));
    await stage.good(stage.enter(queue, "bob"));
    const startedAt = stage.clock.now();
    const received = async () => {
      // A read counts as a heartbeat, here the only one.
      const seen = (await stage.good(positions.get(operator, position.id))).position;
      const { lastHeartbeatAt } = seen;
      return lastHeartbeatAt === undefined ? undefined : (Date.parse(lastHeartbeatAt) - startedAt) / 1000;
    };
    await stage.clock.advance(1_000);
    assert.equal(await received(), 0, "by entering, and nothing since");
    await stage.clock.advance(1_000);
    assert.equal(await received(), 0, "by the previous request, within the first window");
    await stage.clock.advance(59_000);
    assert.equal(await received(), 0, "nothing since that window");
    assert.equal(await received(), 60, "and now this request");
    await stage.good(positions.heartbeat(person("ann"), position.id));
    await stage.clock.advance(60_000);
    assert.equal(await received(), 60);
    const own = (await stage.good(positions.get(person("ann"), position.id))).position;
    assert.equal("lastHeartbeatAt" in own, false, "a person's own request is a heartbeat");
    await stage.stop();
  });

  test("[AD7] [ID1] claiming again returns the same session, also after the token has expired", async () => {
    const stage = new WaitingStage();
    const { sessions } = stage.rooms;
    const queue = await stage.opened({ claimTimeoutSeconds: 5, sessionDurationSeconds: 60 });
    const { token } = (await stage.good(stage.enter(queue, "ann"))).position;
    const ask = (key?: string) => answered(sessions.claim(person("ann"), { token }, key));
    const first = await ask("claim");
    const { session, isNew } = doneOf(first);
    assert.equal(isNew, true);
    await stage.clock.advance(30_000);
    assert.deepEqual(await ask("claim"), { ...first, replayed: true });
    assert.deepEqual(doneOf(await ask()), { session, isNew: false });
    assert.deepEqual(
      await stage.refused(sessions.claim(person("bob"), { token })),
      "token.foreign",
      "for nobody else",
    );
    const service = { role: "service", by: "@service" } as const;
    assert.deepEqual(
      await stage.refused(sessions.claim(service, { token })),
      "token.expired",
      "nor for a caller who has only the token",
    );
    await stage.clock.advance(30_000);
    assert.deepEqual(await stage.refused(ask()), "token.expired", "once the session is over");
    const { stats } = await stage.good(stage.rooms.queues.stats(queue));
    assert.deepEqual([stats.active, stats.expired], [0, 1], "[AD8] it ended at its time");
    await stage.stop();
  });

  test("[AD4] [AD3] people are admitted at the rate, without any request", async () => {
    const stage = new WaitingStage();
    const queue = await stage.opened({ maxActive: 100, rate: 0.5, burst: 2 });
    for (const index of range(10)) await stage.good(stage.enter(queue, `p${index}`));
    const moved = async () => (await stage.good(stage.rooms.queues.stats(queue))).stats.moved;
    assert.equal(await moved(), 2);
    for (const expected of [3, 4, 5, 6]) {
      await stage.clock.advance(1_999);
      assert.equal(await moved(), expected - 1);
      await stage.clock.advance(1);
      assert.equal(await moved(), expected);
    }
    await stage.stop();
  });

  test("[LS1] [LS3] requesting the position keeps a place and writes nothing; a place without heartbeats expires", async () => {
    const stage = new WaitingStage();
    const { positions, queues } = stage.rooms;
    const queue = await stage.opened({ heartbeatTimeoutSeconds: 5, sessionDurationSeconds: 86_400 });
    const { token } = (await stage.good(stage.enter(queue, "insider"))).position;
    await stage.good(stage.rooms.sessions.claim(person("insider"), { token }));
    const gone = (await stage.good(stage.enter(queue, "gone"))).position;
    const asks = (await stage.good(stage.enter(queue, "asks"))).position;
    const beats = (await stage.good(stage.enter(queue, "beats"))).position;
    const enters = (await stage.good(stage.enter(queue, "enters"))).position;
    const looks = (await stage.good(stage.enter(queue, "looks"))).position;
    const appends = stage.log.calls.length;
    for (const _ of range(4)) {
      await stage.clock.advance(2_000);
      await stage.good(positions.get(person("asks"), asks.id));
      await stage.good(positions.heartbeat(person("beats"), beats.id));
      await stage.good(stage.enter(queue, "enters"));
      await stage.good(positions.details(person("looks"), looks.id));
    }
    await stage.clock.advance(2_000);
    const shown = async (name: string, id: string) =>
      (await stage.good(positions.get(person(name), id))).position;
    assert.equal((await shown("gone", gone.id)).status, "EXPIRED");
    assert.equal((await shown("asks", asks.id)).position, 1);
    assert.equal((await shown("beats", beats.id)).position, 2);
    assert.equal((await shown("enters", enters.id)).position, 3);
    assert.equal((await shown("looks", looks.id)).position, 4);
    assert.equal(
      stage.log.calls.length,
      appends + 2,
      "two entries: that the place is away, and that it expired",
    );
    assert.equal((await stage.good(queues.stats(queue))).stats.expired, 1);
    await stage.stop();
  });

  test("[LS2] a session without heartbeats ends; one with heartbeats continues until its time is over", async () => {
    const stage = new WaitingStage();
    const { sessions } = stage.rooms;
    const queue = await stage.opened({ maxActive: 2, sessionTimeoutSeconds: 5, sessionDurationSeconds: 20 });
    const claimed = async (name: string) => {
      const { token } = (await stage.good(stage.enter(queue, name))).position;
      return (await stage.good(sessions.claim(person(name), { token }))).session;
    };
    const [silent, lively] = [await claimed("silent"), await claimed("lively")];
    const ends = stage.clock.now() + 20_000;
    assert.equal(Date.parse(lively.endsAt), ends);
    for (const _ of range(4)) {
      await stage.clock.advance(3_000);
      await stage.good(sessions.heartbeat(person("lively"), lively.id));
    }
    const over = "place.over";
    assert.deepEqual(await stage.refused(sessions.heartbeat(person("silent"), silent.id)), over);
    await stage.clock.advance(ends - stage.clock.now() - 1);
    await stage.good(sessions.heartbeat(person("lively"), lively.id));
    await stage.clock.advance(1);
    assert.deepEqual(await stage.refused(sessions.heartbeat(person("lively"), lively.id)), over);
    await stage.stop();
  });

  test("[AD4] [LN5] a person who enters during an admission that spans several entries is shown their own place", async () => {
    const stage = new WaitingStage();
    const { queues, positions } = stage.rooms;
    const queue = await stage.opened({ maxActive: 100_000 });
    await stage.good(queues.pause(operator, queue));
    const people = 9_000;
    // In two parts: a room accepts only so many new commands at once.
    for (const part of [0, 1])
      await answered(Promise.all(range(people / 2).map((index) => stage.enter(queue, `p${part} ${index}`))));
    // In one batch: the change admits as many as one entry holds, and the newcomer's entry as many again.
    const [resumed, entered] = await answered(
      Promise.all([queues.resume(operator, queue), stage.enter(queue, "ann")]),
    );
    assert.equal((await stage.good(resumed)).queue.admitted, 4_096);
    const { position } = await stage.good(entered);
    assert.equal(position.status, "WAITING");
    assert.equal(position.token, undefined, "no token for a person who was not admitted");
    assert.deepEqual([position.position, position.length, position.moved], [809, 809, 8_192]);
    await stage.clock.advance(1_000);
    const shown = (await stage.good(positions.get(person("ann"), position.id))).position;
    assert.equal(shown.status, "ADMITTED");
    await stage.stop();
  });
});
