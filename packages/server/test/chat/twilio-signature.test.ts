import assert from "node:assert/strict";
import { test } from "node:test";
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

test("[CH6] matches the published example, in any order of fields", () => {
  const reversed = Object.entries(fields).reverse();
  assert.equal(twilioSignature(token, url, reversed), published);
  assert.ok(isSignedByTwilio(published, { token, url, fields: new URLSearchParams(reversed) }));
});

test("[CH6] covers every field, the address and the token, and nothing else", () => {
  const given = { token, url, fields: Object.entries(fields) };
  for (const other of ["12346", "", " 12345"])
    assert.ok(!isSignedByTwilio(published, { ...given, token: other }), other);
  for (const other of [
    url.replace("bar=2", "bar=3"),
    url.replace("https", "http"),
    url.replace("php", "php/"),
    url.split("?")[0],
    `${url}&`,
  ])
    assert.ok(!isSignedByTwilio(published, { ...given, url: other }), other);
  for (const [name, value] of given.fields) {
    const others = given.fields.filter(([each]) => each !== name);
    for (const changed of [
      [name, `${value}0`] as const,
      [name.toLowerCase(), value] as const,
      [name, ""] as const,
    ])
      assert.ok(!isSignedByTwilio(published, { ...given, fields: [...others, changed] }), String(changed));
    assert.ok(!isSignedByTwilio(published, { ...given, fields: others }), `no ${name}`);
  }
  for (const name of ["AAA", "Zip", ""])
    assert.ok(!isSignedByTwilio(published, { ...given, fields: [...given.fields, [name, "more"]] }), name);
  for (const other of ["", published.slice(0, -1), `${published}=`, `A${published}`, published.toLowerCase()])
    assert.ok(!isSignedByTwilio(other, given), other);
});

test("[CH6] is valid with and without the port in the address", () => {
  for (const [configured, signed] of [
    ["https://mycompany.com/sms?q=a%20b'c", "https://mycompany.com:443/sms?q=a%20b'c"],
    ["https://mycompany.com:443/sms", "https://mycompany.com/sms"],
    ["http://mycompany.com/sms", "http://mycompany.com:80/sms"],
    ["https://[2001:db8::1]:8443/sms", "https://[2001:db8::1]/sms"],
    ["https://mycompany.com?to=http://a:1/", "https://mycompany.com:443?to=http://a:1/"],
  ])
    for (const address of [configured, signed]) {
      const signature = twilioSignature(token, address, []);
      assert.ok(isSignedByTwilio(signature, { token, url: configured, fields: [] }), address);
    }
});

test("[CH6] values of a repeated name count once each, in order; texts are signed as UTF-8 bytes", () => {
  const once = [
    ["Media", "a"],
    ["Media", "b"],
    ["To", "+1 שלום 🎲"],
  ] as const;
  const expected = twilioSignature(token, url, once);
  assert.equal(twilioSignature(token, `${url}MediaaMediabTo+1 שלום 🎲`, []), expected);
  assert.equal(twilioSignature(token, url, [once[2], once[1], once[0], once[1]]), expected);
});
