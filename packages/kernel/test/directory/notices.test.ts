import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DirectoryEvent, directoryDecider, directoryLimits } from "@openseat/kernel";
import { countNotice } from "../../src/directory/notices.ts";
import type { Millis, PersonId } from "../../src/values.ts";
import { throughBytes } from "../decider-stage.ts";
import { millis, person } from "../room-stage.ts";
import {
  challenge,
  DirectoryStage,
  drop,
  hear,
  pass,
  quit,
  sms,
  telegram,
  textsTo,
  throwIn,
  web,
} from "./stage.ts";

const { noticesMax, noticesMs, noticesBySmsMax, noticesFromOneMax, noticesOfPairMax } = directoryLimits;
const enough = /^You have reached the limit of notifications per hour\. To see your duels, write: games\./;

/** Ann and Bob, after a ladder has sent `count` notifications to Ann. */
function told(count: number): DirectoryStage {
  const stage = new DirectoryStage().named("ann", "bob");
  for (let version = 1; version <= count; version++)
    stage.do(pass("ladder/club", [[version, "ann", "note"]]));
  return stage;
}

const annHears = (stage: DirectoryStage) => stage.told("conversation/ann");

describe("notices", () => {
  test("[LM2] [LM6] are counted for a limited number of senders: people who quit and come back are new ones each time", () => {
    const directory = new DirectoryStage().named("ann").directory!;
    const { sendersMax } = directoryLimits;
    const count = (sender: number) =>
      countNotice(directory, { to: "ann" as PersonId, by: `p${sender}` as PersonId }, 0 as Millis);
    for (let sender = 1; sender <= sendersMax; sender++) count(sender);
    assert.equal(directory.sent.bySender.size, sendersMax);
    count(sendersMax + 1);
    assert.equal(directory.sent.bySender.size, sendersMax / 2 + 1);
    assert.ok(directory.sent.bySender.has(`p${sendersMax + 1}`), "the newest are kept");
    assert.ok(!directory.sent.bySender.has("p1"));
  });

  test("[CH4][CH7] are limited per recipient and hour; the last one says so", () => {
    assert.deepEqual([noticesMax, noticesBySmsMax, noticesFromOneMax, noticesOfPairMax], [100, 20, 30, 5]);
    const stage = told(noticesMax + 10);
    const lines = annHears(stage);
    assert.equal(lines.length, noticesMax);
    assert.match(lines.at(-1)!, enough);
    assert.ok(lines.slice(0, -1).every((line) => line === "note"));
    // Bob has a budget of his own.
    stage.do(pass("ladder/club", [[noticesMax + 11, "bob", "note"]]));
    assert.deepEqual(stage.told("conversation/bob"), ["note"]);
  });

  test("[CH7] count one by one, even several in one entry", () => {
    const stage = told(noticesMax - 3);
    const many = (from: number) =>
      Array.from({ length: 10 }, (_, nth) => [from + nth, "ann", `${nth}`] as const);
    const { effects } = stage.do(pass("ladder/club", many(noticesMax)));
    const lines = textsTo(effects, "conversation/ann");
    assert.deepEqual(lines.slice(0, -1), ["0", "1"]);
    assert.match(lines.at(-1)!, enough);
    assert.deepEqual(stage.do(pass("ladder/club", many(noticesMax + 10))).effects, []);
  });

  test("[CH4] count together: challenges, cancelled duels, and notices of ladders", () => {
    const stage = told(noticesMax - 4);
    const received = () => annHears(stage).slice(noticesMax - 4);
    stage.do(challenge("bob", "ann"));
    stage.do(drop("bob", 1));
    stage.do(challenge("ann", "bob"));
    assert.equal(received().length, 2, "the person's own challenge causes no notice to them");
    stage.do(drop("bob", 2));
    stage.do(challenge("bob", "ann"));
    stage.do(drop("bob", 3));
    const lines = received();
    assert.equal(lines.length, 4);
    assert.equal(lines[2], "bob does not want to duel.");
    assert.match(lines[3], enough);
  });

  test("[CH4] duels that lapse and people who leave are notices too, to either of the two", () => {
    const stage = told(0).named("cid");
    stage.do(challenge("ann", "bob"));
    stage.do(challenge("cid", "ann"));
    stage.at(stage.now + 7 * 24 * noticesMs);
    assert.deepEqual(stage.directory!.notices.get(person("ann")), { since: stage.now, count: 2 });
    assert.deepEqual(stage.directory!.notices.get(person("bob")), { since: stage.now, count: 1 });
    stage.do(challenge("ann", "bob"));
    stage.do(quit("bob"));
    assert.equal(stage.directory!.notices.get(person("ann"))?.count, 3);
  });

  test("[CH4] goes on after the hour", () => {
    const stage = told(noticesMax + 10);
    stage.now += noticesMs;
    stage.do(challenge("bob", "ann"));
    assert.equal(annHears(stage).length, noticesMax);
    stage.now++;
    stage.do(drop("bob", 1));
    assert.equal(annHears(stage).at(-1), "bob has withdrawn the challenge.");
    assert.deepEqual(stage.directory!.notices.get(person("ann")), { since: stage.now, count: 1 });
  });
});

