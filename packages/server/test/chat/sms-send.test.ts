import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sms, withoutNumbers } from "../../src/channels/sms.ts";
import type { Sending } from "../../src/host/outbox/channel-sender.ts";
import { until } from "../support/http.ts";
import { SmsStage, webhookUrl } from "./sms-stage.ts";
import { type Fault, TwilioStandIn } from "./twilio-stand-in.ts";

const phone = "+14158675309";

describe("sending SMS", () => {
  let stage: SmsStage;
  before(async () => {
    stage = await SmsStage.set();
  });
  after(() => stage.clear());
  beforeEach(() => {
    stage.twilio.sent.length = 0;
    stage.twilio.requests = 0;
  });

  const send = (text = "Bob has thrown.") => stage.channel.send(phone, text);

  /** The result of sending, with a fault on Twilio's side. */
  const sendWith = (fault: Fault): Promise<Sending> => {
    stage.twilio.faults.push(fault);
    return send();
  };

  test("[CH7] a message is sent unchanged from our number to the recipient's", async () => {
    const text = "Ann & Bob <3 +1=2? שלום 🎲\nrock beats scissors";
    assert.equal(await send(text), "sent");
    assert.deepEqual(stage.twilio.sent, [{ from: stage.twilio.number, to: phone, body: text }]);
  });

  test("[CH7] characters that cannot be sent are omitted, and a long text is truncated", async () => {
    assert.equal(await send(`\u0000${"🎲".repeat(801)}\ud83c`), "sent");
    assert.deepEqual(stage.twilio.sentTo(phone), [`${"🎲".repeat(798)}...`]);
  });

  test("[CH7] a message whose response is lost is retried, because it may not have been accepted", async () => {
    const outcome = await sendWith("answer lost");
    assert.deepEqual(outcome, { retry: "Twilio could not be reached (UND_ERR_SOCKET)." });
    assert.equal(stage.twilio.sent.length, 1);
    assert.equal(await send(), "sent");
  });

  test("[CH7] an accepted message is not sent again because the response was truncated", async () => {
    assert.equal(await sendWith("answer torn"), "sent");
    assert.equal(stage.twilio.sent.length, 1);
  });

  test("[CH7] after 429 and 5xx, a message is retried after as long as Twilio says", async () => {
    for (const [status, retryAfter, afterMs] of [
      [429, "7", 7_000],
      [429, "Wed, 21 Oct 2026 07:28:00 GMT", undefined],
      [429, "-1", undefined],
      [500, undefined, undefined],
      [503, undefined, undefined],
    ] as const) {
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      const outcome = await sendWith({ status, headers, body: "<html>" });
      const retry = `Twilio answered ${status}.`;
      assert.deepEqual(outcome, { retry, ...(afterMs !== undefined && { afterMs }) });
    }
    assert.deepEqual(stage.twilio.sent, []);
  });

  test("[CH7] after a connection failure, a message is retried", async () => {
    const { accountSid, authToken, number: from } = stage.twilio;
    const gone = await TwilioStandIn.start();
    const { url: apiRoot } = gone;
    await gone.stop();
    const channel = sms({ accountSid, authToken, from, webhookUrl, apiRoot });
    const outcome = await channel.send(phone, "Hello?");
    assert.deepEqual(outcome, { retry: "Twilio could not be reached (ECONNREFUSED)." });
  });

  test("[CH7] a service that does not respond is waited for ten seconds, and the message is retried", async (t) => {
    const clock = new AbortController();
    const timeout = t.mock.method(AbortSignal, "timeout", () => clock.signal);
    const outcome = sendWith("silence");
    await until("the request", () => stage.twilio.requests === 1);
    clock.abort(new DOMException("It took too long.", "TimeoutError"));
    assert.deepEqual(await outcome, { retry: "Twilio did not answer within 10000 ms." });
    assert.deepEqual(
      timeout.mock.calls.map((call) => call.arguments),
      [[10_000]],
    );
  });

  test("[CH7] a recipient who wrote STOP gets no further messages", async () => {
    stage.twilio.stopped.add(phone);
    try {
      assert.deepEqual(await send(), { failure: "Attempt to send to unsubscribed recipient (21610)" });
    } finally {
      stage.twilio.stopped.clear();
    }
    assert.deepEqual(stage.twilio.sent, []);
  });

  test("[CH7] an unknown number is a permanent failure, and its text does not contain the number", async () => {
    stage.twilio.invalid.add(phone);
    try {
      assert.deepEqual(await send(), {
        failure: "The 'To' number [number] is not a valid phone number. (21211)",
      });
    } finally {
      stage.twilio.invalid.clear();
    }
  });

  test("[CH7] a token that Twilio rejects is reported to the operator, and the message is retried", async () => {
    const { accountSid, number: from, url: apiRoot } = stage.twilio;
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const channel = sms({ accountSid, authToken: "a token of old", from, apiRoot, webhookUrl, onError });
    assert.deepEqual(await channel.send(phone, "Hello?"), { retry: "Twilio answered 401." });
    assert.deepEqual(errors.map(String), [
      "Error: Twilio rejects the account or its token. Correct them in the settings.",
    ]);
    assert.deepEqual(stage.twilio.sent, []);
  });

  test("[CH7] a redirect is not followed: it must not count as a sent message", async () => {
    const outcome = await sendWith({ status: 302, headers: { location: `${stage.url}/elsewhere` } });
    assert.deepEqual(outcome, { failure: "Twilio answered 302." });
    assert.equal(stage.twilio.requests, 1);
  });

  test("[CH7] a failure without a reason is still a failure", async () => {
    for (const body of ["", "null", '{"message":7}', "<html>"])
      assert.deepEqual(await sendWith({ status: 404, body }), { failure: "Twilio answered 404." }, body);
  });

  test("[CH6] phone numbers are removed from Twilio's messages", () => {
    for (const [said, kept] of [
      [`to ${phone}.`, "to [number]."],
      ["to (415) 867-5309!", "to [number]!"],
      ["to +1 415 867 53 09 and +44.20.7946.0958", "to [number] and [number]"],
      ["to +١٤١٥٨٦٧٥٣٠٩", "to [number]"],
      ["error 21610, status 400, 1600 characters", "error 21610, status 400, 1600 characters"],
    ])
      assert.equal(withoutNumbers(said), kept);
  });
});
