import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../src/app/identity.ts";
import { expiredToken, type Proof } from "../../src/transport/auth/proof.ts";
import { Attendances } from "../../src/transport/live/attendances.ts";
import { Desk, isoTime } from "../queues/desk.ts";
import { person, WaitingStage } from "../queues/waiting-stage.ts";
import { type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { LiveClient } from "./clients.ts";

suite("lines over the live connection", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  async function withLive(work: (live: LiveClient) => Promise<void>, token?: string): Promise<void> {
    const live = await LiveClient.open(server.url, token === undefined ? {} : { token });
    try {
      await work(live);
    } finally {
      live.close();
    }
  }

  const ofType = (live: LiveClient, type: string) => live.received.filter((it) => it.type === type);

  /** The first message about a position that fits. */
  const told = (live: LiveClient, what: string, fits: (position: Json) => boolean) =>
    until(what, () => ofType(live, "position").find(({ position }) => fits(position)));

  test("[FD4] [LS5] entering and heartbeats over the live connection answer as HTTP does", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const entered = await live.ask({ type: "enter", queue });
      assert.equal(entered.status, 201);
      const { position } = entered.body.data;
      assert.equal(position.position, 1);
      const again = await live.ask({ type: "enter", queue });
      assert.deepEqual([again.status, again.body.data], [200, entered.body.data]);
      const overHttp = await desk.enter(queue, "ann");
      assert.deepEqual([overHttp.status, overHttp.body], [200, again.body]);
      const beat = await live.ask({ type: "heartbeat", position: position.id });
      assert.deepEqual([beat.status, beat.body], [200, (await desk.heartbeat(position.id, "ann")).body]);
      const nowhere = await live.ask({ type: "enter", queue: "nowhere" });
      assert.deepEqual([nowhere.status, nowhere.body.code], [404, "room.not-found"]);
    }, tokenOf("ann")));

  test("[ID1] [ID2] keys of entering hold over both ways in", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const first = await live.ask({ type: "enter", queue, key: "one" });
      const again = await live.ask({ type: "enter", queue, key: "one" });
      assert.deepEqual([again.status, again.body, again.replayed], [201, first.body, true]);
      const overHttp = await desk.enter(queue, "ann", { key: "one" });
      assert.deepEqual([overHttp.status, overHttp.body], [201, first.body]);
      const left = await desk.cancel(first.body.data.position.id, "ann", "one");
      assert.deepEqual([left.status, left.body.code], [422, "key.reused"]);
    }, tokenOf("ann")));

  test("[LN9] a lane comes from the token of the connection, or of the message", () =>
    withLive(
      async (live) => {
        const { queue } = await desk.fullQueue();
        for (const index of range(4)) await desk.entered(queue, `p${index}`);
        const vip = await live.ask({ type: "enter", queue, token: tokenOf("vip", { openseat_lane: "vip" }) });
        assert.deepEqual([vip.body.data.position.lane, vip.body.data.position.position], [2, 3]);
        const own = await live.ask({ type: "enter", queue });
        assert.deepEqual([own.body.data.position.lane, own.body.data.position.position], [1, 6]);
      },
      tokenOf("ann", { openseat_lane: 1 }),
    ));

  test("[FD3] following a place gives the position, then pulses by which it can be told, and word of one's turn", () =>
    withLive(async (live) => {
      const { queue, insider } = await desk.fullQueue();
      const ahead = await desk.entered(queue, "ahead");
      const ann = await desk.entered(queue, "ann");
      const attended = await live.ask({ type: "attend", position: ann.id });
      assert.deepEqual([attended.status, attended.body.data.position], [200, ann]);

      await desk.complete(insider.id, tokenOf("insider"));
      const pulse = await until("a pulse", () => ofType(live, "pulse").find(({ moved }) => moved === 2));
      assert.deepEqual(pulse, {
        type: "pulse",
        queue,
        version: pulse.version,
        moved: 2,
        waiting: 1,
        admittedLastMinute: 2,
        paused: false,
      });
      assert.equal(ann.position - (pulse.moved - ann.moved), (await desk.shown(ann.id, "ann")).position);
      assert.equal(ofType(live, "position").length, 0, "others' turns are no message");

      const { token } = await desk.shown(ahead.id, "ahead");
      const session = await desk.claimed(token, "ahead");
      await desk.complete(session.id, tokenOf("ahead"));
      const turn = await told(live, "one's turn", ({ status }) => status === "ADMITTED");
      assert.deepEqual(turn, { type: "position", position: await desk.shown(ann.id, "ann") });
      assert.ok(turn.position.token && turn.position.claimBy);
      const own = await desk.claimed(turn.position.token, "ann");
      await told(live, "the session", ({ status }) => status === "ACTIVE");
      await desk.complete(own.id, tokenOf("ann"));
      const end = await told(live, "the end", ({ status }) => status === "COMPLETED");
      assert.equal(end.position.reason, "completed", "[RM5]");
      assert.match(end.position.endedAt, isoTime);
      const over = await live.ask({ type: "heartbeat", position: ann.id });
      const { reason, endedAt } = end.position;
      assert.deepEqual([over.status, over.body.data], [410, { reason, endedAt }]);
    }, tokenOf("ann")));

  test("[AD5] a pause and a change of the line are in the pulse", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const ann = await desk.entered(queue, "ann");
      await live.ask({ type: "attend", position: ann.id });
      await desk.pause(queue);
      await until("the pause", () => ofType(live, "pulse").find(({ paused }) => paused === true));
      await desk.entered(queue, "bob");
      await until("the newcomer", () => ofType(live, "pulse").find(({ waiting }) => waiting === 2));
      const versions = ofType(live, "pulse").map(({ version }) => version);
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
      );
    }, tokenOf("ann")));

  test("[FD3] hundreds of admissions are a few pulses, and one message to each whose turn it is", () =>
    withLive(async (live) => {
      const queue = await desk.newQueue({ maxActive: 1 });
      for (const index of range(300)) await desk.entered(queue, `p${index}`);
      const last = await desk.entered(queue, "last");
      await live.ask({ type: "attend", position: last.id, token: tokenOf("last") });
      const started = Date.now();
      for (const index of range(300)) await desk.change(queue, { maxActive: index + 2 });
      const turn = await told(live, "the last one's turn", ({ status }) => status === "ADMITTED");
      assert.equal(turn.position.moved, 301);
      await until("the last pulse", () => ofType(live, "pulse").find(({ moved }) => moved === 301));
      const pulsesMax = 2 + Math.ceil((Date.now() - started) / 250);
      assert.ok(ofType(live, "pulse").length <= pulsesMax, `${ofType(live, "pulse").length} > ${pulsesMax}`);
      assert.equal(ofType(live, "position").length, 1);
    }));

  test("[LS5] two tabs follow one place, and both are told; closing one leaves the other", async () => {
    const { queue, insider } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann");
    const tabs = [
      await LiveClient.open(server.url, { token: tokenOf("ann") }),
      await LiveClient.open(server.url, { token: tokenOf("ann") }),
      await LiveClient.open(server.url, { token: tokenOf("ann") }),
    ];
    try {
      for (const tab of tabs) assert.equal((await tab.ask({ type: "attend", position: ann.id })).status, 200);
      tabs[2].close();
      await tabs[2].closed();
      await desk.complete(insider.id, tokenOf("insider"));
      for (const tab of tabs.slice(0, 2))
        await told(tab, "one's turn", ({ status }) => status === "ADMITTED");
    } finally {
      for (const tab of tabs) tab.close();
    }
  });

  test("[FD3] following twice on one connection is following once; unattend stops it", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const ann = await desk.entered(queue, "ann");
      const bob = await desk.entered(queue, "bob");
      for (const _ of range(5)) await live.ask({ type: "attend", position: ann.id });
      await live.ask({ type: "attend", position: bob.id, token: tokenOf("bob") });
      const gone = await live.ask({ type: "unattend", position: ann.id });
      assert.deepEqual([gone.status, gone.body.data], [200, { position: { id: ann.id } }]);
      await desk.cancel(ann.id, "ann");
      await desk.cancel(bob.id, "bob");
      await told(live, "that bob has left", ({ id, status }) => id === bob.id && status === "LEFT");
      assert.equal(ofType(live, "position").length, 1, "nothing of ann's");
      const never = await live.ask({ type: "unattend", position: "never-1-attended0000000000" });
      assert.equal(never.status, 200, "there is nothing to undo, which is no fault");
    }, tokenOf("ann")));

  test("[AU3] places that are none, over, or somebody else's are not followed", () =>
    withLive(async (live) => {
      const { queue, insider } = await desk.fullQueue();
      const bob = await desk.entered(queue, "bob");
      const gone = await desk.entered(queue, "ann");
      await desk.cancel(gone.id, "ann");
      for (const [position, status, code] of [
        [bob.id, 404, "place.not-found"],
        [insider.id, 404, "place.not-found"],
        [`${bob.id.slice(0, -1)}!`.replace("!", bob.id.endsWith("A") ? "B" : "A"), 404, "place.not-found"],
        ["x", 404, "place.not-found"],
        [gone.id, 410, "place.over"],
      ] as const) {
        for (const type of ["attend", "heartbeat"]) {
          const answer = await live.ask({ type, position });
          assert.deepEqual([answer.status, answer.body.code], [status, code], `${type} ${position}`);
        }
      }
      await desk.cancel(bob.id, "bob");
      await live.ask({ type: "ping" });
      assert.deepEqual(live.feed, []);
    }, tokenOf("ann")));

  test("[LM2] one connection follows at most 100 places, also when it asks for all at once", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const places: Json[] = [];
      for (const index of range(110)) places.push(await desk.entered(queue, `p${index}`));
      for (const [index, { id }] of places.entries())
        live.socket.send(
          JSON.stringify({ id: 1_000 + index, type: "attend", position: id, token: tokenOf(`p${index}`) }),
        );
      const answers = await Promise.all(places.map((_, index) => live.answerTo(1_000 + index)));
      const counts = [200, 429].map((status) => answers.filter((it) => it.status === status).length);
      assert.deepEqual(counts, [100, 10]);
      for (const { body } of answers.filter(({ status }) => status === 429))
        assert.equal(body.code, "limit.watches");
      const attend = (index: number) =>
        live.ask({ type: "attend", position: places[index].id, token: tokenOf(`p${index}`) });
      assert.equal((await attend(0)).status, 200, "the same again");
      assert.equal((await attend(109)).status, 429);
      assert.equal((await live.ask({ type: "attend", position: "x", token: tokenOf("p1") })).status, 429);
      await live.ask({ type: "unattend", position: places[0].id, token: tokenOf("p0") });
      assert.equal((await live.ask({ type: "attend", position: "x", token: tokenOf("p1") })).status, 404);
      assert.equal((await attend(109)).status, 200, "one makes room, and a refused one takes none");
    }));

  const queue = "some-queue";
  const position = "some-queue-1-abcdefghijklmnop";
  const badMessages: [Json, string][] = [
    [{ type: "enter" }, "queue"],
    [{ type: "enter", queue: "not an id" }, "queue"],
    [{ type: "enter", queue: 5 }, "queue"],
    [{ type: "enter", queue, key: "" }, "key"],
    [{ type: "enter", queue, lane: 3 }, "lane"],
    [{ type: "enter", queue, person: "bob" }, "person"],
    [{ type: "heartbeat" }, "position"],
    [{ type: "heartbeat", position: "" }, "position"],
    [{ type: "heartbeat", position, key: "k" }, "key"],
    [{ type: "attend", position: "x".repeat(97) }, "position"],
    [{ type: "attend", position: 5 }, "position"],
    [{ type: "attend", position, after: 1 }, "after"],
    [{ type: "unattend" }, "position"],
    [{ type: "unattend", position, token: 5 }, "token"],
  ];
  for (const [message, field] of badMessages) {
    test(`[LM1] the message ${JSON.stringify(message).slice(0, 60)} is refused, naming ${field}`, () =>
      withLive(async (live) => {
        const answer = await live.ask(message);
        assert.deepEqual([answer.status, answer.body.code], [400, "input.invalid"]);
        assert.equal(answer.body.data.field, field, answer.body.message);
      }, tokenOf("ann")));
  }

  test("[LS1] an open connection keeps the place; once it is closed, the place lasts as long as its lease, and no longer", async () => {
    const { queue } = await desk.fullQueue({ heartbeatTimeoutSeconds: 5 });
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    const ann = await desk.entered(queue, "ann");
    await live.ask({ type: "attend", position: ann.id });
    await desk.entered(queue, "bob");
    const expired = async (count: number) => (await desk.stats(queue)).expired === count;
    // Statistics are no sign of life of anyone. Two windows of silence, and a little for a busy machine.
    await until("the place of nobody to expire", () => expired(1));
    const { waiting } = await desk.stats(queue);
    assert.equal(waiting, 1, "the place that is followed is kept");
    live.close();
    const closed = Date.now();
    await until("the place to expire", () => expired(2));
    assert.ok(Date.now() - closed >= 4_900, `after ${Date.now() - closed} ms`);
  });
});

