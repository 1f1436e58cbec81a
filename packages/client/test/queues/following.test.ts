import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { until } from "../../../server/test/support/http.ts";
import { tokenOf } from "../../../server/test/support/tokens.ts";
import { ManualClock } from "../support/clocks.ts";
import { onStage, refusal, type Stage, sharedStorage } from "../support/stage.ts";
import { diaryOf, WaitingRoom, withoutWebSocket } from "../support/waiting.ts";

/** A WebSocket that records what is sent, and can hold back answers about a place. */
function tappedSocket() {
  const sent: { type: string; position?: string }[] = [];
  const held: (() => void)[] = [];
  const tap = { sent, held, isHolding: false, inject: (_: object) => {} };
  class Tapped extends WebSocket {
    override send(text: string): void {
      sent.push(JSON.parse(text));
      super.send(text);
    }
    override addEventListener(type: string, listener: unknown): void {
      const call = listener as (event: object) => void;
      if (type !== "message") {
        super.addEventListener(type, call);
        return;
      }
      tap.inject = (message) => call({ data: JSON.stringify(message) });
      super.addEventListener(type, (event: MessageEvent) => {
        if (tap.isHolding && JSON.parse(event.data).type === "answer") held.push(() => call(event));
        else call(event);
      });
    }
  }
  return { tap, webSocket: Tapped };
}

const isAttended = (sent: readonly { type: string }[]) => sent.some(({ type }) => type === "attend");

/** Bob, who waits behind Ann. */
async function behind(stage: Stage, options: Parameters<Stage["client"]>[0] = {}, fields: object = {}) {
  const room = await WaitingRoom.open(stage, fields);
  const ann = await room.enter("ann");
  const client = stage.client({ token: tokenOf("bob"), ...options });
  const bob = await client.queue(room.id).enter();
  return { room, ann, client, bob };
}

