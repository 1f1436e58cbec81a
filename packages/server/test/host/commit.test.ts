import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PersonId } from "@openseat/kernel";
import { answered, turns, watched } from "../support/test-clock.ts";
import { codeOf, entriesOf, entryOf, Stage } from "./stage.ts";

describe("durable first", () => {
  test("[LG2] nothing is answered, read, listed or published before its append is durable", async () => {
    const stage = new Stage();
    await stage.created("g");
    stage.committed.length = 0;
    stage.log.holding = true;
    const joined = watched(stage.join("g", "ann"));
    await turns();
    const read = watched(stage.read("g"));
    await turns();
    assert.equal(stage.log.held.length, 1);
    assert.deepEqual([joined.settled, read.settled, stage.committed.length], [false, false, 0]);
    assert.equal((await stage.games.list({ limit: 10 }))[0].summary.seated, 0);

    stage.log.releaseAll();
    assert.equal(entryOf(await answered(joined.promise)).version, 2);
    assert.deepEqual(await answered(read.promise), { value: { version: 2, seated: 1, ended: false } });
    assert.deepEqual(
      stage.committed.map(({ stream, entries }) => [stream, entries.map(({ version }) => version)]),
      [["game/g", [2]]],
    );
    assert.equal((await stage.games.list({ limit: 10 }))[0].summary.seated, 1);
  });

  test("[LG2] a read that comes while commands only wait shows what is durable, at once", async () => {
    const stage = new Stage();
    await stage.created("g");
    const joined = stage.join("g", "ann");
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 1, seated: 0, ended: false } });
    await answered(joined);
    assert.deepEqual(await answered(stage.read("g")), { value: { version: 2, seated: 1, ended: false } });
  });

  test("[LG2] a refusal based on entries that are not durable yet waits for them", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 1 });
    stage.log.holding = true;
    const ann = stage.join("g", "ann");
    const bob = watched(stage.join("g", "bob"));
    await turns();
    const cid = watched(stage.join("g", "cid"));
    await turns();
    assert.deepEqual([bob.settled, cid.settled], [false, false]);
    stage.log.releaseAll();
    entryOf(await answered(ann));
    assert.equal(codeOf(await answered(bob.promise)), "room.full");
    assert.equal(codeOf(await answered(cid.promise)), "room.full");
  });

  test("[LG2] a refusal based on a failed append is not returned, because nobody had taken the seat", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 1 });
    stage.log.holding = true;
    const ann = stage.join("g", "ann");
    const bob = stage.join("g", "bob");
    await turns();
    stage.log.holding = false;
    stage.log.held.splice(0)[0].fail();
    assert.equal(codeOf(await answered(ann)), "log.unavailable");
    assert.equal(codeOf(await answered(bob)), "log.unavailable");
    entryOf(await answered(stage.join("g", "bob")));
  });

  test("[LG2] commands that arrive during an append form the next one, all together", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 1_000 });
    await stage.created("h", { seats: 1_000 });
    stage.log.holding = true;
    stage.log.calls.length = 0;
    const first = stage.join("g", "first");
    await turns();
    const others = Array.from({ length: 200 }, (_, number) =>
      stage.join(number % 2 === 0 ? "g" : "h", `p${number}`),
    );
    await turns();
    assert.equal(stage.log.calls.length, 1, "one append is in flight, and no second one");
    stage.log.held.splice(0)[0].release();
    await answered(first);
    await turns();
    assert.equal(stage.log.calls.length, 2);
    assert.deepEqual(
      stage.log.calls[1].map(({ stream, after, lines }) => [stream, after, lines.length]),
      [
        ["game/g", 2, 100],
        ["game/h", 1, 100],
      ],
    );
    stage.log.releaseAll();
    const versions = (await answered(Promise.all(others))).map((outcome) => entryOf(outcome).version);
    assert.deepEqual(versions.slice(0, 4), [3, 2, 4, 3]);
    assert.equal(stage.log.calls.length, 2);
  });

  test("[LG1] a batch names the version it was decided on and continues the hash chain", async () => {
    const stage = new Stage();
    await stage.created("g");
    await answered(Promise.all([stage.join("g", "ann"), stage.join("g", "bob")]));
    await answered(stage.join("g", "cid"));
    assert.deepEqual(
      stage.log.calls.map(([append]) => [append.after, append.lines.length]),
      [
        [0, 1],
        [1, 2],
        [3, 1],
      ],
    );
    const head = await stage.log.head("game/g");
    assert.equal(head!.hash, stage.log.calls[2][0].hash);
    assert.ok("value" in (await answered(stage.another().read("g"))), "another host finds an intact chain");
  });
});