describe("a person at the limit of notices", () => {
  test("[CH4] still gets results and replies", () => {
    const stage = told(noticesMax + 1);
    const lines = () => annHears(stage).slice(noticesMax);
    assert.match(stage.says(web("ann"), "throw rock @bob"), /^You threw\./);
    stage.do(challenge("bob", "ann", "paper"));
    assert.equal(lines().at(-1), "You threw rock, bob threw paper: bob wins.");
    stage.do(challenge("ann", "bob"));
    stage.do(throwIn("bob", 2, "rock"));
    assert.match(lines().at(-1)!, /^bob has thrown\. Your turn\./);
    assert.equal(lines().length, 3);
  });

  test("[CH4] can still be challenged, and finds the duel in their list", () => {
    const stage = told(noticesMax + 1);
    stage.do(challenge("bob", "ann", "rock"));
    assert.equal(annHears(stage).length, noticesMax);
    assert.match(stage.says(web("ann"), "games"), /^bob: your turn\./);
  });

  test("[LG5] is still at the limit after a restart from a snapshot", () => {
    const stage = told(noticesMax - 1);
    stage.directory = directoryDecider.snapshots.restore(
      throughBytes(directoryDecider.snapshots.save(stage.directory!)),
    );
    stage.do(challenge("bob", "ann"));
    assert.match(annHears(stage).at(-1)!, enough);
    stage.do(drop("bob", 1));
    assert.equal(annHears(stage).length, noticesMax);
  });

  test("[CH5] and quits, begins anew; of nobody without a name anything is counted", () => {
    const stage = told(noticesMax + 1);
    stage.do(quit("ann"));
    assert.equal(stage.directory!.notices.size, 0);
    stage.do(pass("ladder/club", [[noticesMax + 2, "ann", "note"]]));
    assert.equal(stage.directory!.notices.size, 0);
    stage.named("ann").do(challenge("bob", "ann"));
    assert.match(annHears(stage).at(-1)!, /^bob challenges you/);
  });

  test("[CH6] is addressed by name in a group", () => {
    const stage = told(0);
    stage.do(hear(telegram("7", "-5"), "nick Cid"));
    const many = Array.from({ length: noticesMax }, (_, nth) => [nth + 1, "chat_1", "note"] as const);
    const { effects } = stage.do(pass("ladder/club", many));
    const lines = textsTo(effects, "telegram/1");
    assert.equal(lines.length, noticesMax);
    assert.equal(lines[0], "Cid: note");
    assert.match(lines.at(-1)!, /^Cid: You have reached the limit/);
  });
});