suite("following a place", () => {
  test("survives cuts of the network and a restart of the server", () =>
    onStage(async (stage) => {
      const { room, ann, bob } = await behind(stage);
      const cat = await room.enter("cat");
      const diary = diaryOf(cat);
      stage.network.cut();
      await ann.leave();
      await bob.admitted();
      stage.server = await stage.server.restart();
      stage.network.cut();
      stage.network.lead(stage.server.url);
      const session = await bob.claim();
      await session.complete();
      await cat.admitted();
      assert.equal(diary.statuses.join(), "WAITING,ADMITTED");
    }));

  test("entering, claiming and completing count once if their answers are lost", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      await withoutWebSocket(async () => {
        const ann = stage.client({ token: tokenOf("ann") });
        stage.network.answersToLose = 2;
        const place = await ann.queue(room.id).enter();
        stage.network.answersToLose = 1;
        const session = await place.claim();
        stage.network.answersToLose = 1;
        await session.complete();
        assert.equal(place.reason, "completed");
      });
      const { entered, completed } = await room.queue.stats();
      assert.deepEqual([entered, completed], [1, 1]);
    }));

  test("moves up with the line between two exact answers, and never back because of an old message", () =>
    onStage(async (stage) => {
      const clock = new ManualClock();
      const { tap, webSocket } = tappedSocket();
      const { ann, bob, client } = await behind(stage, { clock, webSocket });
      await until("the live connection", () => isAttended(tap.sent) && client.connection === "open");
      await until("the answer", () => clock.timers === 2);
      tap.isHolding = true;
      const refreshed = bob.refresh();
      await until("an answer that says WAITING", () => tap.held.length === 1);
      await ann.leave();
      await bob.admitted();
      for (const release of tap.held.splice(0)) release();
      await refreshed;
      assert.equal(bob.status, "ADMITTED");
      tap.inject({ type: "pulse", queue: bob.queue, moved: 99, waiting: 0 });
      assert.equal(bob.position, 0);
    }));

  test("a message to the whole line moves every place in it, at most to the front", () =>
    onStage(async (stage) => {
      const { tap, webSocket } = tappedSocket();
      const { room, client } = await behind(stage);
      const bot = stage.client({ token: tokenOf("cat"), webSocket, clock: new ManualClock() });
      const cat = await bot.queue(room.id).enter();
      await until("the live connection", () => bot.connection === "open");
      assert.equal(cat.position, 2);
      tap.inject({ type: "pulse", queue: "another", moved: 2, waiting: 1 });
      assert.equal(cat.position, 2);
      tap.inject({ type: "pulse", queue: room.id, moved: 2, waiting: 1 });
      assert.deepEqual([cat.position, cat.length], [1, 1]);
      tap.inject({ type: "pulse", queue: room.id, moved: 9, waiting: 5 });
      assert.deepEqual([cat.position, cat.length], [1, 5]);
      await cat.refresh();
      assert.equal(cat.position, 2, "the exact answer counts");
      assert.ok(client.me);
    }));

  test("two followers of one place share one watch, which ends with the last", () =>
    onStage(async (stage) => {
      const { tap, webSocket } = tappedSocket();
      const { room, client, bob } = await behind(stage, { webSocket });
      const again = (await client.queue(room.id).place())!;
      await until("the live connection", () => client.connection === "open");
      await until("following", () => isAttended(tap.sent));
      bob.stop();
      again.stop();
      again.stop();
      await until("the end", () => tap.sent.some(({ type }) => type === "unattend"));
      const third = await client.queue(room.id).place();
      await until("following again", () => tap.sent.at(-1)!.type === "attend");
      assert.deepEqual(
        tap.sent.filter(({ type }) => type.endsWith("attend")).map(({ type }) => type),
        ["attend", "unattend", "attend"],
      );
      assert.equal(third!.id, bob.id);
    }));

  test("a new token is used when the server says that the old one has expired", () =>
    onStage(async (stage) => {
      const { tap, webSocket } = tappedSocket();
      const { bob, client, ann } = await behind(stage, { webSocket });
      await until("following", () => isAttended(tap.sent) && client.connection === "open");
      const data = { position: { id: bob.id } };
      tap.inject({
        id: null,
        type: "answer",
        status: 401,
        body: { success: false, statusCode: 401, code: "auth.expired", message: "Expired.", data },
      });
      assert.equal(client.connection, "lost");
      await until("following again", () => tap.sent.filter(({ type }) => type === "attend").length === 2);
      assert.equal(tap.sent.filter(({ type }) => type === "auth").length, 2);
      await ann.leave();
      await bob.admitted();
    }));

  test("ends with an error when the place is another guest's", () =>
    onStage(async (stage) => {
      const room = await WaitingRoom.open(stage);
      const storage = sharedStorage();
      const client = stage.client({ storage });
      await room.enter("ann");
      const place = await client.queue(room.id).enter();
      await until("the live connection", () => client.connection === "open");
      const errors: unknown[] = [];
      place.onChange(() => void errors.push(place.error?.code));
      const iterated = assert.rejects(
        async () => {
          for await (const { status } of place) assert.equal(status, "WAITING");
        },
        refusal("place.not-found", 404),
      );
      const ended = assert.rejects(place.ended(), refusal("place.not-found", 404));
      const [[key, kept]] = [...storage.kept].filter(([name]) => name.startsWith("openseat.guest"));
      storage.kept.set(key, kept.replace(/"token":"[^"]*"/, '"token":"no.such.token"'));
      stage.network.cut();
      await iterated;
      await ended;
      assert.deepEqual(errors, ["place.not-found"]);
    }));

  test("a service follows the places of others by asking", () =>
    onStage(async (stage) => {
      const { room, ann, bob } = await behind(stage);
      const service = stage.client({ token: stage.server.serviceKey });
      const seen = await service.queue(room.id).place(bob.id);
      await ann.leave();
      await seen.admitted();
      assert.equal(seen.error, undefined);
    }));

  test("closing the client ends everything", () =>
    onStage(async (stage) => {
      const clock = new ManualClock();
      const { client, bob } = await behind(stage, { clock });
      await until("the live connection", () => client.connection === "open");
      const admitted = assert.rejects(bob.admitted(), refusal("client.closed"));
      client.close();
      await admitted;
      assert.equal(clock.timers, 0);
      await assert.rejects(client.queue("any").enter(), refusal("client.closed"));
    }));
});

