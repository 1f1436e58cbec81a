import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type DuelNumber,
  directoryDecider,
  duelLimits,
  duelSeenBy,
  duelsOf,
  type Hand,
} from "@openseat/kernel";
import { Duels } from "../../src/duel/duels.ts";
import { throughBytes, typesOf } from "../decider-stage.ts";
import {
  challenge,
  DirectoryStage,
  hear,
  quit,
  replayed,
  textsTo,
  throwIn,
  web,
  week,
} from "../directory/stage.ts";
import { millis, person, withLimits } from "../room-stage.ts";

describe("open duels", () => {
  test("[CH4] expire after a week, and both players are notified", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.do(challenge("ann", "bob", "rock"));
    const due = stage.now + week;
    assert.equal(directoryDecider.nextDue(stage.directory!), due);
    assert.deepEqual(stage.at(due - 1), []);
    const [{ events, effects }] = stage.at(due);
    assert.deepEqual(
      events.map((event) => event.type === "duel-dropped" && [event.reason, event.by]),
      [["lapsed", null]],
    );
    assert.deepEqual(effects, [
      { to: "conversation/ann", body: { text: "Your duel with bob was open for a week and has expired." } },
      { to: "conversation/bob", body: { text: "Your duel with ann was open for a week and has expired." } },
    ]);
    assert.equal(directoryDecider.nextDue(stage.directory!), undefined);
    stage.refused(throwIn("bob", 1, "paper"), "duel.over");
    stage.do(challenge("bob", "ann", "paper"));
  });

  test("[CH4] are not extended by a throw", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.do(challenge("ann", "bob"));
    const due = stage.now + week;
    stage.now = due - 1;
    stage.do(challenge("bob", "ann", "rock"));
    assert.equal(stage.at(due).length, 1);
    assert.equal(stage.directory!.duels.openCount, 0);
  });

  test("[CH4] expire in several entries, and everybody is notified of their own", () => {
    const stage = new DirectoryStage();
    const pairs = duelLimits.lapsesMax + 20;
    for (let nth = 0; nth < pairs; nth++) {
      stage.named(`a${nth}`, `b${nth}`);
      stage.do(challenge(`a${nth}`, `b${nth}`, "rock"));
    }
    const ticks = stage.at(stage.now + week);
    assert.deepEqual(
      ticks.map(({ events }) => events.length),
      [duelLimits.lapsesMax, 20],
    );
    const told = ticks.flatMap(({ effects }) => effects.map(({ to }) => to));
    assert.equal(told.length, 2 * pairs);
    assert.equal(new Set(told).size, 2 * pairs);
    assert.equal(stage.directory!.duels.openCount, 0);
  });

  test("[CH4] that expire together give one message per person", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(challenge("ann", "bob", "rock"));
    stage.do(challenge("cid", "ann", "rock"));
    const [{ effects }] = stage.at(stage.now + week);
    assert.equal(effects.length, 3);
    assert.equal(textsTo(effects, "conversation/ann").length, 2);
  });

  test("[CH4] are limited per opener, who can still answer challenges", () => {
    const stage = new DirectoryStage().named("ann", "zoe");
    const max = duelLimits.openedByOneMax;
    for (let nth = 0; nth < max; nth++) stage.named(`b${nth}`).do(challenge("ann", `b${nth}`, "rock"));
    stage.refused(challenge("ann", "zoe", "rock"), "duel.too-many");
    assert.match(stage.says(web("ann"), "throw rock @zoe"), /^You have 50 open challenges\. Withdraw one/);
    assert.equal(stage.says(web("ann"), "games").split("\n").length, 11);
    // Others may still challenge them, and they may answer.
    stage.do(challenge("zoe", "ann", "rock"));
    stage.do(challenge("ann", "zoe", "paper"));
    stage.do(challenge("b0", "ann", "rock"));
    stage.do(challenge("ann", "zoe", "rock"));
    const { events } = stage.do(quit("ann"));
    assert.equal(events.length, max + 1);
    assert.equal(stage.directory!.duels.openCount, 0);
  });

  test("[LM6][CH4] when one person is challenged too often, the oldest duel of the heaviest opener is evicted", () => {
    const stage = new DirectoryStage().named("ann", "zoe", "mob", "cid");
    stage.do(challenge("cid", "ann", "rock"));
    stage.do(challenge("mob", "zoe", "rock"));
    stage.do(challenge("mob", "ann", "rock"));
    const max = duelLimits.challengesToOneMax;
    for (let nth = 2; nth < max; nth++) stage.named(`b${nth}`).do(challenge(`b${nth}`, "ann", "rock"));
    const { events, effects } = stage.do(challenge("zoe", "ann", "rock"));
    const [off] = events;
    assert.deepEqual(typesOf(events), ["duel-dropped", "duel-opened", "thrown"]);
    assert.deepEqual(off.type === "duel-dropped" && [off.duel, off.reason, off.by, off.cause], [
      ...[3, "crowded", null, "zoe"],
    ]);
    assert.deepEqual(textsTo(effects, "conversation/mob"), [
      "Your duel with ann was cancelled: too many duels were open, and you had opened the most. You can challenge ann again.",
    ]);
    // Everyone has one duel, so the oldest is cancelled.
    stage.named("yan").do(challenge("yan", "ann", "rock"));
    assert.equal(stage.directory!.duels.between(person("cid"), person("ann")), undefined);
    assert.equal(stage.directory!.duels.openOf(person("ann")).length, max);
    // Ann can still open duels herself.
    stage.do(challenge("ann", "cid", "rock"));
  });

  test("[LM6][CH4] one that was answered stays, as long as others can be evicted", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid", "dan");
    withLimits(duelLimits, { challengesToOneMax: 2 }, () => {
      stage.do(challenge("bob", "ann"));
      stage.do(challenge("cid", "ann"));
      stage.do(throwIn("ann", 1, "rock"));
      stage.do(challenge("dan", "ann"));
      assert.deepEqual(openNumbers(stage), [1, 3]);
      stage.do(throwIn("ann", 3, "rock"));
      const { effects } = stage.do(challenge("cid", "ann"));
      assert.deepEqual(openNumbers(stage), [3, 4]);
      assert.match(
        textsTo(effects, "conversation/ann")[0],
        /^Your duel with bob was cancelled: too many duels were open\.$/,
      );
    });
  });

  test("[LM6][CH4] when too many are open in all, the oldest of the heaviest opener is evicted; nobody is refused", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid", "dan", "eve");
    withLimits(duelLimits, { openMax: 4 }, () => {
      stage.do(challenge("dan", "eve", "rock"));
      for (const name of ["bob", "cid", "dan"]) stage.do(challenge("ann", name, "rock"));
      stage.do(challenge("eve", "bob", "rock"));
      assert.deepEqual(openNumbers(stage), [1, 3, 4, 5]);
      stage.do(challenge("cid", "bob", "rock"));
      stage.do(challenge("bob", "dan", "rock"));
      // Everyone has one duel, so the oldest was cancelled.
      assert.deepEqual(openNumbers(stage), [4, 5, 6, 7]);
      stage.do(challenge("dan", "ann", "rock"));
      assert.equal(stage.directory!.duels.openCount, 3);
    });
  });

  test("[LM6][CH4] many identities on one network are one sender, and evict each other", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid", "m1", "m2", "m3");
    withLimits(duelLimits, { challengesToOneMax: 3 }, () => {
      stage.do({ ...challenge("bob", "ann"), network: "home" });
      for (const name of ["m1", "m2", "m3"]) stage.do({ ...challenge(name, "ann"), network: "attacker" });
      assert.deepEqual(openNumbers(stage), [1, 3, 4]);
    });
    stage.do({ ...hear(web("m1"), "throw rock @cid"), network: "attacker" });
    stage.directory = directoryDecider.snapshots.restore(
      throughBytes(directoryDecider.snapshots.save(stage.directory!)),
    );
    withLimits(duelLimits, { openMax: 4 }, () => {
      stage.do(challenge("cid", "m3"));
      assert.deepEqual(openNumbers(stage), [1, 4, 5, 6]);
    });
  });

  test("[LM6][LG5] which duel is evicted is the same after a restart, from a snapshot and from the log", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid", "dan");
    const names = ["ann", "bob", "cid", "dan"];
    for (const [nth, name] of names.entries()) stage.do(challenge(name, names[(nth + 1) % 4], "rock"));
    stage.do(challenge("cid", "ann"));
    stage.named("eve");
    withLimits(duelLimits, { openMax: 4 }, () => {
      const saved = directoryDecider.snapshots.save(stage.directory!);
      const decisions = [
        stage.directory,
        directoryDecider.snapshots.restore(throughBytes(saved)),
        replayed(stage),
      ].map((directory) => directoryDecider.decide(directory, challenge("eve", "ann"), millis(stage.now)));
      assert.ok("events" in decisions[0] && decisions[0].events[0].type === "duel-dropped");
      assert.equal(decisions[0].events[0].duel, 3);
      for (const decision of decisions) assert.deepEqual(decision, decisions[0]);
    });
  });
});