suite("the places that one connection follows", () => {
  /** A connection of which a test says how much it takes. */
  function wire() {
    const wire = {
      written: [] as Json[],
      faults: [] as unknown[],
      backlogBytes: 0,
      write: (text: string) => void wire.written.push(JSON.parse(text)),
      refusals: [] as Refusal[],
      refuse: (refusal: Refusal) => void wire.refusals.push(refusal),
      onFault: (error: unknown) => void wire.faults.push(error),
    };
    return wire;
  }

  test("[FD2] a reader that takes nothing gets no pulses, and the word of its turn all the same", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    const insider = (await stage.good(stage.enter(id, "insider"))).position;
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const slow = wire();
    slow.backlogBytes = 1_000_000;
    const attendances = new Attendances(stage.rooms, slow, 100);
    await stage.good(attendances.attend(person("ann"), ann.id));
    for (const index of range(50)) {
      await stage.good(stage.enter(id, `p${index}`));
      await stage.clock.advance(300);
    }
    assert.equal(slow.written.length, 0);
    await stage.good(stage.rooms.positions.leave(person("insider"), insider.id));
    await stage.clock.advance(300);
    assert.deepEqual(
      slow.written.map(({ type, position }) => [type, position.status]),
      [["position", "ADMITTED"]],
    );
    slow.backlogBytes = 0;
    await stage.good(stage.enter(id, "late"));
    await stage.clock.advance(300);
    assert.equal(slow.written.at(-1).type, "pulse");
    attendances.close();
    assert.equal(stage.pulses.size, 0);
    await stage.stop();
  });

  test("[AU5] a place is followed as long as the newest token of its person holds, and the client is told of the end", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    await stage.good(stage.enter(id, "insider"));
    const tab = wire();
    const attendances = new Attendances(stage.rooms, tab, 100);
    const tokenOf = (by: string, expires: number): Identity => ({ ...person(by), expires });
    const places = new Map<string, string>();
    for (const name of ["ann", "bob"]) {
      const { position } = await stage.good(stage.enter(id, name));
      places.set(name, position.id);
      await stage.good(attendances.attend(tokenOf(name, 1), position.id));
    }
    let now = 0;
    const renew = async (identity: Identity): Promise<Proof> =>
      identity.expires! < now ? expiredToken : { identity };
    await attendances.renew({ renew });
    assert.equal(stage.pulses.size, 2, "both tokens hold");
    attendances.vouch(tokenOf("ann", 2));
    now = 2;
    await attendances.renew({ renew });
    assert.equal(stage.pulses.size, 1, "ann has shown a newer token");
    const [{ code, data }] = tab.refusals;
    assert.deepEqual([code, data], ["auth.expired", { position: { id: places.get("bob") } }]);
    now = 3;
    await attendances.renew({ renew });
    assert.equal(stage.pulses.size, 0);
    assert.equal(tab.refusals.length, 2);
    attendances.close();
    await stage.stop();
  });

  test("[AU2] nobody ends what another person follows on the same connection", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const attendances = new Attendances(stage.rooms, wire(), 100);
    await stage.good(attendances.attend(person("ann"), ann.id));
    attendances.unattend(person("bob"), ann.id);
    assert.equal(await stage.refused(attendances.attend(person("bob"), ann.id)), "place.not-found");
    assert.equal(stage.pulses.size, 1);
    attendances.unattend(person("ann"), ann.id);
    assert.equal(stage.pulses.size, 0);
    await stage.stop();
  });

  test("[LS1] whoever is followed does not expire; once unattended, after the lease", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened({ heartbeatTimeoutSeconds: 10, claimTimeoutSeconds: 3_600 });
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const tab = wire();
    const attendances = new Attendances(stage.rooms, tab, 100);
    await stage.good(attendances.attend(person("ann"), ann.id));
    const stats = async () => (await stage.good(stage.rooms.queues.stats(id))).stats;
    await stage.clock.advance(600_000);
    assert.deepEqual([(await stats()).waiting, (await stats()).expired], [1, 0]);
    attendances.unattend(person("ann"), ann.id);
    await stage.clock.advance(9_999);
    assert.equal((await stats()).expired, 0);
    await stage.clock.advance(10_001);
    assert.deepEqual([(await stats()).waiting, (await stats()).expired], [0, 1]);
    assert.deepEqual(tab.faults, []);
    await stage.stop();
  });

  test("a connection that closes, or stops following, while it asks to follow leaves nothing behind", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const attendances = new Attendances(stage.rooms, wire(), 100);
    const attending = attendances.attend(person("ann"), ann.id);
    attendances.unattend(person("ann"), ann.id);
    await stage.good(attending);
    assert.equal(stage.pulses.size, 0);
    const [first, second] = [1, 2].map(() => attendances.attend(person("ann"), ann.id));
    await stage.good(first);
    await stage.good(second);
    assert.equal(stage.pulses.size, 1);
    const again = attendances.attend(person("ann"), ann.id);
    attendances.close();
    await stage.good(again);
    assert.equal(stage.pulses.size, 0);
    await stage.good(attendances.attend(person("ann"), ann.id));
    assert.equal(stage.pulses.size, 0, "nor when it is gone before its token is proved");
    await stage.stop();
  });

  test("a position that cannot be read just now is no message, and what fails is noted", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    const insider = (await stage.good(stage.enter(id, "insider"))).position;
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const tab = wire();
    const positions = Object.create(stage.rooms.positions, {
      get: { value: () => Promise.reject(new Error("The keys cannot be read.")) },
      heartbeat: { value: stage.rooms.positions.heartbeat.bind(stage.rooms.positions) },
    });
    const attendances = new Attendances({ ...stage.rooms, positions }, tab, 100);
    await stage.good(attendances.attend(person("ann"), ann.id));
    await stage.good(stage.rooms.positions.leave(person("insider"), insider.id));
    await stage.clock.advance(0);
    assert.equal(tab.faults.length, 1);
    assert.deepEqual(
      tab.written.filter(({ type }) => type === "position"),
      [],
    );
    attendances.close();
    await stage.stop();
  });
});