describe("many at once", () => {
  test("[LM4] thousands of refusals in one room do not delay another room", async () => {
    const stage = new Stage();
    await stage.created("full", { seats: 1 });
    await stage.created("other");
    entryOf(await answered(stage.join("full", "first")));
    let refused = 0;
    const asked = Array.from({ length: 10_000 }, async (_, number) => {
      await stage.join("full", `p${number}`);
      refused++;
    });
    await turns(1);
    entryOf(await answered(stage.join("other", "ann")));
    assert.ok(refused < 10_000, "the other room does not wait for all of them");
    await answered(Promise.all(asked));
  });

  test("[LM4] above 8,192 waiting commands, new work is refused and commands about work in progress wait", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 100_000 });
    stage.log.holding = true;
    const first = stage.join("g", "first");
    await turns();
    const joinAnew = (name: string) =>
      stage.games.ask("g", { command: { type: "join", person: name as PersonId }, by: name, isNew: true });
    const waiting = Array.from({ length: 8_192 }, (_, number) => joinAnew(`p${number}`));
    assert.equal(codeOf(await joinAnew("late")), "server.busy");
    assert.equal(stage.host.shed, 1);
    const leaving = stage.leave("g", "first");
    stage.log.holding = false;
    stage.log.releaseAll();
    entryOf(await answered(first));
    entryOf(await answered(leaving));
    const outcomes = await answered(Promise.all(waiting));
    assert.equal(outcomes.filter((outcome) => "entry" in outcome).length, 8_192);
    entryOf(await answered(joinAnew("late")));
  });

  test("[LM2] above 65,536 waiting commands, further ones are refused as busy and the others are served", async () => {
    const stage = new Stage();
    await stage.created("g", { seats: 100_000 });
    stage.log.holding = true;
    const first = stage.join("g", "first");
    await turns();
    const waiting = Array.from({ length: 65_536 }, (_, number) => stage.join("g", `p${number}`));
    const refused = await answered(stage.join("g", "late"));
    assert.equal(codeOf(refused), "server.busy");
    assert.ok("refusal" in refused && refused.refusal.retryable);
    stage.log.releaseAll();
    entryOf(await answered(first));
    const outcomes = await answered(Promise.all(waiting));
    assert.equal(outcomes.filter((outcome) => "entry" in outcome).length, 65_536);
    entryOf(await answered(stage.join("g", "late")));
  });

  test("[LM2] a room that was just loaded is not evicted, however full memory is", async () => {
    const stage = new Stage({ residentStreamsMax: 1 });
    await stage.created("a");
    stage.log.holding = true;
    const busy = stage.join("a", "ann");
    await turns();
    const asks = [
      stage.create("b"),
      ...Array.from({ length: 9 }, (_, number) => stage.join("b", `p${number}`)),
    ];
    await turns();
    stage.log.releaseAll();
    entryOf(await answered(busy));
    const outcomes = await answered(Promise.all(asks));
    assert.deepEqual(
      outcomes.map((outcome) => ("entry" in outcome ? outcome.entry.version : outcome.refusal.code)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    for (const call of stage.log.calls) {
      assert.equal(
        new Set(call.map(({ stream }) => stream)).size,
        call.length,
        "one room decided twice concurrently",
      );
    }
  });

  test("[LG2] times within a room never go back, whatever the clock does", async () => {
    const stage = new Stage();
    await stage.created("g");
    const start = stage.clock.now();
    await answered(stage.join("g", "ann"));
    stage.clock.jump(-60_000);
    await answered(stage.join("g", "bob"));
    stage.clock.jump(+30_000);
    await answered(stage.another().join("g", "cid"));
    stage.clock.jump(+31_000);
    await answered(stage.another().join("g", "dan"));
    const times = (await entriesOf(stage.log, "game/g")).map(({ at }) => at - start);
    assert.deepEqual(times, [0, 0, 0, 0, 1_000]);
  });
});

describe("readers and listeners", () => {
  test("[LG2] a reader that throws fails its own read only", async () => {
    const stage = new Stage();
    await stage.created("g");
    stage.log.holding = true;
    const joined = stage.join("g", "ann");
    await turns();
    const bad = stage.games.read("g", () => {
      throw new Error("a look that cannot be borne");
    });
    bad.catch(() => {});
    const good = stage.read("g");
    stage.log.releaseAll();
    entryOf(await answered(joined));
    assert.deepEqual(await answered(good, "the other read"), {
      value: { version: 2, seated: 1, ended: false },
    });
    await assert.rejects(answered(bad, "the read that threw"), /cannot be borne/);
    entryOf(await answered(stage.join("g", "bob"), "a join after it"));
  });

  test("[LG2] a reader that throws on a room that must be loaded first fails its own read only", async () => {
    const stage = new Stage();
    const bad = stage.games.read("g", () => {
      throw new Error("a look that cannot be borne");
    });
    bad.catch(() => {});
    await assert.rejects(answered(bad, "the read that threw"), /cannot be borne/);
    await stage.created("g");
  });

  test("[FD2] a listener that throws is reported, and the room goes on", async () => {
    let throwing = true;
    const stage = new Stage({
      onCommit: () => {
        if (throwing) throw new Error("a listener at fault");
      },
    });
    await stage.created("g");
    entryOf(await answered(stage.join("g", "ann"), "a join after the fault"));
    throwing = false;
    entryOf(await answered(stage.join("g", "bob")));
    assert.match(String(stage.errors[0]), /a listener at fault/);
  });
});
