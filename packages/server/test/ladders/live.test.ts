import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { EventClient, LiveClient, type Watching } from "../live/clients.ts";
import { type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Club } from "./club.ts";

suite("ladders live", () => {
  let server: TestServer;
  let club: Club;
  const open: { close(): void }[] = [];

  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(async () => {
    for (const client of open) client.close();
    await server.stop();
  });

  async function watching(id: string, after?: number, person?: string): Promise<LiveClient> {
    const client = await LiveClient.open(server.url, person === undefined ? {} : { token: tokenOf(person) });
    open.push(client);
    const answer = await client.ask({ type: "watch", ladder: id, ...(after !== undefined && { after }) });
    assert.deepEqual([answer.status, answer.body.data], [200, { ladder: id }]);
    return client;
  }

  async function events(id: string, options: Json = {}): Promise<EventClient> {
    const client = await EventClient.open(server.url, id, { kind: "ladder", ...options });
    open.push(client);
    return client;
  }

  const versionOf = async (id: string): Promise<number> => (await club.look(id)).version;

  const changesIn = (client: Watching): Json[] => client.feed.flatMap(({ changes }) => changes ?? []);

  test("[FD1] [FD4] a watcher sees the ladder, and then each change at once", async () => {
    const id = await club.newLadder(["ann"]);
    const version = await versionOf(id);
    const watchers = [await watching(id), await watching(id, undefined, "ann"), await events(id)];
    for (const watcher of watchers) {
      const view = await watcher.at(version);
      assert.equal(view.type, "view");
      assert.deepEqual(view.ladder, (await club.look(id)).ladder);
    }
    await club.join(id, "bob");
    await club.counted(id, ["ann", "bob"], [3, 1]);
    await club.void(id, "1");
    await club.leave(id, "bob");
    await club.join(id, "bob");
    await club.change(id, { title: "New", confirm: true });
    await club.reported(id, ["ann", "bob"]);
    await club.settle("decline", id, "2", "bob");
    await club.reported(id, ["bob", "ann"]);
    await club.settle("confirm", id, "3", "ann");
    const last = await versionOf(id);
    for (const watcher of watchers) {
      await watcher.at(last);
      assert.deepEqual(
        changesIn(watcher).map(({ type }) => type),
        [
          ...["player-joined", "match-counted", "match-voided", "player-left", "player-returned"],
          ...["settings-changed", "match-reported", "match-declined", "match-reported", "match-counted"],
        ],
      );
      const versions = watcher.feed.map((message) => message.version);
      assert.deepEqual(
        versions,
        range(last - version + 1).map((index) => version + index),
        "each once and in order",
      );
    }
    const [joined, counted, voided] = changesIn(watchers[0]);
    assert.deepEqual(joined.player, { number: 2, userId: "bob", name: "Bob", rating: 1000 });
    assert.deepEqual(counted.match, {
      id: "1",
      dispute: null,
      players: [
        { number: 1, score: 3, before: 1000, after: 1016 },
        { number: 2, score: 1, before: 1000, after: 984 },
      ],
    });
    assert.deepEqual([voided.match, voided.recounted], [{ id: "1" }, 0]);
  });

  test("[FD1] [LD5] the progress of an import is shown, and each of its matches once", async () => {
    const id = await club.newLadder();
    const live = await watching(id);
    // Otherwise the view may come after the import has begun, and contain it.
    await live.at(1);
    const rows = range(1_200).map((index) => ({
      players: ["ann", `p${index % 9}`],
      scores: [index % 2, 1],
    }));
    const { id: digest } = await club.imported(id, rows);
    await live.at(await versionOf(id));
    const changes = changesIn(live);
    const kind = (type: string) => changes.filter((change) => change.type === type);
    assert.deepEqual(kind("import-begun"), [{ type: "import-begun", import: digest, rows: 1_200 }]);
    assert.deepEqual(
      kind("match-counted").map(({ match }) => Number(match.id)),
      range(1_200).map((index) => index + 1),
    );
    assert.equal(kind("player-joined").length, 10);
    assert.equal(kind("import-progress").at(-1)!.done, 1_200);
  });

  test("[FD1] after unwatching nothing more is sent; a ladder, a game and an arena are kept apart", async () => {
    const id = await club.newLadder(["ann", "bob"], { id: "same-name" });
    const live = await watching(id);
    const missing = await live.ask({ type: "watch", game: "same-name" });
    assert.equal(missing.status, 404);
    const unwatched = await live.ask({ type: "unwatch", ladder: id });
    assert.deepEqual(unwatched.body.data, { ladder: id });
    await club.counted(id, ["ann", "bob"]);
    await live.ask({ type: "ping" });
    assert.deepEqual(
      live.feed.filter(({ type }) => type === "change"),
      [],
    );
    const none = await live.ask({ type: "watch", ladder: "nowhere" });
    assert.deepEqual([none.status, none.body.code], [404, "ladder.not-found"]);
    for (const message of [{ ladder: id, game: "g" }, { ladder: id, arena: "a" }, {}]) {
      const answer = await live.ask({ type: "watch", ...message });
      assert.deepEqual([answer.status, answer.body.code], [400, "input.invalid"], JSON.stringify(message));
    }
    for (const type of ["join", "leave"]) {
      const answer = await live.ask({ type, ladder: id, token: tokenOf("ann") });
      assert.deepEqual([answer.status, answer.body.data.field], [400, "ladder"], type);
    }
  });
});
