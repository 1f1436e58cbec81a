import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { AttendedPlaces } from "../../src/transport/live/attended-places.ts";
import { Desk, isoTime } from "../queues/desk.ts";
import { person, WaitingStage } from "../queues/waiting-stage.ts";
import { type Json, metric, range, until } from "../support/http.ts";
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

  /** The first matching message about a position. */
  const told = (live: LiveClient, what: string, fits: (position: Json) => boolean) =>
    until(what, () => ofType(live, "position").find(({ position }) => fits(position)));

  test("[FD4] [LS5] [ID1] entering and heartbeats over the live connection get the same responses as over HTTP", () =>
    withLive(async (live) => {
      const { queue } = await desk.fullQueue();
      const entered = await live.ask({ type: "enter", queue, key: "one" });
      assert.equal(entered.status, 201);
      const repeated = await live.ask({ type: "enter", queue, key: "one" });
      assert.deepEqual([repeated.status, repeated.body, repeated.replayed], [201, entered.body, true]);
      const { position } = entered.body.data;
      assert.equal(position.position, 1);
      const again = await live.ask({ type: "enter", queue });
      assert.deepEqual([again.status, again.body.data], [200, entered.body.data]);
      const overHttp = await desk.enter(queue, "ann");
      assert.deepEqual([overHttp.status, overHttp.body], [200, again.body]);
      const answer = await live.ask({ type: "heartbeat", position: position.id });
      assert.deepEqual([answer.status, answer.body], [200, (await desk.heartbeat(position.id, "ann")).body]);
      const nowhere = await live.ask({ type: "enter", queue: "nowhere" });
      assert.deepEqual([nowhere.status, nowhere.body.code], [404, "room.not-found"]);
    }, tokenOf("ann")));

  test("[FD3] following a place gives the position, then pulses to derive it from, and a message on admission", () =>
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
      assert.equal(ofType(live, "position").length, 0, "other people's admissions cause no message");

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

  test("[LS5] two tabs follow one place, and both are notified; closing one keeps the other", async () => {
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
    const followed = () => metric(desk.client, "openseat_places_followed");
    await until("nothing is followed by closed connections", async () => (await followed()) === 0);
  });

  test("[FD3] following twice on a connection counts once; unattend stops it", () =>
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
      assert.equal(never.status, 200, "there is nothing to undo, and that is no error");
    }, tokenOf("ann")));

  test("[AU3] places that are invalid, over, or another person's cannot be followed", () =>
    withLive(async (live) => {
      const { queue, insider } = await desk.fullQueue();
      const bob = await desk.entered(queue, "bob");
      const gone = await desk.entered(queue, "ann");
      await desk.cancel(gone.id, "ann");
      for (const [position, status, code] of [
        [bob.id, 404, "place.not-found"],
        [insider.id, 404, "place.not-found"],
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

  test("[LM2] a connection follows at most 100 places, also if it requests all at once", () =>
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
      assert.equal((await attend(109)).status, 200, "ending one frees a slot, and a refused one takes none");
    }));
});

suite("the places that one connection follows", () => {
  /** A connection whose read progress a test controls. */
  function wire() {
    const wire = {
      written: [] as Json[],
      faults: [] as unknown[],
      backlogBytes: 0,
      write: (text: string) => void wire.written.push(JSON.parse(text)),
      refuse: () => {},
      onFault: (error: unknown) => void wire.faults.push(error),
    };
    return wire;
  }

  test("[FD2] a reader that reads nothing gets no pulses, but still the message on admission", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    const insider = (await stage.good(stage.enter(id, "insider"))).position;
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const slow = wire();
    slow.backlogBytes = 1_000_000;
    const attended = new AttendedPlaces(stage.rooms, slow, 100);
    await stage.good(attended.attend(person("ann"), ann.id));
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
    attended.close();
    assert.equal(stage.lineBroadcast.size, 0);
    await stage.stop();
  });

  test("[AU2] nobody can stop another person's following on the same connection", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const attended = new AttendedPlaces(stage.rooms, wire(), 100);
    await stage.good(attended.attend(person("ann"), ann.id));
    attended.unattend(person("bob"), ann.id);
    assert.equal(await stage.refused(attended.attend(person("bob"), ann.id)), "place.not-found");
    assert.equal(stage.lineBroadcast.size, 1);
    attended.unattend(person("ann"), ann.id);
    assert.equal(stage.lineBroadcast.size, 0);
    await stage.stop();
  });

  test("[LS1] a followed place does not expire; after unattend, it expires with its lease", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened({ heartbeatTimeoutSeconds: 10, claimTimeoutSeconds: 3_600 });
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const tab = wire();
    const attended = new AttendedPlaces(stage.rooms, tab, 100);
    await stage.good(attended.attend(person("ann"), ann.id));
    const stats = async () => (await stage.good(stage.rooms.queues.stats(id))).stats;
    await stage.clock.advance(600_000);
    assert.deepEqual([(await stats()).waiting, (await stats()).expired], [1, 0]);
    attended.unattend(person("ann"), ann.id);
    await stage.clock.advance(9_999);
    assert.equal((await stats()).expired, 0);
    await stage.clock.advance(10_001);
    assert.deepEqual([(await stats()).waiting, (await stats()).expired], [0, 1]);
    assert.deepEqual(tab.faults, []);
    await stage.stop();
  });

  test("a connection that closes, or stops following, during a follow request leaves nothing behind", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    await stage.good(stage.enter(id, "insider"));
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const attended = new AttendedPlaces(stage.rooms, wire(), 100);
    const attending = attended.attend(person("ann"), ann.id);
    attended.unattend(person("ann"), ann.id);
    await stage.good(attending);
    assert.equal(stage.lineBroadcast.size, 0);
    const [first, second] = [1, 2].map(() => attended.attend(person("ann"), ann.id));
    await stage.good(first);
    await stage.good(second);
    assert.equal(stage.lineBroadcast.size, 1);
    const again = attended.attend(person("ann"), ann.id);
    attended.close();
    await stage.good(again);
    assert.equal(stage.lineBroadcast.size, 0);
    await stage.good(attended.attend(person("ann"), ann.id));
    assert.equal(stage.lineBroadcast.size, 0, "also when the connection closes before its token is verified");
    await stage.stop();
  });

  test("a position that cannot be read now is not sent, and the error is logged", async () => {
    const stage = new WaitingStage();
    const id = await stage.opened();
    const insider = (await stage.good(stage.enter(id, "insider"))).position;
    const ann = (await stage.good(stage.enter(id, "ann"))).position;
    const tab = wire();
    const positions = Object.create(stage.rooms.positions, {
      get: { value: () => Promise.reject(new Error("The keys cannot be read.")) },
      heartbeat: { value: stage.rooms.positions.heartbeat.bind(stage.rooms.positions) },
    });
    const attended = new AttendedPlaces({ ...stage.rooms, positions }, tab, 100);
    await stage.good(attended.attend(person("ann"), ann.id));
    await stage.good(stage.rooms.positions.leave(person("insider"), insider.id));
    await stage.clock.advance(0);
    assert.equal(tab.faults.length, 1);
    assert.deepEqual(
      tab.written.filter(({ type }) => type === "position"),
      [],
    );
    attended.close();
    await stage.stop();
  });
});
