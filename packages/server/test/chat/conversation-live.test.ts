import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { EventClient, LiveClient, type Watching } from "../live/clients.ts";
import { type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { inSeconds, tokenOf } from "../support/tokens.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

suite("conversations live", () => {
  let server: TestServer;
  let talk: Talk;
  const open: { close(): void }[] = [];

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
  });
  after(async () => {
    for (const client of open) client.close();
    await server.stop();
  });

  async function connected(person?: string): Promise<LiveClient> {
    const client = await LiveClient.open(server.url, person === undefined ? {} : { token: tokenOf(person) });
    open.push(client);
    return client;
  }

  async function watching(person: string): Promise<LiveClient> {
    const client = await connected(person);
    const answer = await client.ask({ type: "watch", conversation: "me" });
    assert.deepEqual([answer.status, answer.body.data], [200, { conversation: "me" }]);
    return client;
  }

  async function events(person: string): Promise<EventClient> {
    const given = { kind: "conversation", token: tokenOf(person) } as const;
    const client = await EventClient.open(server.url, "me", given);
    open.push(client);
    return client;
  }

  const linesIn = ({ feed }: Watching): string[] =>
    feed.flatMap(({ lines = [] }) => lines.map(({ by, text }: Json) => `${by}: ${text}`));

  /** Everything that a watcher has received, once it is as long as the conversation. */
  const caughtUp = async (watcher: Watching, person: string): Promise<string[]> => {
    const { version } = await talk.conversation(person);
    await watcher.at(version);
    return linesIn(watcher);
  };

  test("[FD1] [FD4] a watcher sees the conversation so far, and then each line at once", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    await talk.say(ann, "help");
    await talk.lines(ann, /^help$/);
    const watchers = [await watching(ann), await events(ann)];
    for (const watcher of watchers) {
      const view = await watcher.at(1);
      assert.deepEqual([view.type, view.conversation], ["view", "me"]);
      assert.deepEqual(view.lines, (await talk.conversation(ann)).lines);
    }
    await talk.say(bob, `throw rock @${ann}`);
    await talk.lines(ann, /challenges you/);
    await talk.say(ann, "throw paper");
    const all = await talk.lines(ann, /you win/);
    for (const watcher of watchers) {
      assert.deepEqual(await caughtUp(watcher, ann), all);
      const versions = watcher.feed.map(({ version }) => version);
      assert.deepEqual(
        versions,
        range(versions.length).map((index) => index + 1),
        "each once and in order",
      );
      const changes = watcher.feed.slice(1);
      for (const { type, conversation, lines } of changes) {
        assert.deepEqual([type, conversation], ["change", "me"]);
        for (const line of lines) assert.deepEqual(Object.keys(line).sort(), ["at", "by", "text"]);
      }
    }
    assert.deepEqual(watchers[0].feed, watchers[1].feed, "both kinds of connection receive the same");
  });

  test("[AU3] anonymous watching is refused, and so is watching another person's conversation", async () => {
    const stranger = await connected();
    const missing = await stranger.ask({ type: "watch", conversation: "me" });
    assert.deepEqual([missing.status, missing.body.code], [401, "auth.missing"]);
    for (const conversation of ["ann", "@service", "", 5, null]) {
      const answer = await (await connected("bob")).ask({ type: "watch", conversation });
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.data.field],
        [400, "input.invalid", "conversation"],
      );
    }
    for (const role of [server.serviceKey, server.operatorKey]) {
      const live = await connected();
      await live.ask({ type: "auth", token: role });
      const answer = await live.ask({ type: "watch", conversation: "me" });
      assert.ok([401, 403].includes(answer.status), JSON.stringify(answer));
    }
    const status = async (id: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`${server.url}/api/v1/conversations/${id}/events`, { headers })).status;
    };
    assert.equal(await status("me"), 401);
    assert.equal(await status("me", tokenOf("ann", { exp: inSeconds(-60) })), 401);
    assert.equal(await status("me", server.serviceKey), 403);
    assert.equal(await status("ann", tokenOf("bob")), 400);
    assert.equal(await status("ann", tokenOf("ann")), 400, "views call it `me`");
  });

  test("[AU3] many people who watch and talk at once see only their own lines", async () => {
    const people = await talk.named(...range(10).map((index) => `p${index}x`));
    const watchers = await Promise.all(
      people.map((person, index) => (index % 2 ? watching(person) : events(person))),
    );
    await Promise.all(
      people.map(async (person, index) => {
        const other = people[(index + 1) % people.length];
        for (const round of range(5)) await talk.say(person, `nonsense of ${person} ${round}`);
        await talk.say(person, `throw rock @${other}`);
      }),
    );
    for (const [index, person] of people.entries()) {
      const challenger = nameOf(people[(index + people.length - 1) % people.length]);
      await talk.lines(person, new RegExp(`^${challenger} challenges you`));
      const told = await until("all of it", () => {
        const lines = linesIn(watchers[index]);
        return lines.length >= 13 && lines;
      });
      assert.equal(told.length, 13);
      assert.deepEqual(told, await talk.lines(person));
      assert.equal(told.filter((line) => line.startsWith(`you: nonsense of ${person} `)).length, 5);
    }
  });

  test("[AU3] [FD1] watchers of a ladder see its changes, but not the chat about it", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    await talk.say(ann, "register");
    const live = await connected();
    const events = await EventClient.open(server.url, "chat", { kind: "ladder" });
    open.push(events);
    assert.equal((await live.ask({ type: "watch", ladder: "chat" })).status, 200);
    await until("the views", () => live.feed.length === 1 && events.feed.length === 1);
    await talk.say(bob, "/register");
    await talk.say(ann, "/rating me");
    await talk.say(ann, `/match @${bob} 3:1`);
    const { version } = await good(server.client.get("/api/v1/ladders/chat"));
    for (const watcher of [live, events]) {
      await watcher.at(version);
      const changes = watcher.feed.flatMap((message) => message.changes ?? []);
      assert.deepEqual(
        changes.map(({ type }: Json) => type),
        ["player-joined", "match-counted"],
      );
      assert.doesNotMatch(JSON.stringify(watcher.feed), /rating me| 3:1|You are on the ladder|conversation/);
    }
  });
});
