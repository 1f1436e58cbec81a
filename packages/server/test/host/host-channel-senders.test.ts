import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GameEvent, gameDecider } from "@openseat/kernel";
import type { ChannelSender, Sending } from "../../src/host/outbox/channel-sender.ts";
import { answered, turns, watched } from "../support/test-clock.ts";
import { codeOf, Stage } from "./stage.ts";

/** Games that notify a phone of everyone who joins. */
const tellingGames = {
  ...gameDecider,
  effects: (_: unknown, events: readonly GameEvent[]) =>
    events.flatMap((event) =>
      event.type === "joined" ? [{ to: "sms/7", body: { text: `${event.person} is in.` } }] : [],
    ),
};

/** A sender that records its messages and answers as configured. */
class Phone implements ChannelSender {
  readonly given: string[] = [];
  readonly owed: ((sending: Sending) => void)[] = [];
  answer: Sending | undefined = "sent";

  send(id: string, { text }: { readonly text?: unknown }): Promise<Sending> {
    this.given.push(`${id}: ${text}`);
    const { answer } = this;
    return answer ? Promise.resolve(answer) : new Promise((resolve) => this.owed.push(resolve));
  }
}

function staged(phone: Phone): Stage {
  const stage = new Stage({ deciders: { game: tellingGames }, senders: { sms: phone } });
  void stage.host.start();
  return stage;
}

describe("a host with senders", () => {
  test("[CH7] an entry's effects are sent once it is durable, and not before", async () => {
    const phone = new Phone();
    const stage = staged(phone);
    await stage.created("g");
    stage.log.holding = true;
    const joined = stage.join("g", "ann");
    await turns();
    assert.deepEqual(phone.given, []);
    stage.log.releaseAll();
    await answered(joined);
    await turns();
    assert.deepEqual(phone.given, ["7: ann is in."]);
    assert.equal(stage.host.deliveries.sent, 1);
    await stage.stop();
  });

  test("[CH7] a failed append sends nothing, unless it was written", async () => {
    for (const written of [false, true]) {
      const phone = new Phone();
      const stage = staged(phone);
      await stage.created("g");
      stage.log.holding = true;
      const joined = stage.join("g", "ann");
      await turns();
      stage.log.holding = false;
      stage.log.held.splice(0)[0].fail(written);
      assert.equal(codeOf(await answered(joined)), "log.unavailable");
      await turns();
      assert.deepEqual(phone.given, written ? ["7: ann is in."] : []);
      await stage.stop();
    }
  });

  test("[CH7] a stop waits for deliveries under way before it closes the log", async () => {
    const phone = new Phone();
    const stage = staged(phone);
    await stage.created("g");
    phone.answer = undefined;
    await answered(stage.join("g", "ann"));
    await turns();
    const stopped = watched(stage.host.stop());
    for (let round = 0; round < 10; round++) await stage.clock.advance(100);
    assert.ok(!stopped.settled && !stage.log.isClosed);
    phone.owed[0]("sent");
    await answered(stopped.promise);
    assert.ok(stage.log.isClosed);
    assert.deepEqual(await stage.log.inner.outbox(0, 9), []);
  });
});