describe("notices of one sender", () => {
  /** Ann by phone; Bob and the others on the web. */
  function phoned(...names: string[]): DirectoryStage {
    const stage = new DirectoryStage().named("bob", ...names);
    stage.says(sms("+491"), "nick Ann");
    return stage;
  }
  const rings = (stage: DirectoryStage) => stage.told("sms/1").length;

  test("[LM6][CH7] are limited per recipient and hour; the rest is in the recipient's list", () => {
    const stage = phoned();
    for (let nth = 1; nth <= 20; nth++) {
      stage.do(challenge("bob", "ann", nth % 2 ? "rock" : null));
      if (nth < 20) stage.do(drop("bob", nth));
    }
    assert.equal(rings(stage), noticesOfPairMax);
    assert.match(stage.says(sms("+491"), "games"), /^bob: your turn\./);
    stage.now += noticesMs;
    stage.do(drop("bob", 20));
    stage.do(challenge("bob", "ann"));
    assert.equal(rings(stage), noticesOfPairMax + 1);
  });

  test("[LM6] are limited on our own pages only by the total", () => {
    const stage = phoned("cid");
    for (let nth = 1; nth <= noticesFromOneMax; nth++) {
      stage.do(challenge("bob", "cid"));
      stage.do(drop("bob", nth));
    }
    assert.equal(stage.told("conversation/cid").length, noticesFromOneMax);
    stage.do(challenge("bob", "ann"));
    assert.equal(rings(stage), 0);
  });

  test("[LM6] include a throw into an unanswered challenge", () => {
    const stage = phoned();
    for (let nth = 1; nth <= 10; nth++) {
      stage.do(challenge("bob", "ann"));
      stage.do(throwIn("bob", nth, "rock"));
      stage.do(drop("bob", nth));
    }
    assert.equal(rings(stage), noticesOfPairMax);
  });

  test("[LM6] are limited in total per hour", () => {
    const others = Array.from({ length: 50 }, (_, nth) => `p${nth}`);
    const stage = phoned(...others);
    for (const name of others) stage.do(challenge("bob", name));
    const told = () => stage.sent.filter(({ to }) => to.startsWith("conversation/p")).length;
    assert.equal(told(), noticesFromOneMax);
    // Notifications of all cancelled duels at once are limited too.
    stage.now += noticesMs;
    stage.do(quit("bob"));
    assert.equal(told(), 2 * noticesFromOneMax);
    // Other senders have their own budget.
    stage.do(challenge("p49", "ann"));
    assert.equal(rings(stage), 1);
  });

  test("[LM6] from ladders are counted by who caused them; those without a cause are not", () => {
    const stage = phoned("cid");
    const notices = (by: string | undefined, from: number) =>
      Array.from({ length: 10 }, (_, nth) => [from + nth, "chat_1", "note", by] as const);
    const { events } = stage.do(pass("ladder/club", notices("bob", 1)));
    assert.equal(events[0].type === "passed" && events[0].notices.length, noticesOfPairMax);
    assert.equal(rings(stage), noticesOfPairMax);
    // Dropped notifications count as delivered.
    stage.refused(pass("ladder/club", notices("bob", 1)), "delivery.repeated");
    stage.do(pass("ladder/club", notices("cid", 11)));
    assert.equal(rings(stage), 2 * noticesOfPairMax);
    stage.do(pass("ladder/club", notices(undefined, 21)));
    assert.equal(rings(stage), noticesBySmsMax);
  });

  test("[LM6] are not limited for opponents who throw back", () => {
    const stage = phoned();
    for (let nth = 1; nth < noticesBySmsMax; nth++) {
      stage.do(challenge("bob", "ann", "rock"));
      stage.says(sms("+491"), "throw paper @bob");
    }
    assert.equal(rings(stage), noticesBySmsMax - 1);
  });

  test("[LM6] are not limited for opponents who report back", () => {
    const stage = phoned();
    for (let nth = 1; nth < noticesBySmsMax; nth++) {
      stage.do(pass("ladder/club", [[2 * nth, "chat_1", "reported", "bob"]]));
      stage.do(pass("ladder/club", [[2 * nth + 1, "bob", "confirmed", "chat_1"]]));
    }
    assert.equal(rings(stage), noticesBySmsMax - 1);
    assert.equal(stage.told("conversation/bob").length, noticesBySmsMax - 1);
  });

  test("[LM6] are counted for a sender on a channel across quitting and coming back under another name", () => {
    const names = Array.from({ length: 40 }, (_, nth) => `p${nth}`);
    const stage = phoned(...names);
    for (const [nth, name] of names.entries()) {
      stage.says(sms("+492"), `nick Eve${nth}`);
      stage.says(sms("+492"), `throw rock @${name}`);
      stage.says(sms("+492"), "quit");
    }
    const told = stage.sent.filter(({ to }) => to.startsWith("conversation/p"));
    assert.equal(told.length, noticesFromOneMax);
  });

  test("[LM6] from before the limits do not slow down a replay", () => {
    const { directory, now } = phoned();
    for (let duel = 1; duel <= 20_000; duel++) {
      const ofDuel = { duel, players: ["bob", "chat_1"], names: ["bob", "Ann"] };
      const opened = { type: "duel-opened", ...ofDuel, lapsesAt: now };
      const dropped = { type: "duel-dropped", ...ofDuel, reason: "withdrawn", by: 0 };
      for (const event of [opened, dropped] as unknown as DirectoryEvent[])
        directoryDecider.evolve(directory, event, millis(now), duel);
    }
    assert.equal(directory!.sent.bySender.get("bob")!.length, noticesFromOneMax);
  });

  test("[LM6] are fewer where each message costs money", () => {
    const names = Array.from({ length: 30 }, (_, nth) => `p${nth}`);
    const stage = phoned(...names);
    for (const name of names) stage.do(challenge(name, "ann", "rock"));
    assert.equal(rings(stage), noticesBySmsMax);
    assert.match(stage.told("sms/1").at(-1)!, enough);
  });

  test("[LM6][LG5] are still counted after a restart", () => {
    const stage = phoned();
    for (let nth = 1; nth <= noticesOfPairMax; nth++) {
      stage.do(challenge("bob", "ann"));
      stage.do(drop("bob", nth));
    }
    const saved = throughBytes(directoryDecider.snapshots.save(stage.directory!));
    stage.directory = directoryDecider.snapshots.restore(saved);
    stage.do(challenge("bob", "ann"));
    assert.equal(rings(stage), noticesOfPairMax);
  });
});

