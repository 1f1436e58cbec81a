import assert from "node:assert/strict";
import { test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";

const ids = Array.from({ length: 20_000 }, (_, number) => `guest_${number.toString(36)}`);

test("[AU1] a friendly name is two plain words, always the same for the same id", () => {
  for (const id of ids) {
    assert.match(friendlyName(id), /^[A-Z][a-z]{2,11} [A-Z][a-z]{2,11}$/);
    assert.equal(friendlyName(id), friendlyName(id));
  }
  assert.equal(friendlyName("ann"), "Polite Crab");
});

test("[AU1] similar ids have different names", () => {
  const names = ids.map(friendlyName);
  const [first, second] = [0, 1].map((word) => new Set(names.map((name) => name.split(" ")[word])).size);
  assert.deepEqual([first, second], [128, 128]);
  // 20,000 ids in 128 × 128 names leave about 11,550 of them in use, if they are spread by chance.
  const used = new Set(names).size;
  assert.ok(used > 11_300 && used < 11_800, `${used} names`);
  const repeats = names.filter((name, index) => index > 0 && name === names[index - 1]).length;
  assert.ok(repeats < 10, `${repeats} neighbours share a name`);
});
