import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser } from "../support/browser.ts";
import { type Answer, Client, range, within } from "../support/http.ts";
import { defaultLimits } from "../support/limits.ts";
import { startServer } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

const pupils = 1_000;

/**
 * Every limit per person and per address has its default. Only load shedding is off, because a busy machine would decide the
 * test.
 */
async function withDefaults(work: (url: string, queue: string) => Promise<void>): Promise<void> {
  const server = await startServer([...issuerFlags, ...defaultLimits]);
  try {
    const desk = new Desk(server);
    const queue = await desk.newQueue({ id: "school" });
    await work(server.url, queue);
    assert.equal((await desk.stats(queue)).entered, pupils);
  } finally {
    await server.stop();
  }
}

/** Resolves with the first event; the stream stays open. */
function opened(url: string, agent: Agent, cookie: string): Promise<number> {
  return within(
    "an event stream",
    new Promise((resolve, reject) => {
      const asking = get(url, { agent, headers: { cookie } }, (response) => {
        response.once("data", () => resolve(response.statusCode ?? 0));
        response.on("error", () => {});
      });
      asking.on("error", reject);
    }),
  );
}

const good = (answer: Answer, status: number) =>
  assert.equal(answer.status, status, answer.text.slice(0, 300));

test("[LM3] a thousand people at one address wait through the API with a live connection each, and none is refused", () =>
  withDefaults(async (url, queue) => {
    const client = new Client(url);
    const pupilsThere: LiveClient[] = [];
    await Promise.all(
      range(pupils).map(async () => {
        const guest = await client.post("/api/v1/guests");
        good(guest, 201);
        const { token } = guest.body.data;
        const entered = await client.post(`/api/v1/queues/${queue}/positions`, { token });
        good(entered, 201);
        const { id } = entered.body.data.position;
        const live = await LiveClient.open(url, { token });
        pupilsThere.push(live);
        assert.equal((await live.ask({ type: "attend", position: id })).status, 200);
      }),
    );
    for (const live of pupilsThere) live.close();
    client.close();
  }));

test("[LM3] a thousand people at one address wait on the page with a stream each, and none is refused", () =>
  withDefaults(async (url, queue) => {
    const agent = new Agent({ keepAlive: false });
    const classes = range(50);
    await Promise.all(
      classes.map(async () => {
        for (const _ of range(pupils / classes.length)) {
          const browser = new Browser(url);
          good(await browser.get(`/wait/${queue}`), 200);
          const path = `/wait/${queue}/events`;
          assert.equal(await opened(`${url}${path}`, agent, browser.cookiesFor(path)), 200);
          browser.close();
        }
      }),
    );
    agent.destroy();
  }));