function openNumbers({ directory }: DirectoryStage): number[] {
  return Array.from(directory!.duels.allOpen, ({ number }) => number);
}

describe("duels that are over", () => {
  const names = ["ann", "bob"] as const;
  const players = [person("ann"), person("bob")] as const;
  const open = (duels: Duels, both: typeof players = players) => {
    const number = duels.next;
    const times = { openedAt: millis(1), lapsesAt: millis(2) };
    duels.add({ number, players: both, hands: [null, null], ladders: [null, null], ...times });
    return number;
  };
  const finish = (duels: Duels, number: DuelNumber, both: typeof players = players) =>
    duels.finish({ number, players: both, names, at: millis(3), end: { dropped: "declined" } });

  test("[CH4] the latest of each person are remembered, newest first", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    const hands: readonly Hand[] = ["rock", "paper", "scissors"];
    for (let nth = 1; nth <= duelLimits.finishedOfOneMax + 5; nth++) {
      stage.do(challenge("ann", "bob", hands[nth % 3]));
      stage.do(challenge("bob", "ann", "rock"));
    }
    stage.do(challenge("cid", "bob", "rock"));
    stage.do(challenge("cid", "ann"));
    const { open: waiting, finished } = duelsOf(stage.directory, person("ann"));
    assert.deepEqual(
      finished.map(({ duel }) => duel.number),
      Array.from({ length: duelLimits.finishedOfOneMax }, (_, nth) => 25 - nth),
    );
    assert.deepEqual(
      waiting.map(({ duel, seat }) => [duel.number, seat]),
      [[27, 1]],
    );
    assert.deepEqual(duelsOf(stage.directory, person("nobody")), { open: [], finished: [] });
    assert.deepEqual(duelsOf(undefined, person("ann")), { open: [], finished: [] });
  });

  test("[CH4][AU3] are shown to those who played in them", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(challenge("ann", "bob", "rock"));
    const seen = (name: string, number: number) =>
      duelSeenBy(stage.directory, person(name), number as DuelNumber);
    assert.equal(seen("ann", 1)?.seat, 0);
    assert.equal(seen("bob", 1)?.seat, 1);
    assert.equal(seen("cid", 1), undefined);
    assert.equal(seen("ann", 2), undefined);
    stage.do(challenge("bob", "ann", "paper"));
    assert.ok("end" in seen("bob", 1)!.duel);
    assert.equal(seen("cid", 1), undefined);
    stage.do(quit("ann"));
    assert.deepEqual(seen("bob", 1)?.duel, {
      number: 1,
      players: ["ann", "bob"],
      names: ["ann", "bob"],
      at: stage.now,
      end: { hands: ["rock", "paper"], winner: 1, ladder: null },
    });
    assert.equal(duelSeenBy(undefined, person("ann"), 1 as DuelNumber), undefined);
  });

  test("[LM6][CH4] two who play a lot do not push out what others have played", () => {
    const duels = new Duels();
    const once = [person("xia"), person("yan")] as const;
    finish(duels, open(duels, once), once);
    const both = [person("xia"), person("ann")] as const;
    finish(duels, open(duels, both), both);
    for (let nth = 0; nth <= duelLimits.finishedMax; nth++) finish(duels, open(duels));
    assert.equal(duels.finishedOf(person("xia")).length, 2);
    assert.ok(duels.get(2 as DuelNumber), "one of the two still sees it");
    assert.equal(duels.get(3 as DuelNumber), undefined);
    assert.equal(duels.save().finished.length, 2 + duelLimits.finishedOfOneMax);
    const restored = Duels.restore(JSON.parse(JSON.stringify(duels.save())));
    assert.deepEqual(restored.save(), duels.save());
  });

  test("[CH4] are limited in total, and people with only older ones have none left", () => {
    const duels = new Duels();
    const once = [person("xia"), person("yan")] as const;
    finish(duels, open(duels, once), once);
    const pair = (nth: number) => [person(`a${nth % 1_000}`), person(`b${nth % 1_000}`)] as const;
    for (let nth = 1; nth < duelLimits.finishedMax; nth++) finish(duels, open(duels, pair(nth)), pair(nth));
    assert.equal(duels.finishedOf(person("xia")).length, 1);
    finish(duels, open(duels));
    assert.equal(duels.get(1 as DuelNumber), undefined);
    assert.deepEqual(duels.finishedOf(person("xia")), []);
    assert.equal(duels.save().finished.length, duelLimits.finishedMax);
    const restored = Duels.restore(JSON.parse(JSON.stringify(duels.save())));
    assert.deepEqual(restored.save(), duels.save());
    assert.deepEqual(restored.finishedOf(person("ann")), duels.finishedOf(person("ann")));
    assert.equal(restored.next, duels.next);
  });

  test("[CH4] an inconsistent log stops the server: no duel has two results", () => {
    const duels = new Duels();
    const number = open(duels);
    assert.throws(() => open(duels), /two people have two duels at once/);
    assert.throws(() => open(duels, [players[1], players[0]]), /two people have two duels at once/);
    finish(duels, number);
    assert.throws(() => finish(duels, number), /ended twice/);
    const again = {
      hands: [null, null],
      ladders: [null, null],
      openedAt: millis(1),
      lapsesAt: millis(2),
    } as const;
    assert.throws(() => duels.add({ number, players, ...again }), /out of order/);
    assert.throws(() => duels.update({ number, players, ...again }), /not open/);
  });
});
