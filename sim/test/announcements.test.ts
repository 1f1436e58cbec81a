import assert from "node:assert/strict";
import { test } from "node:test";
import { Announcements } from "../src/cluster/announcements.ts";
import type { Roll } from "../src/cluster/roll.ts";
import type { Ledger } from "../src/ledger.ts";
import { Random } from "../src/prng.ts";
import { Life, World } from "../src/world.ts";

test("[CL2] what the caretaker was not told of is known to it from the next announcement of that stream on", () => {
  const world = new World(new Random(1));
  const [caretaker, other] = [new Life(world), new Life(world)];
  const history = { version: 0 };
  const announcements = new Announcements(
    world,
    { history: () => history } as unknown as Ledger,
    { isCaretaker: (life) => life === caretaker } as Roll,
  );
  const write = (life: Life, atMs: number) => {
    world.elapsedMs = atMs;
    history.version++;
    announcements.decided(life, "arena/a");
    announcements.written("arena/a");
  };
  const tell = (life: Life, atMs: number, version: number) => {
    world.elapsedMs = atMs;
    announcements.learnt(life, [{ stream: "arena/a", version }]);
  };

  write(caretaker, 100);
  assert.equal(announcements.toldAtMs("arena/a", { version: 1, atMs: 100 }), 100);
  write(other, 200);
  tell(other, 201, 2);
  tell(caretaker, 202, 1);
  assert.equal(announcements.toldAtMs("arena/a", { version: 2, atMs: 200 }), Number.POSITIVE_INFINITY);
  write(other, 300);
  write(other, 301);
  // What was written meanwhile does not make it less of an announcement.
  tell(caretaker, 302, 3);
  tell(caretaker, 900, 3);
  assert.equal(announcements.toldAtMs("arena/a", { version: 2, atMs: 200 }), 302);
  assert.equal(announcements.toldAtMs("arena/a", { version: 3, atMs: 300 }), 302);
  assert.equal(announcements.toldAtMs("arena/a", { version: 4, atMs: 301 }), Number.POSITIVE_INFINITY);
});