suite("heartbeats", () => {
  /** The addresses that a client without a WebSocket asks as time passes. */
  async function heartbeats(stage: Stage, fields: object, pass: (clock: ManualClock) => void) {
    const clock = new ManualClock();
    const asked: string[] = [];
    const room = await WaitingRoom.open(stage, fields);
    const fetch = (url: string, options: RequestInit) => {
      asked.push(`${options.method} ${new URL(url).pathname}`);
      return globalThis.fetch(url, options);
    };
    const client = stage.client({ token: tokenOf("ann"), clock, fetch });
    const place = await client.queue(room.id).enter();
    await place.claim();
    // A pending request has a timer of its own.
    const answered = (path: string) => until(path, () => asked.includes(path) && clock.timers === 1);
    await answered(`GET /api/v1/queues/${room.id}`);
    asked.length = 0;
    pass(clock);
    const path = `GET /api/v1/positions/${place.id}`;
    await answered(path);
    return { asked, path };
  }

  test("a session whose queue has a timeout sends three per timeout", () =>
    withoutWebSocket(() =>
      onStage(async (stage) => {
        const { asked, path } = await heartbeats(stage, { sessionTimeoutSeconds: 15 }, (clock) => {
          clock.advance(4_999);
          assert.equal(clock.timers, 1);
          clock.advance(1);
        });
        assert.deepEqual(asked, [path]);
      }),
    ));

  test("a session stays alive while its queue's settings cannot be read, and they are read again", () =>
    withoutWebSocket(() =>
      onStage(async (stage) => {
        const clock = new ManualClock();
        const room = await WaitingRoom.open(stage, { sessionTimeoutSeconds: 15 });
        let failures = 3;
        const fetch = (url: string, options: RequestInit) =>
          url.endsWith(`/queues/${room.id}`) && failures-- > 0
            ? Promise.resolve(new Response("<html>A login page</html>"))
            : globalThis.fetch(url, options);
        const place = await stage
          .client({ token: tokenOf("ann"), clock, fetch })
          .queue(room.id)
          .enter();
        await place.claim();
        const settled = (left: number) =>
          until(`${left} failures left`, () => failures === left && clock.timers === 1);
        for (const left of [2, 1, 0]) {
          await settled(left);
          assert.ok(clock.nextInMs <= 1_000, `the next heartbeat is in ${clock.nextInMs} ms`);
          clock.advance(clock.nextInMs);
        }
        await settled(-1);
        assert.equal(clock.nextInMs, 5_000);
        assert.equal(place.status, "ACTIVE");
      }),
    ));

  test("a session without a timeout asks twice per minute whether it still lasts", () =>
    withoutWebSocket(() =>
      onStage(async (stage) => {
        const { asked, path } = await heartbeats(stage, {}, (clock) => clock.advance(30_000));
        assert.deepEqual(asked, [path]);
      }),
    ));

  test("a failed request does not end the following, and is made again", () =>
    withoutWebSocket(() =>
      onStage(async (stage) => {
        let failures = 3;
        const fetch = async (url: string, options: RequestInit) => {
          const answer = await globalThis.fetch(url, options);
          const isFailing = options.method === "GET" && failures-- > 0;
          return isFailing ? new Response("<html>A login page</html>") : answer;
        };
        const { ann, bob } = await behind(stage, { fetch });
        await ann.leave();
        await bob.admitted();
        assert.ok(failures < 0);
      }),
    ));
});
