import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { assertRefused, range } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

async function withDesk(flags: readonly string[], work: (desk: Desk, url: string) => Promise<void>) {
  const server = await startServer([...issuerFlags, "--trust-proxy", ...flags], undefined, {
    clock: stillClock(),
  });
  try {
    await work(new Desk(server), server.url);
  } finally {
    await server.stop();
  }
}

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const school = from("198.51.100.1");

suite("entering from one address", () => {
  test("[LM3] new places are counted per address; people with a place return to it", () =>
    withDesk(["--enters-per-address-max", "3"], async (desk, url) => {
      const { queue } = await desk.fullQueue();
      const key = "the one key";
      const ann = await desk.entered(queue, "ann", { ...school, key });
      for (const person of ["bob", "cleo"]) await desk.entered(queue, person, school);
      const entries = await desk.entries();
      const refused = await desk.enter(queue, "dan", school);
      assertRefused(refused, 429, "limit.address");
      assert.equal(refused.body.retryable, true);
      assert.match(refused.body.message, /arrivals from this network/);
      for (const _ of range(5)) {
        const back = await desk.enter(queue, "ann", school);
        assert.deepEqual([back.status, back.body.data.position.id], [200, ann.id]);
        const again = await desk.enter(queue, "ann", { ...school, key });
        assert.deepEqual([again.status, again.body.data.position.id], [201, ann.id]);
      }
      assert.equal(await desk.entries(), entries);
      const live = await LiveClient.open(url, { token: tokenOf("eve") });
      assert.equal((await live.ask({ type: "enter", queue })).status, 201, "another address");
      live.close();
      assert.equal((await desk.enterFor(queue, { person: "fay" })).status, 201, "a service");
      assertRefused(await desk.enter("nowhere", "dan", school), 404, "room.not-found");
    }));

  test("[LM3] [AD5] a queue may accept fewer from an address per minute, and change that while it runs", () =>
    withDesk([], async (desk) => {
      const { queue } = await desk.fullQueue({ maxEntersPerAddress: 2 });
      for (const person of ["ann", "bob"]) await desk.entered(queue, person, school);
      assertRefused(await desk.enter(queue, "cleo", school), 429, "limit.address");
      await desk.entered(queue, "cleo", from("198.51.100.2"));
      const { queue: other } = await desk.fullQueue();
      await desk.entered(other, "dan", school);
      const changed = await desk.change(queue, { maxEntersPerAddress: null });
      assert.equal(changed.body.data.queue.maxEntersPerAddress, null);
      for (const index of range(5)) await desk.entered(queue, `p${index}`, school);
    }));
});
