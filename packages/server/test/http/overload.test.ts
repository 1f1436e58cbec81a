import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { assertRefused, metric, until } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

/** Delays the event loop, which the server and the test share, beyond the server's limit. */
class Burden {
  #isOver = false;

  constructor() {
    this.#work();
  }

  readonly #work = () => {
    const before = process.threadCpuUsage();
    let micros = 0;
    while (micros < 80_000) {
      const { user, system } = process.threadCpuUsage(before);
      micros = user + system;
    }
    if (!this.#isOver) setImmediate(this.#work);
  };

  lift(): void {
    this.#isOver = true;
  }
}

suite("an overloaded server", () => {
  const { server, client } = serverOfSuite([...issuerFlags, "--overload-delay-ms", "50"]);
  let desk: Desk;

  before(async () => {
    desk = new Desk(server);
  });

  test("[LM4] refuses new work on all paths, continues work already begun, and recovers", async (t) => {
    const game = await client.newGame();
    const { queue, insider } = await desk.fullQueue();
    const place = await desk.entered(queue, "ann");
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    const burden = new Burden();
    t.after(() => burden.lift());
    const token = tokenOf("ann");
    const isRefused = async () => (await client.get(`/api/v1/games/${game}`)).status === 503;
    await until("the overload is noticed", isRefused);

    const paths = [`games/${game}/join`, `queues/${queue}/positions`, "guests", "games"];
    const [asked, ...refusals] = await Promise.all([
      live.ask({ type: "can-join", game }),
      ...paths.map((path) => client.post(`/api/v1/${path}`, { token })),
    ]);
    assert.deepEqual([asked.status, asked.body.code], [503, "server.busy"]);
    for (const refused of refusals) {
      assertRefused(refused, 503, "server.busy");
      assert.match(String(refused.headers["retry-after"]), /^[1-5]$/);
      assert.equal(refused.body.retryable, true);
    }

    const begun = await Promise.all([
      live.ask({ type: "heartbeat", position: place.id }),
      client.post(`/api/v1/positions/${place.id}/heartbeat`, { token }),
      client.get(`/api/v1/positions/${place.id}`, { token }),
      client.post(`/api/v1/sessions/${insider.id}/complete`, { token: tokenOf("insider") }),
      client.get("/healthz"),
      client.get("/readyz"),
      desk.pause(queue),
    ]);
    for (const { status, body } of begun) assert.equal(status, 200, JSON.stringify(body));
    assert.ok((await metric(client, 'openseat_shed_total{reason="overload"}')) >= 6);

    burden.lift();
    await until("new work is served", async () => !(await isRefused()));
    live.close();
  });
});
