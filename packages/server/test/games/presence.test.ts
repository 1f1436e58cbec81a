import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GameCommand, type GameEvent, type GameRoom, gameDecider } from "@openseat/kernel";
import { Games } from "../../src/app/games/games.ts";
import { Hub } from "../../src/feed/hub.ts";
import { Host } from "../../src/host/host.ts";
import { decodeEntry } from "../../src/log/entry.ts";
import { watchRoom } from "../../src/transport/live/watch-room.ts";
import { Tab } from "../arenas/stage.ts";
import { HeldLog } from "../support/held-log.ts";
import type { Json } from "../support/http.ts";
import { freeCreation } from "../support/limits.ts";
import { codeOf, doneOf } from "../support/results.ts";
import { answered, TestClock, turns } from "../support/test-clock.ts";

const timeoutMs = 20_000;
const personCalled = (by: string) => ({ role: "person", by }) as const;

/** The server's games, on a clock that the test controls. */
class GameStage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly hub: Hub;
  readonly host: Host;
  readonly games: Games;
  id = "";

  constructor(log = new HeldLog(), clock = new TestClock()) {
    this.log = log;
    this.clock = clock;
    this.hub = new Hub(log, clock);
    this.host = new Host({
      log,
      clock,
      deciders: { game: gameDecider },
      onCommit: (committed) => this.hub.publish(committed),
    });
    this.games = new Games(this.host.streams<GameRoom, GameCommand, GameEvent>("game"), freeCreation());
    this.host.start();
  }

  async opened(people: readonly string[], fields: Json = { heartbeatTimeoutSeconds: timeoutMs / 1_000 }) {
    const given = { title: "G", maxPlayers: 2, waitlist: true, ...fields };
    const made = await answered(this.games.create(personCalled("maker"), given));
    this.id = doneOf(made).game.id;
    for (const person of people) await this.join(person);
    return this;
  }

  /** Another host on the same log, as after a crash. */
  another(): GameStage {
    const stage = new GameStage(this.log, this.clock);
    stage.id = this.id;
    return stage;
  }

  join(person: string) {
    return answered(this.games.join(personCalled(person), this.id));
  }

  async tab(person: string | undefined): Promise<Tab> {
    const lens = await answered(this.games.lens(this.id));
    assert.ok(!("refusal" in lens));
    const tab = new Tab();
    const rooms = { games: this.games, arenas: this.games, hub: this.hub };
    const from = { after: undefined, viewer: person as never };
    const watch = watchRoom(rooms, { kind: "game", id: this.id }, lens, tab, from);
    tab.close = () => watch.close();
    await turns(30);
    return tab;
  }

  async present(): Promise<string[]> {
    const query = { after: 0, limit: 100, present: true };
    const { participants } = doneOf(await answered(this.games.participants(null, this.id, query)));
    return participants.map(({ userId, status }) => `${userId} ${status}`);
  }

  /** The people who have lost a place by silence, and how long after `since`. */
  async ends(since: number): Promise<string[]> {
    const batches = await this.log.read(`game/${this.id}`, 0, Number.POSITIVE_INFINITY);
    return batches
      .flatMap(({ lines }) => lines.map((line) => decodeEntry<GameEvent>(line)))
      .flatMap(({ at, events }) =>
        events.flatMap((event) =>
          event.type === "left" && event.reason === "heartbeat_timeout"
            ? [`${event.person} after ${at - since}`]
            : [],
        ),
      );
  }
}

