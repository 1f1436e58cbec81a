import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TokenBuckets } from "../../src/token-buckets.ts";

describe("token buckets", () => {
  const clock = { ms: 1_700_000_000_000 };
  const buckets = (terms: ConstructorParameters<typeof TokenBuckets>[0]) =>
    new TokenBuckets(terms, () => clock.ms);

  test("[LM3] a burst is granted, then the refill, and the wait is in whole seconds", () => {
    const limit = buckets({ perMinute: 60, burst: 3 });
    assert.deepEqual(
      [1, 2, 3].map(() => limit.take("ann")),
      [0, 0, 0],
    );
    assert.equal(limit.take("ann"), 1);
    assert.equal(limit.take("ben"), 0);
    assert.equal(limit.take("ann", 3), 3);
    clock.ms += 1_000;
    assert.equal(limit.take("ann"), 0);
    assert.equal(limit.take("ann"), 1);
  });

  test("[LM3] a bucket never holds more than its burst, and a refund is never more than was taken", () => {
    const limit = buckets({ perMinute: 60, burst: 2 });
    limit.take("ann");
    limit.refund("ann", 10);
    clock.ms += 60 * 60_000;
    assert.deepEqual(
      [1, 2].map(() => limit.take("ann")),
      [0, 0],
    );
    assert.ok(limit.take("ann") > 0);
  });

  test("[LM3] a clock that is set back removes no tokens", () => {
    const limit = buckets({ perMinute: 60, burst: 2 });
    limit.take("ann");
    clock.ms -= 60 * 60_000;
    assert.equal(limit.take("ann"), 0);
    assert.equal(limit.take("ann"), 1);
  });

  test("[LM3] above its size it forgets buckets that are nearly full, never those of people who keep spending", () => {
    const limit = buckets({ perMinute: 60, burst: 2, keysMax: 64 });
    limit.take("spender", 2);
    for (let stranger = 0; stranger < 10_000; stranger++) {
      assert.equal(limit.take(`stranger ${stranger}`), 0);
      assert.ok(limit.take("spender") > 0);
    }
    assert.equal(limit.size, 64);
  });

  test("[LM3] below its size it forgets nobody, also while it grows", () => {
    const limit = buckets({ perMinute: 60, burst: 2, keysMax: 4_096 });
    const people = Array.from({ length: 500 }, (_, index) => `person ${index}`);
    for (const person of people) assert.equal(limit.take(person, 2), 0);
    for (const person of people) assert.equal(limit.take(person), 1);
    clock.ms += 1_000;
    for (const person of people) assert.equal(limit.take(person), 0);
  });

  test("[LM3] a full bucket is released", () => {
    const limit = buckets({ perMinute: 60, burst: 2, keysMax: 100_000 });
    for (let stranger = 0; stranger < 10_000; stranger++) {
      limit.take(`stranger ${stranger}`);
      clock.ms += 1_000;
    }
    assert.equal(limit.size, 8);
  });

  test("a rate of zero grants nothing", () => {
    assert.equal(buckets({ perMinute: 0 }).take("ann"), 3_600);
  });
});
