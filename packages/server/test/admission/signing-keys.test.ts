import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { calculateJwkThumbprint } from "jose";
import { KeyRing } from "../../src/config/key-ring.ts";
import {
  makeSigningKeys,
  newSigningKey,
  readSigningKeys,
  retiredKeyMs,
  rotate,
  rotateKeys,
} from "../../src/config/signing-keys.ts";
import { tempFolder } from "../support/folder.ts";

const hourMs = 60 * 60 * 1000;
const start = Date.parse("2030-01-01T00:00:00Z");

describe("signing keys", () => {
  let folder: ReturnType<typeof tempFolder>;
  let path: string;
  let now: number;
  let troubles: unknown[];
  beforeEach(() => {
    folder = tempFolder();
    path = join(folder.path, "signing-keys.json");
    now = start;
    troubles = [];
  });
  afterEach(() => folder.remove());

  const ring = () =>
    new KeyRing(folder.path, { now: () => now, onTrouble: (error) => void troubles.push(error) });
  const kidsOf = (of: KeyRing) => of.keys().map(({ kid }) => kid);

  test("[AU4] are made at the first start, for the owner alone, and kept as they are", () => {
    const [made] = ring().keys();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { mtimeMs, ino } = statSync(path);
    chmodSync(path, 0o644);
    assert.deepEqual(ring().keys(), [made]);
    assert.deepEqual([statSync(path).mtimeMs, statSync(path).ino], [mtimeMs, ino], "it was written again");
    assert.equal(statSync(path).mode & 0o777, 0o600, "what was opened up is closed again");
    assert.ok(!existsSync(`${path}.new`));
  });

  test("[AD6] are called by their thumbprints (RFC 7638)", async () => {
    const { kid, jwk } = newSigningKey(now);
    assert.equal(kid, await calculateJwkThumbprint(jwk, "sha256"));
  });

  test("[AD6] rotation: the new key signs, the old one keeps only its public part, until its tokens have expired", () => {
    const [first, second, third] = [newSigningKey(0), newSigningKey(hourMs), newSigningKey(30 * hourMs)];
    const once = rotate([first], second, hourMs, retiredKeyMs);
    const { kty, crv, x } = first.jwk;
    assert.deepEqual(once, [second, { ...first, retiredAt: hourMs, jwk: { kty, crv, x } }]);
    const early = rotate(once, third, hourMs + retiredKeyMs - 1, retiredKeyMs);
    assert.deepEqual(
      early.map(({ kid, retiredAt }) => [kid, retiredAt]),
      [
        [third.kid, undefined],
        [second.kid, hourMs + retiredKeyMs - 1],
        [first.kid, hourMs],
      ],
    );
    const later = rotate(once, third, hourMs + retiredKeyMs, retiredKeyMs);
    assert.deepEqual(
      later.map(({ kid }) => kid),
      [third.kid, second.kid],
    );
    assert.ok(later.slice(1).every(({ jwk }) => !("d" in jwk)));
  });

  test("[AD6] a rotation is noticed by the server that runs, within seconds and without a restart", () => {
    const running = ring();
    const before = running.keys();
    const [{ kid: old, jwk }] = before;
    now += 1_000;
    const kid = rotateKeys(folder.path, now);
    assert.equal(running.keys(), before, "the disk is not asked each time");
    now += 1_000;
    assert.deepEqual(kidsOf(running), [kid, old]);
    assert.equal(running.keys(), running.keys(), "nothing changes while nothing has changed");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!readFileSync(path, "utf8").includes(jwk.d!), "the old private part is gone from the disk");
    assert.deepEqual(kidsOf(ring()), [kid, old], "and so it is after a restart");
    assert.deepEqual(troubles, []);
  });

  test("[AD6] a retired key is published for 25 hours, and then no more, though the server ran on", () => {
    const running = ring();
    const kid = rotateKeys(folder.path, now);
    now += 25 * hourMs - 1;
    assert.equal(running.keys().length, 2);
    now += 2_000;
    assert.deepEqual(kidsOf(running), [kid]);
    assert.deepEqual(kidsOf(ring()), [kid]);
  });

  test("a clock that is set back does not keep the server from noticing", () => {
    const running = ring();
    const kid = rotateKeys(folder.path, now);
    now -= 10 * hourMs;
    assert.equal(kidsOf(running)[0], kid);
  });

  test("keys that leaked: the file is removed, the rotation makes a new one, and the old key is gone at once", () => {
    const running = ring();
    rmSync(path);
    const kid = rotateKeys(folder.path, now);
    now += 2_000;
    assert.deepEqual(kidsOf(running), [kid]);
  });

  test("a file that breaks or goes while the server runs is told once, and the keys it has go on", () => {
    const running = ring();
    const kids = kidsOf(running);
    const good = readFileSync(path, "utf8");
    for (const spoil of [() => writeFileSync(path, "{ oops"), () => rmSync(path)]) {
      spoil();
      troubles = [];
      for (let round = 0; round < 5; round++) {
        now += 2_000;
        assert.deepEqual(kidsOf(running), kids);
      }
      assert.equal(troubles.length, 1);
      assert.ok(String(troubles[0]).includes(path));
    }
    writeFileSync(path, good);
    const kid = rotateKeys(folder.path, now);
    now += 2_000;
    assert.equal(kidsOf(running)[0], kid);
  });

  test("[LM2] rotating too often is refused, and harms no key whose tokens may be valid", () => {
    for (let round = 0; round < 64; round++) rotateKeys(folder.path, now + round);
    const before = readFileSync(path, "utf8");
    assert.throws(() => rotateKeys(folder.path, now + 100), /no more fit/);
    assert.equal(readFileSync(path, "utf8"), before);
    rotateKeys(folder.path, now + 26 * hourMs);
    assert.equal(readSigningKeys(folder.path)?.length, 2);
  });

  test("a folder that is not there is not made by a rotation: the operator has named the wrong one", () => {
    const wrong = join(folder.path, "wrong");
    assert.throws(() => rotateKeys(wrong, now), /no data folder at .*wrong.*--data/);
    assert.ok(!existsSync(wrong));
  });

  test("root can rotate for a server that runs as someone else", { skip: process.getuid?.() !== 0 }, () => {
    makeSigningKeys(folder.path, now);
    chownSync(path, 1234, 1235);
    rotateKeys(folder.path, now);
    const { uid, gid, mode } = statSync(path);
    assert.deepEqual([uid, gid, mode & 0o777], [1234, 1235, 0o600]);
  });

  const good = () => {
    const { kid, jwk } = newSigningKey(start);
    return { kid, createdAt: "2030-01-01T00:00:00.000Z", jwk };
  };
  const other = newSigningKey(start).jwk;
  const broken: [string, () => unknown][] = [
    ["half a file", () => JSON.stringify({ keys: [good()] }).slice(0, 150)],
    ["not JSON", () => '{ "keys": private-part-without-quotes }'],
    ["nothing in it", () => "{}"],
    ["null", () => "null"],
    ["no keys", () => ({ keys: [] })],
    ["something else in its list", () => ({ keys: [null, 3] })],
    ["too many keys", () => ({ keys: Array.from({ length: 65 }, good) })],
    ["only retired keys", () => ({ keys: [{ ...good(), retiredAt: "2030-01-01T00:00:00Z" }] })],
    ["a key without a private part", () => ({ keys: [{ ...good(), jwk: { ...good().jwk, d: undefined } }] })],
    ["a number as private part", () => ({ keys: [{ ...good(), jwk: { ...good().jwk, d: 987654 } }] })],
    [
      "the private part of another key",
      () => {
        const key = good();
        return { keys: [{ ...key, jwk: { ...key.jwk, d: other.d } }] };
      },
    ],
    ["a key under another's name", () => ({ keys: [{ ...good(), kid: newSigningKey(start).kid }] })],
    ["a key of another kind", () => ({ keys: [{ ...good(), jwk: { ...good().jwk, crv: "X25519" } }] })],
    ["a time that is none", () => ({ keys: [{ ...good(), createdAt: "yesterday" }] })],
  ];
  for (const [name, make] of broken)
    test(`[AU4] a file with ${name}: a sentence that names it, and nothing of what is in it`, () => {
      const made = make();
      const content = typeof made === "string" ? made : JSON.stringify(made);
      mkdirSync(folder.path, { recursive: true });
      writeFileSync(path, content);
      for (const load of [ring, () => rotateKeys(folder.path, now)])
        assert.throws(load, (error: Error) => {
          assert.equal(error.name, "SecretsUnreadable");
          assert.match(error.message, /^The secrets in .* cannot be read: .*\.$/);
          assert.ok(error.message.includes(path));
          const parts = [...content.matchAll(/"d":\s*"?([\w-]+)/g)].map(([, part]) => part);
          for (const part of [...parts, "private-part"])
            assert.ok(!error.message.includes(part), error.message);
          return true;
        });
      assert.equal(readFileSync(path, "utf8"), content, "it was left as it was");
    });
});
