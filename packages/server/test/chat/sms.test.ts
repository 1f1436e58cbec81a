import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { assertInvalid, assertRefused, Client } from "../support/http.ts";
import { SmsStage, webhookUrl } from "./sms-stage.ts";
import { type Delivered, newSid, signatureOf } from "./twilio-stand-in.ts";

const phone = "+14158675309";
const form = "application/x-www-form-urlencoded";

describe("the webhook of SMS", () => {
  let stage: SmsStage;
  beforeEach(async () => {
    stage = await SmsStage.set();
  });
  afterEach(async () => {
    await stage.clear();
    assert.deepEqual(stage.faults, []);
  });

  /** Asserts a refusal in the envelope, and that no message was received. */
  const assertNotReceived = (answer: Delivered, status: number, code: string, what = "") => {
    assertRefused({ ...answer, text: answer.raw, body: JSON.parse(answer.raw) }, status, code, what);
    assert.deepEqual(stage.receiver.brought, [], what);
  };

  test("[CH6] a signed message is received and answered in TwiML", async () => {
    const sid = newSid();
    const answer = await stage.twilio.deliver(phone, "throw rock @bob", { sid });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/xml; charset=utf-8");
    assert.equal(answer.text, "1. You said: throw rock @bob");
    assert.deepEqual(stage.receiver.brought, [
      { id: sid, sender: phone, place: phone, text: "throw rock @bob" },
    ]);
  });

  test("[CH6] the query of the address is part of what is signed", async () => {
    const fields = stage.twilio.formOf(phone, "help");
    const query = "?tenant=a%20b'c&empty=&tenant=%2B1";
    assert.equal((await stage.twilio.post(fields, { query })).status, 200);
    const elsewhere = signatureOf(stage.twilio.authToken, `${webhookUrl}?tenant=other`, fields);
    stage.receiver.brought.length = 0;
    assertNotReceived(await stage.twilio.post(fields, { query, signature: elsewhere }), 401, "auth.invalid");
  });

  test("[CH6] without a signature, or with one for something else, no message is received", async () => {
    const fields = stage.twilio.formOf(phone, "nick Ann");
    const right = signatureOf(stage.twilio.authToken, webhookUrl, fields);
    const wrong = {
      missing: null,
      twice: `${right}, ${right}`,
      "of another token": signatureOf("another token", webhookUrl, fields),
      "of the inner address": signatureOf(stage.twilio.authToken, `${stage.url}/api/v1/chat/sms`, fields),
      "of the address alone": signatureOf(stage.twilio.authToken, webhookUrl, {}),
      "of another text": signatureOf(stage.twilio.authToken, webhookUrl, { ...fields, Body: "nick Bob" }),
    };
    for (const [what, signature] of Object.entries(wrong))
      assertNotReceived(await stage.twilio.post(fields, { signature }), 401, "auth.invalid", what);
    assert.equal((await stage.twilio.post(fields, { signature: right })).status, 200);
  });

  test("[CH6] a message of another account is refused", async () => {
    const fields = { ...stage.twilio.formOf(phone, "nick Ann"), AccountSid: `AC${"6".repeat(32)}` };
    assertNotReceived(await stage.twilio.post(fields), 401, "auth.invalid");
    const { AccountSid: _, ...without } = fields;
    assert.equal((await stage.twilio.post(without)).status, 200);
  });

  test("[CH1] if MessageSid is missing, its older names are used", async () => {
    const { MessageSid, SmsMessageSid, SmsSid, ...none } = stage.twilio.formOf(phone, "nick Ann");
    assert.equal((await stage.twilio.post({ ...none, SmsMessageSid })).text, "1. You said: nick Ann");
    assert.equal((await stage.twilio.post({ ...none, SmsSid })).text, "1. You said: nick Ann");
    assert.deepEqual(new Set(stage.receiver.brought.map(({ id }) => id)), new Set([MessageSid]));
    stage.receiver.brought.length = 0;
    assertNotReceived(await stage.twilio.post(none), 400, "input.invalid");
  });

  test("[CH1] an old message whose id contains the next field is not a new one", async () => {
    const { MessageSid, NumMedia, ...others } = stage.twilio.formOf(phone, "nick Ann");
    const signature = signatureOf(stage.twilio.authToken, webhookUrl, { MessageSid, NumMedia, ...others });
    const swallowed = { ...others, MessageSid: `${MessageSid}NumMedia${NumMedia}` };
    // The signature cannot tell the two apart.
    assert.equal(signature, signatureOf(stage.twilio.authToken, webhookUrl, swallowed));
    assertNotReceived(await stage.twilio.post(swallowed, { signature }), 400, "input.invalid");
  });

  test("[CH1] invalid ids are refused; those of compatible providers are accepted", async () => {
    for (const sid of ["", "x", "SM", `SM${"0".repeat(31)}`, `SM${"0".repeat(33)}`, `SM${"g".repeat(32)}`])
      assertNotReceived(await stage.twilio.deliver(phone, "help", { sid }), 400, "input.invalid", sid);
    for (const sid of [`MM${"0".repeat(32)}`, "b3877c40-da60-4998-90ad-b792e98472af"])
      assert.equal((await stage.twilio.deliver(phone, "help", { sid })).status, 200, sid);
  });

  test("[CH6] a field with two different values is refused; two equal values count as one", async () => {
    const client = new Client(stage.url);
    const fields = stage.twilio.formOf(phone, "nick Ann");
    const post = (more: string, extra: Record<string, string>) =>
      client.post("/api/v1/chat/sms", {
        rawBody: `${new URLSearchParams(fields)}&${more}`,
        headers: {
          "content-type": form,
          // Sorted by value, as in Twilio's own libraries.
          "x-twilio-signature": signatureOf(stage.twilio.authToken, webhookUrl, { ...fields, ...extra }),
        },
      });
    try {
      const twoBodies = { Body: "nick AnnBodynick Bob" };
      assertInvalid(await post("Body=nick+Bob", twoBodies), "Body");
      const twoSenders = { From: `${phone}From+19995550000` };
      assertInvalid(await post("From=%2B19995550000", twoSenders), "From");
      assert.deepEqual(stage.receiver.brought, []);
      assert.equal((await post("Body=nick+Ann", {})).status, 200);
      assert.deepEqual(
        stage.receiver.effects.map(({ text }) => text),
        ["nick Ann"],
      );
    } finally {
      client.close();
    }
  });
});