describe("places in a game with a timeout", () => {
  test("[LS2] silent people lose seat and place between one timeout and two; those with heartbeats move up", async () => {
    const stage = await new GameStage().opened(["ann", "bob", "cat", "dan"]);
    const began = stage.clock.now();
    for (let round = 0; round < 6; round++) {
      await stage.clock.advance(timeoutMs / 2);
      for (const person of ["bob", "dan"])
        doneOf(await answered(stage.games.heartbeat(personCalled(person), stage.id)));
    }
    assert.deepEqual(await stage.present(), ["bob ACTIVE", "dan ACTIVE"]);
    const ends = await stage.ends(began);
    assert.deepEqual(ends.map((end) => end.replace(/ .*/, "")).sort(), ["ann", "cat"]);
    for (const end of ends) {
      const silentMs = Number(/\d+$/.exec(end)?.[0]);
      assert.ok(silentMs >= timeoutMs && silentMs <= 2 * timeoutMs, end);
    }
  });

  test("[LS2] without a timeout no heartbeats are needed", async () => {
    const stage = await new GameStage().opened(["ann", "bob"], {});
    await stage.clock.advance(100 * timeoutMs);
    assert.deepEqual(await stage.present(), ["ann ACTIVE", "bob ACTIVE"]);
  });

  test("[LS2] [LS1] any request of the person about the game is a heartbeat, also a refused one", async () => {
    const asks: ((stage: GameStage) => Promise<unknown>)[] = [
      ({ games, id }) => games.get(personCalled("ann"), id),
      ({ games, id }) => games.canJoin(personCalled("ann"), id),
      ({ games, id }) => games.participants(personCalled("ann"), id, { after: 0, limit: 1, present: false }),
      ({ games, id }) => games.heartbeat(personCalled("ann"), id),
      ({ games, id }) => games.join(personCalled("ann"), id),
      ({ games, id }) => games.end(personCalled("ann"), id),
      ({ games, id }) => games.remove(personCalled("ann"), id, "bob" as never),
    ];
    for (const [index, ask] of asks.entries()) {
      const stage = await new GameStage().opened(["ann"]);
      for (let round = 0; round < 4; round++) {
        await stage.clock.advance(timeoutMs - 1);
        await answered(ask(stage));
      }
      assert.deepEqual(await stage.present(), ["ann ACTIVE"], `request ${index}`);
      // Requests of other people and anonymous requests do not count for her.
      for (let round = 0; round < 4; round++) {
        await stage.clock.advance(timeoutMs - 1);
        await answered(stage.games.get(personCalled("bob"), stage.id));
        await answered(stage.games.get(null, stage.id));
      }
      assert.deepEqual(await stage.present(), [], `request ${index}`);
    }
  });

  test("[LS2] watching counts as continuous presence from joining on; closing the last tab starts the silence", async () => {
    const stage = await new GameStage().opened([]);
    const tab = await stage.tab("ann");
    await stage.join("ann");
    await turns(30);
    const stranger = await stage.tab("bob");
    await stage.clock.advance(20 * timeoutMs);
    assert.deepEqual(await stage.present(), ["ann ACTIVE"]);
    tab.close();
    const closed = stage.clock.now();
    await stage.clock.advance(2 * timeoutMs);
    const [end] = await stage.ends(closed);
    const silentMs = Number(/^ann after (\d+)$/.exec(end)?.[1]);
    assert.ok(silentMs >= timeoutMs && silentMs <= 2 * timeoutMs, end);
    const last = JSON.parse(stranger.got.at(-1)!.json);
    assert.deepEqual([last.changes[0].type, last.changes[0].reason], ["player-left", "heartbeat_timeout"]);
    stranger.close();
  });

  test("[LS5] [GM4] a person whose place has expired may join again, and is told that the place is over", async () => {
    const stage = await new GameStage().opened(["ann"]);
    await stage.clock.advance(3 * timeoutMs);
    const answer = await answered(stage.games.heartbeat(personCalled("ann"), stage.id));
    assert.equal(codeOf(answer), "place.missing");
    doneOf(await stage.join("ann"));
    assert.deepEqual(await stage.present(), ["ann ACTIVE"]);
  });

  test("[LS4] a restart gives everyone a full timeout again; people who do not come back expire without any request", async () => {
    const before = await new GameStage().opened(["ann", "bob"]);
    await before.clock.advance(timeoutMs - 1);
    before.host.stop().catch(() => {});
    await before.clock.advance(3_600_000);
    const stage = before.another();
    const restarted = stage.clock.now();
    await turns(30);
    await stage.clock.advance(timeoutMs - 1);
    assert.deepEqual(await stage.ends(restarted), []);
    const tab = await stage.tab("ann");
    await stage.clock.advance(2 * timeoutMs);
    assert.deepEqual(await stage.present(), ["ann ACTIVE"]);
    tab.close();
  });

  test("[LS2] games from before there were timeouts are not loaded at startup", async () => {
    const before = await new GameStage().opened(["ann"], {});
    const { listing } = (await before.log.list({ kind: "game", limit: 1 })).map((listed) => ({
      listing: listed.summary,
    }))[0];
    assert.equal(listing.leased, false);
    before.host.stop().catch(() => {});
    const list = before.log.list.bind(before.log);
    // As written by a server that had no timeouts in games.
    before.log.list = async (query) =>
      (await list(query)).map(({ summary: { leased: _, ...summary }, ...rest }) => ({ ...rest, summary }));
    const stage = before.another();
    await turns(60);
    assert.equal(stage.host.residentStreams, 0);
  });
});