describe("a cancelled challenge", () => {
  test("[CH4] does not notify a person challenged on a channel who has not thrown", () => {
    const stage = new DirectoryStage().named("bob");
    stage.says(sms("+491"), "nick Ann");
    stage.do(challenge("bob", "ann", "rock"));
    stage.do(drop("bob", 1));
    stage.do(challenge("bob", "ann", "rock"));
    stage.at(stage.now + 7 * 24 * noticesMs);
    stage.do(challenge("bob", "ann", "rock"));
    stage.do(quit("bob"));
    const lines = stage.told("sms/1");
    assert.equal(lines.length, 3);
    for (const line of lines) assert.match(line, /^bob challenges you/);
    assert.deepEqual(stage.told("conversation/bob"), [
      "Your duel with Ann was open for a week and has expired.",
    ]);
  });

  test("[CH4] notifies people who have thrown, the opener, and people on our own pages", () => {
    const stage = new DirectoryStage().named("bob");
    stage.says(sms("+491"), "nick Ann");
    stage.do(challenge("bob", "ann"));
    stage.says(sms("+491"), "throw rock @bob");
    stage.do(drop("bob", 1));
    assert.equal(stage.told("sms/1").at(-1), "bob has withdrawn the challenge.");
    stage.says(sms("+491"), "throw rock @bob");
    stage.do(drop("bob", 2));
    assert.equal(stage.told("sms/1").at(-1), "bob does not want to duel.");
    stage.says(sms("+491"), "throw rock @bob");
    stage.says(sms("+491"), "withdraw @bob");
    assert.equal(stage.told("conversation/bob").at(-1), "Ann has withdrawn the challenge.");
  });
});
