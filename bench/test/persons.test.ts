import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Crowd } from "../src/persons.ts";

test("every person has a token of their own, signed with the secret's text, and a key of 36 characters", () => {
  const crowd = new Crowd("00ff");
  const persons = Array.from({ length: 100 }, () => crowd.next());
  assert.equal(new Set(persons.map(({ key }) => key)).size, 100);
  const names = new Set<string>();
  for (const { token, key } of persons) {
    assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const [header, claims, signature] = token.split(".");
    assert.equal(signature, createHmac("sha256", "00ff").update(`${header}.${claims}`).digest("base64url"));
    const { iss, sub, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
    assert.equal(iss, "bench");
    assert.ok(exp > Date.now() / 1000 + 3600);
    names.add(sub);
  }
  assert.equal(names.size, 100);
});

test("the person of a number is the same each time, with a lane in the token when there is one", () => {
  const crowd = new Crowd("00ff");
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  assert.equal(crowd.next().token, crowd.person(1).token);
  assert.equal(claimsOf(crowd.person(7).token).openseat_lane, undefined);
  const vip = claimsOf(crowd.person(7, 2).token);
  assert.equal(vip.sub, claimsOf(crowd.person(7).token).sub);
  assert.equal(vip.openseat_lane, 2);
});
