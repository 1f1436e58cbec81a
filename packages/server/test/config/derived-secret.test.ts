import assert from "node:assert/strict";
import { test } from "node:test";
import { derivedSecret } from "../../src/crypto/derived-secret.ts";

test("[AU4] a derived secret never changes, and differs per purpose", () => {
  const secret = "a secret that everything else comes from";
  assert.deepEqual(
    ["telegram webhook", "a new purpose"].map((purpose) => derivedSecret(secret, purpose)),
    ["D4-2qBXuVwrsi4BplxleHKTk3TPZygfcyOSSZi_ELCk", "5v7qUO_OwBkDPR-T1tDkHe-6YQxR3OLGRgFGvR_6BKk"],
  );
});
