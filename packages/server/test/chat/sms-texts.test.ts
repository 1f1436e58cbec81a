import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { smsText } from "../../src/channels/sms-text.ts";
import { twiml } from "../../src/channels/sms-webhook.ts";
import { assertRefused, Client } from "../support/http.ts";
import { SmsStage } from "./sms-stage.ts";
import { textIn } from "./twilio-stand-in.ts";

const phone = "+14158675309";
const form = "application/x-www-form-urlencoded";

describe("what is said by SMS", () => {
  let stage: SmsStage;
  let client: Client;
  before(async () => {
    stage = await SmsStage.set();
    client = new Client(stage.url);
  });
  after(async () => {
    client.close();
    await stage.clear();
    assert.deepEqual(stage.faults, []);
  });
  beforeEach(() => {
    stage.receiver.brought.length = 0;
    stage.receiver.refusal = undefined;
    stage.receiver.reply = ({ text }) => text;
  });

  test("[CH6] a text is received unchanged, and its reply is read unchanged", async () => {
    const texts = [
      "🎲👩‍👩‍👧‍👦 שלום @דנה \u202eabc\u202c e\u0301",
      "<Response><Message>&amp; ]]> \"quoted\" 'too' </Message>",
      "a+b=c&d%20;e#f?g\none\ttwo",
      "   ",
      "é".repeat(1_600),
    ];
    for (const text of texts) assert.equal((await stage.twilio.deliver(phone, text)).text, text);
    assert.deepEqual(
      stage.receiver.brought.map((message) => message.text),
      texts,
    );
  });

  test("[CH6] control characters are received; characters that XML cannot hold are omitted from the reply", async () => {
    const text = "a\u0000b\u0007c\u001bd\u007fe\ufffef\uffffg";
    const answer = await stage.twilio.deliver(phone, text);
    assert.equal(stage.receiver.brought[0].text, text);
    assert.equal(answer.text, "abcd\u007fefg");
  });

  test("[CH6] unpaired surrogates are omitted, pairs stay", () => {
    assert.equal(textIn(twiml("a\ud83cb\udfb2c🎲\udfb2\ud83c")), "abc🎲");
  });

  test("[CH6] a message without text is received as an empty one", async () => {
    const { Body: _, ...fields } = stage.twilio.formOf(phone, "");
    stage.receiver.reply = () => "Say: help";
    assert.equal((await stage.twilio.post(fields)).text, "Say: help");
    assert.equal((await stage.twilio.deliver(phone, "")).text, "Say: help");
    assert.deepEqual(
      stage.receiver.brought.map(({ text }) => text),
      ["", ""],
    );
  });

  test("[CH8] Twilio's words for stopping and resuming are recognised in any case, alone in a message", async () => {
    const consentOf = async (text: string, fields: Record<string, string> = {}) => {
      await stage.twilio.post({ ...stage.twilio.formOf(phone, text), ...fields });
      return stage.receiver.brought.at(-1)!.consent;
    };
    for (const text of ["STOP", "stop", " Stop \n", "StopAll", "unsubscribe", "cancel", "END", "quit"])
      assert.equal(await consentOf(text), "stop", text);
    for (const text of ["START", "yes", "Unstop"]) assert.equal(await consentOf(text), "start", text);
    for (const text of ["stop it", "help", "no", "forget me", ""])
      assert.equal(await consentOf(text), undefined, text);
    assert.equal(await consentOf("arrêt", { OptOutType: "STOP" }), "stop", "a custom keyword of the account");
    assert.equal(await consentOf("stop", { OptOutType: "HELP" }), undefined);
  });

  test("[CH6] an empty reply is an empty response", async () => {
    for (const nothing of ["", "\u0000"]) {
      stage.receiver.reply = () => nothing;
      const answer = await stage.twilio.deliver(phone, "help");
      assert.equal(answer.status, 200);
      assert.equal(answer.text, undefined);
    }
  });

  test("[CH6] a reply that is too long for one message is truncated visibly", async () => {
    for (const [said, received] of [
      ["x".repeat(1_600), "x".repeat(1_600)],
      ["x".repeat(1_601), `${"x".repeat(1_597)}...`],
      ["&".repeat(100_000), `${"&".repeat(1_597)}...`],
      ["🎲".repeat(800), "🎲".repeat(800)],
      // 1,597 would be through the middle of a pair.
      ["🎲".repeat(801), `${"🎲".repeat(798)}...`],
      [`x${"🎲".repeat(800)}`, `x${"🎲".repeat(798)}...`],
      // Omitted characters do not count toward the length.
      [`${"x".repeat(1_600)}\u0000`, "x".repeat(1_600)],
    ]) {
      stage.receiver.reply = () => said;
      assert.equal((await stage.twilio.deliver(phone, "top")).text, received);
      assert.equal(smsText(said), received);
    }
  });

  test("[CH1] a message that can be received later is requested again, and then gets its reply", async () => {
    for (const [code, retryAfterSeconds] of [
      ["server.busy", undefined],
      ["room.conflict", 7],
    ] as const) {
      const fields = stage.twilio.formOf(phone, "nick Ann");
      const refusal = { code, message: "Not now.", retryable: true } as const;
      stage.receiver.refusal = { ...refusal, ...(retryAfterSeconds && { retryAfterSeconds }) };
      const { raw, ...answer } = await stage.twilio.post(fields);
      assertRefused({ ...answer, text: raw, body: JSON.parse(raw) }, 503, code);
      assert.equal(answer.headers["retry-after"], String(retryAfterSeconds ?? 1));
      stage.receiver.refusal = undefined;
      assert.equal((await stage.twilio.post(fields)).text, "nick Ann");
    }
  });

  test("[CH6] a receiver that throws is a server fault, in the envelope and logged", async () => {
    stage.receiver.reply = () => {
      throw new Error("a fault of ours");
    };
    const { raw, ...answer } = await stage.twilio.deliver(phone, "help");
    assertRefused({ ...answer, text: raw, body: JSON.parse(raw) }, 500, "server.fault");
    assert.equal(stage.faults.splice(0).length, 1);
  });

  test("[LM1] a body that is not a message is refused before it is handled", async () => {
    const fields = stage.twilio.formOf(phone, "x".repeat(40_000));
    const { raw, ...answer } = await stage.twilio.post(fields);
    assertRefused({ ...answer, text: raw, body: JSON.parse(raw) }, 413, "input.too-large");
    // The longest message, in the characters that take most room, is accepted.
    assert.equal((await stage.twilio.deliver(phone, "🎲".repeat(800))).status, 200);
    assert.equal((await stage.twilio.deliver(phone, "漢".repeat(1_600))).status, 200);
    assert.equal(stage.receiver.brought.length, 2);
  });

  test("[CH6] only a form is accepted, and only here", async () => {
    const json = await client.post("/api/v1/chat/sms", { body: stage.twilio.formOf(phone, "help") });
    assertRefused(json, 415, "input.unsupported-type");
    const text = await client.post("/api/v1/chat/sms", {
      rawBody: "help",
      headers: { "content-type": "text/plain" },
    });
    assertRefused(text, 415, "input.unsupported-type");
    assertRefused(await client.post("/api/v1/chat/sms"), 401, "auth.invalid");
    const elsewhere = await client.post("/elsewhere", { rawBody: "a=b", headers: { "content-type": form } });
    assertRefused(elsewhere, 415, "input.unsupported-type");
    assert.deepEqual(stage.receiver.brought, []);
  });
});
