import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { HmacSha256 } from "../../src/crypto/hmac.ts";

const textLengthMax = 300;

test("[AU1] our HMAC is the one of RFC 2104, for any key and any text", () => {
  const text = fc.string({ unit: "binary", maxLength: textLengthMax });
  fc.assert(
    fc.property(
      fc.string({ maxLength: 200 }),
      fc.array(text, { minLength: 1, maxLength: 4 }),
      (secret, texts) => {
        const hmac = new HmacSha256(secret, textLengthMax * 2);
        for (const each of texts) {
          assert.equal(hmac.of(each), createHmac("sha256", secret).update(each).digest("base64url"));
        }
      },
    ),
  );
});

test("[AU1] RFC 4231's test cases 1 and 2", () => {
  const cases = [
    ["\x0b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    [
      "Jefe",
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
  ];
  for (const [secret, text, hex] of cases) {
    assert.equal(Buffer.from(new HmacSha256(secret, 100).of(text), "base64url").toString("hex"), hex);
  }
});
