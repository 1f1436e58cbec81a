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
import { FolderSecrets } from "../../src/config/folder-secrets.ts";
import { KeyRing } from "../../src/config/key-ring.ts";
import {
  isSigning,
  loadSigningKeys,
  newSigningKey,
  readSigningKeys,
  retiredKeyMs,
  rotate,
  rotateKeys,
} from "../../src/config/signing-keys.ts";
import { tempFolder } from "../support/folder.ts";
import { TestClock, until } from "../support/test-clock.ts";

const hourMs = 60 * 60 * 1000;
const start = Date.parse("2030-01-01T00:00:00Z");

describe("signing keys", () => {
  let folder: ReturnType<typeof tempFolder>;
  let path: string;
  let store: FolderSecrets;
  let clock: TestClock;
  let failures: unknown[];
  let rings: KeyRing[];
  beforeEach(() => {
    folder = tempFolder();
    path = join(folder.path, "signing-keys.json");
    store = new FolderSecrets(folder.path);
    clock = new TestClock(start);
    failures = [];
    rings = [];
  });
  afterEach(() => {
    for (const it of rings) it.close();
    folder.remove();
  });

  const ring = async () => {
    const made = await KeyRing.open(store, { clock, onFailure: (error) => void failures.push(error) });
    rings.push(made);
    return made;
  };
  /** Second by second, so that each read of the file ends: reading it takes no time of this clock. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await clock.advance(1_000);
      await until(() => clock.timers === rings.length, "all of them have read the keys");
    }
  };
  const rotateNow = () => rotateKeys(store, clock.now());
  const kidsOf = (of: KeyRing) => of.keys().map(({ kid }) => kid);
  const signerOf = (of: KeyRing) =>
    of
      .keys()
      .filter(isSigning)
      .map(({ kid }) => kid);

  test("[AU4] are created at the first start, readable only by the owner, and kept unchanged", async () => {
    const [made] = (await ring()).keys();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { mtimeMs, ino } = statSync(path);
    chmodSync(path, 0o644);
    assert.deepEqual((await ring()).keys(), [made]);
    assert.deepEqual([statSync(path).mtimeMs, statSync(path).ino], [mtimeMs, ino], "it was written again");
    assert.equal(statSync(path).mode & 0o777, 0o600, "the file is readable only by its owner again");
    assert.ok(!existsSync(`${path}.new`));
  });

  test("[AD6] are named by their thumbprints (RFC 7638)", async () => {
    const { kid, jwk } = newSigningKey(start);
    assert.equal(kid, await calculateJwkThumbprint(jwk, "sha256"));
  });

  test("[AD6] rotation: the new key signs, and the old one keeps only its public part until its tokens have expired", () => {
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

  test("[AD6] a running server notices a rotation within seconds, without a restart", async () => {
    const running = await ring();
    const before = running.keys();
    const [{ kid: old, jwk }] = before;
    await pass(5_000);
    assert.equal(running.keys(), before, "the same array until something changes");
    const kid = await rotateNow();
    await pass(1_000);
    assert.deepEqual(kidsOf(running), [kid, old]);
    const after = running.keys();
    await pass(1_000);
    assert.equal(running.keys(), after);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!readFileSync(path, "utf8").includes(jwk.d!), "the old private part is gone from the disk");
    assert.deepEqual(kidsOf(await ring()), [kid, old], "also after a restart");
    assert.deepEqual(failures, []);
  });

  test("[AD6] a new key signs once every node has had time to learn it; until then the old key does", async () => {
    const [running, other] = [await ring(), await ring()];
    const [old] = kidsOf(running);
    const kid = await rotateNow();
    for (let seconds = 1; seconds <= 3; seconds++) {
      await pass(1_000);
      assert.deepEqual(signerOf(running), [old], `after ${seconds} s`);
      assert.ok(kidsOf(other).includes(kid), "its tokens are already accepted");
    }
    await pass(1_000);
    assert.deepEqual([signerOf(running), signerOf(other)], [[kid], [kid]]);
    assert.deepEqual(kidsOf(running), [kid, old]);
  });

  test("[AD6] two concurrent rotations: both keys exist afterwards, and one signs", async () => {
    const running = await ring();
    const [old] = kidsOf(running);
    const made = await Promise.all([rotateNow(), rotateNow(), rotateNow()]);
    await pass(10_000);
    assert.deepEqual(new Set(kidsOf(running)), new Set([...made, old]));
    assert.equal(signerOf(running).length, 1);
  });

  test("[AD6] a retired key is published for 27 hours and no longer, also if the server kept running", async () => {
    const running = await ring();
    const kid = await rotateNow();
    // Not second by second: nothing happens meanwhile.
    clock.jump(27 * hourMs - 2_000);
    await pass(1_000);
    assert.equal(running.keys().length, 2);
    await pass(2_000);
    assert.deepEqual(kidsOf(running), [kid]);
    assert.deepEqual(kidsOf(await ring()), [kid]);
  });

  test("a clock that is set back does not keep the server from noticing a rotation", async () => {
    const running = await ring();
    const kid = await rotateNow();
    clock.jump(-10 * hourMs);
    await pass(1_000);
    assert.equal(kidsOf(running)[0], kid);
  });

  test("leaked keys are refused at once if their file is removed before the rotation, or with the option for leaks", async () => {
    const running = await ring();
    rmSync(path);
    const kid = await rotateNow();
    await pass(1_000);
    assert.deepEqual([kidsOf(running), signerOf(running)], [[kid], [kid]]);
    const next = await rotateKeys(store, clock.now(), { leaked: true });
    await pass(1_000);
    assert.deepEqual([kidsOf(running), signerOf(running)], [[next], [next]]);
  });

  test("a file that breaks or disappears while the server runs is reported once, and the loaded keys stay in use", async () => {
    const running = await ring();
    const kids = kidsOf(running);
    const good = readFileSync(path, "utf8");
    for (const [spoil, told] of [
      [() => writeFileSync(path, "{ oops"), path],
      [() => rmSync(path), "The stored signing keys are missing"],
    ] as const) {
      spoil();
      failures = [];
      for (let round = 0; round < 5; round++) {
        await pass(1_000);
        assert.deepEqual(kidsOf(running), kids);
      }
      assert.equal(failures.length, 1);
      assert.ok(String(failures[0]).includes(told), String(failures[0]));
    }
    writeFileSync(path, good);
    const kid = await rotateNow();
    await pass(1_000);
    assert.equal(kidsOf(running)[0], kid);
    failures = [];
    rmSync(path);
    await pass(1_000);
    assert.equal(failures.length, 1, "a new failure is reported again");
  });

  test("[LM2] rotating too often is refused and harms no key whose tokens may be valid", async () => {
    for (let round = 0; round < 64; round++) await rotateKeys(store, start + round);
    const before = readFileSync(path, "utf8");
    await assert.rejects(rotateKeys(store, start + 100), /which is the maximum/);
    assert.equal(readFileSync(path, "utf8"), before);
    await rotateKeys(store, start + 28 * hourMs);
    assert.equal((await readSigningKeys(store))?.length, 2);
  });

  test("a rotation does not create a missing folder, because the operator has named the wrong one", async () => {
    const wrong = join(folder.path, "wrong");
    await assert.rejects(rotateKeys(new FolderSecrets(wrong), start), /no data folder at .*wrong.*--data/);
    assert.ok(!existsSync(wrong));
  });

  test("root can rotate for a server that runs as another user", {
    skip: process.getuid?.() === 0 ? false : "only root can give files away",
  }, async () => {
    const ownerOf = () => {
      const { uid, gid, mode } = statSync(path);
      return [uid, gid, mode & 0o777];
    };
    await loadSigningKeys(store, start);
    chownSync(path, 1234, 1235);
    await rotateKeys(store, start);
    assert.deepEqual(ownerOf(), [1234, 1235, 0o600]);
    rmSync(path);
    chownSync(folder.path, 1236, 1237);
    await rotateKeys(store, start);
    assert.deepEqual(ownerOf(), [1236, 1237, 0o600], "without a file, the folder's owner decides");
  });

  const good = () => {
    const { kid, jwk } = newSigningKey(start);
    return { kid, createdAt: "2030-01-01T00:00:00.000Z", jwk };
  };
  const other = newSigningKey(start).jwk;
  const broken: [string, () => unknown][] = [
    ["half a file", () => JSON.stringify({ keys: [good()] }).slice(0, 150)],
    ["not JSON", () => '{ "keys": private-part-without-quotes }'],
    ["null", () => "null"],
    ["no keys", () => ({ keys: [] })],
    ["something else in its list", () => ({ keys: [null, 3] })],
    ["too many keys", () => ({ keys: Array.from({ length: 65 }, good) })],
    ["only retired keys", () => ({ keys: [{ ...good(), retiredAt: "2030-01-01T00:00:00Z" }] })],
    ["a key without a private part", () => ({ keys: [{ ...good(), jwk: { ...good().jwk, d: undefined } }] })],
    [
      "the private part of another key",
      () => {
        const key = good();
        return { keys: [{ ...key, jwk: { ...key.jwk, d: other.d } }] };
      },
    ],
    ["a key under another's name", () => ({ keys: [{ ...good(), kid: newSigningKey(start).kid }] })],
    ["a key of another kind", () => ({ keys: [{ ...good(), jwk: { ...good().jwk, crv: "X25519" } }] })],
    ["an invalid time", () => ({ keys: [{ ...good(), createdAt: "yesterday" }] })],
  ];
  for (const [name, make] of broken)
    test(`[AU4] a file with ${name}: the message names it, and none of its content`, async () => {
      const made = make();
      const content = typeof made === "string" ? made : JSON.stringify(made);
      mkdirSync(folder.path, { recursive: true });
      writeFileSync(path, content);
      for (const load of [ring, rotateNow])
        await assert.rejects(load, (error: Error) => {
          assert.equal(error.name, "SecretsUnreadable");
          assert.match(error.message, /^The secrets in .* cannot be read: .*\.$/);
          assert.ok(error.message.includes(path));
          const parts = [...content.matchAll(/"d":\s*"?([\w-]+)/g)].map(([, part]) => part);
          for (const part of [...parts, "private-part"])
            assert.ok(!error.message.includes(part), error.message);
          return true;
        });
      assert.equal(readFileSync(path, "utf8"), content, "the file was not changed");
    });
});
