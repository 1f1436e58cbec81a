import assert from "node:assert/strict";
import { test } from "node:test";
import { sms } from "../../src/channels/sms.ts";
import { SmsBudget } from "../../src/channels/sms-budget.ts";
import { until } from "../support/http.ts";
import { SmsExchange } from "./sms-exchange.ts";
import { webhookUrl } from "./sms-stage.ts";
import { TwilioStandIn } from "./twilio-stand-in.ts";

const hour = 60 * 60_000;
const phone = "+14158675309";

test("[LM6] a budget allows a number of messages per hour; the rest wait for the next hour, with one report", () => {
  let now = 5_000;
  const held: boolean[] = [];
  const onHeld = (isFirst: boolean) => void held.push(isFirst);
  const budget = new SmsBudget({ clock: { elapsed: () => now }, perHourMax: 2, onHeld });
  assert.deepEqual([budget.take(), budget.take()], [undefined, undefined]);
  now += 10 * 60_000;
  assert.deepEqual([budget.take(), budget.take()], [50 * 60_000, 50 * 60_000]);
  assert.deepEqual(held, [true, false]);
  now += 50 * 60_000;
  assert.deepEqual([budget.take(), budget.take(), budget.take()], [undefined, undefined, hour]);
  assert.deepEqual(held, [true, false, true]);
});

test("[LM6][CH7] above its budget, the channel delays messages without calling Twilio; messages that Twilio rejected do not count", async () => {
  const twilio = await TwilioStandIn.start();
  try {
    const { accountSid, authToken, number: from, url: apiRoot } = twilio;
    const budget = new SmsBudget({ clock: { elapsed: () => 0 }, perHourMax: 1, onHeld: () => {} });
    const channel = sms({ accountSid, authToken, from, apiRoot, webhookUrl, budget });
    twilio.faults.push({ status: 503 });
    assert.deepEqual(await channel.send(phone, "one"), { retry: "Twilio answered 503." });
    assert.equal(await channel.send(phone, "one"), "sent");
    assert.deepEqual(await channel.send(phone, "two"), { waitMs: hour });
    assert.equal(twilio.requests, 2);
  } finally {
    await twilio.stop();
  }
});

test("[LM6] a server with a budget reports once that messages wait, and counts them; replies do not wait", async () => {
  const exchange = await SmsExchange.open("--sms-per-hour-max", "1");
  try {
    const [ann, ...others] = ["+14155550101", "+14155550102", "+14155550103"];
    const say = async (number: string, text: string) => (await exchange.twilio.deliver(number, text)).text!;
    for (const [nth, number] of [ann, ...others].entries())
      assert.match(await say(number, `nick p${nth}`), /^Hello, p\d!/);
    for (const name of ["p1", "p2"]) assert.match(await say(ann, `throw rock @${name}`), /^You threw\./);
    await until("a message is held", async () =>
      /^openseat_sms_held_total 1$/m.test((await exchange.client.get("/metrics")).text),
    );
    await until("the other is sent", () => exchange.twilio.sent.length === 1);
    const warned = exchange.logged.filter((line) =>
      line.includes("the hourly limit of text messages is reached: further ones wait until the next hour"),
    );
    assert.equal(warned.length, 1);
  } finally {
    await exchange.close();
  }
});
