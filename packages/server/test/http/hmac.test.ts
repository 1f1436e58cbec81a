import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { HmacSha256 } from "../../src/crypto/hmac.ts";

const textLengthMax = 300;

test("[AU1] our HMAC follows RFC 2104, for any key and any text", () => {
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