describe("the senders whom a webhook of SMS accepts", () => {
  let stage: SmsStage;
  before(async () => {
    stage = await SmsStage.set();
  });
  after(() => stage.clear());
  beforeEach(() => {
    stage.receiver.brought.length = 0;
  });

  test("[CH6] a message is received and answered only from a number that can get replies", async () => {
    for (const number of ["+1234567", "+123456789012345"])
      assert.ok((await stage.twilio.deliver(number, "help")).text?.endsWith("You said: help"));
    assert.deepEqual(
      stage.receiver.brought.splice(0).map(({ sender, place }) => [sender, place]),
      ["+1234567", "+123456789012345"].map((number) => [number, number]),
    );
    for (const number of [
      "12345",
      "OPENSEAT",
      "+123456",
      "+1234567890123456",
      "+04158675309",
      "+1-415-867-5309",
      "+14158675309\n",
      "+١٤١٥٨٦٧٥٣٠٩",
      "whatsapp:+14158675309",
    ]) {
      const { status, text } = await stage.twilio.deliver(number, "nick Ann");
      assert.deepEqual([status, text], [200, undefined], number);
    }
    assert.deepEqual(stage.receiver.brought, []);
  });

  test("[CH6] a message without a sender is refused", async () => {
    const { From: _, ...none } = stage.twilio.formOf(phone, "help");
    for (const fields of [none, { ...none, From: "" }]) {
      const { raw, ...answer } = await stage.twilio.post(fields);
      assertInvalid({ ...answer, text: raw, body: JSON.parse(raw) }, "From");
    }
    assert.deepEqual(stage.receiver.brought, []);
  });
});
