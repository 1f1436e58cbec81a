import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isSignedByTwilio, twilioSignature } from "../../src/channels/twilio-signature.ts";

/** The example that Twilio publishes. */
const token = "12345";
const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
const fields = {
  CallSid: "CA1234567890ABCDE",
  Caller: "+14158675309",
  Digits: "1234",
  From: "+14158675309",
  To: "+18005551212",
};
const published = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";

const isGood = (
  changes: { token?: string; url?: string; fields?: Record<string, string> },
  signature = published,
) =>
  isSignedByTwilio(signature, {
    token: changes.token ?? token,
    url: changes.url ?? url,
    fields: Object.entries(changes.fields ?? fields),
  });

describe("the signature of Twilio", () => {
  test("[CH6] is the published one for the published example", () => {
    assert.equal(twilioSignature(token, url, Object.entries(fields)), published);
    assert.ok(isGood({}));
  });

  test("[CH6] is the same in whatever order the fields came", () => {
    const reversed = Object.entries(fields).reverse();
    assert.equal(twilioSignature(token, url, reversed), published);
    assert.equal(twilioSignature(token, url, new URLSearchParams(reversed)), published);
  });

  test("[CH6] another token, or none, does not fit", () => {
    for (const other of ["12346", "1234", "123456", "", " 12345"])
      assert.ok(!isGood({ token: other }), other);
  });

  for (const other of [
    "https://mycompany.com/myapp.php?foo=1&bar=3",
    "https://mycompany.com/myapp.php?bar=2&foo=1",
    "https://mycompany.com/myapp.php?foo=1",
    "https://mycompany.com/myapp.php",
    "https://mycompany.com/myapp.php/?foo=1&bar=2",
    "https://mycompany.com/MyApp.php?foo=1&bar=2",
    "https://mycompany.com.evil.test/myapp.php?foo=1&bar=2",
    "http://mycompany.com/myapp.php?foo=1&bar=2",
    "https://mycompany.com:443/myapp.php?foo=1&bar=2&",
  ]) {
    test(`[CH6] another address does not fit: ${other}`, () => assert.ok(!isGood({ url: other })));
  }

  for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
    test(`[CH6] with ${name} changed, emptied, renamed or taken away it does not fit`, () => {
      const { [name]: value, ...others } = fields;
      assert.ok(!isGood({ fields: { ...fields, [name]: `${value}0` } }));
      assert.ok(!isGood({ fields: { ...fields, [name]: ` ${value}` } }));
      assert.ok(!isGood({ fields: { ...fields, [name]: "" } }));
      assert.ok(!isGood({ fields: { ...others, [name.toLowerCase()]: value } }));
      assert.ok(!isGood({ fields: others }));
    });
  }

  test("[CH6] with a field more it does not fit, wherever it sorts to", () => {
    for (const name of ["AAA", "Body", "From2", "Zip", "a", ""])
      assert.ok(!isGood({ fields: { ...fields, [name]: "more" } }), name);
  });

  test("[CH6] each changed character of it is noticed, and each other length", () => {
    for (let at = 0; at < published.length; at++) {
      const other = published[at] === "A" ? "B" : "A";
      assert.ok(!isGood({}, published.slice(0, at) + other + published.slice(at + 1)), `at ${at}`);
      assert.ok(!isGood({}, published.slice(0, at)), `the first ${at}`);
    }
    for (const other of [
      `${published}=`,
      `${published} `,
      `A${published}`,
      published.repeat(2),
      published.toLowerCase(),
    ])
      assert.ok(!isGood({}, other), other);
  });

  test("[CH6] it fits with the port in the address and without, whichever way round", () => {
    const bare = "https://mycompany.com/myapp.php?q=a%20b'c";
    const ported = "https://mycompany.com:443/myapp.php?q=a%20b'c";
    for (const signed of [bare, ported]) {
      const signature = twilioSignature(token, signed, []);
      for (const configured of [bare, ported])
        assert.ok(isGood({ url: configured, fields: {} }, signature), `${configured} for ${signed}`);
      assert.ok(!isGood({ url: bare.replace("https", "http"), fields: {} }, signature));
    }
  });

  for (const [configured, other] of [
    ["http://mycompany.com/sms", "http://mycompany.com:80/sms"],
    ["https://mycompany.com:8443/sms", "https://mycompany.com/sms"],
    ["https://[2001:db8::1]/sms", "https://[2001:db8::1]:443/sms"],
    ["https://[2001:db8::1]:8443/sms", "https://[2001:db8::1]/sms"],
    ["https://mycompany.com?to=http://a:1/", "https://mycompany.com:443?to=http://a:1/"],
  ]) {
    test(`[CH6] ${configured} may be signed as ${other}`, () => {
      assert.ok(isGood({ url: configured, fields: {} }, twilioSignature(token, configured, [])));
      assert.ok(isGood({ url: configured, fields: {} }, twilioSignature(token, other, [])));
    });
  }

  test("[CH6] of a name with several values each counts once, in order", () => {
    const once = [
      ["Media", "a"],
      ["Media", "b"],
      ["To", "+1"],
    ] as const;
    const expected = twilioSignature(token, url, once);
    assert.equal(twilioSignature(token, `${url}MediaaMediabTo+1`, []), expected);
    assert.equal(twilioSignature(token, url, [once[2], once[1], once[0], once[1]]), expected);
  });

  test("[CH6] texts of every script are signed by their bytes in UTF-8", () => {
    const body = "שלום 🎲 <&> \u0000";
    const signature = twilioSignature(token, url, [["Body", body]]);
    assert.equal(twilioSignature(token, `${url}Body${body}`, []), signature);
    assert.ok(isGood({ fields: { Body: body } }, signature));
    assert.ok(!isGood({ fields: { Body: `${body}\u200f` } }, signature));
  });
});
