import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { directoryDecider, directoryLimits } from "@openseat/kernel";
import { throughBytes } from "../queue-stage.ts";
import { person } from "../room-stage.ts";
import {
  challenge,
  DirectoryStage,
  drop,
  hear,
  pass,
  quit,
  telegram,
  textsTo,
  throwIn,
  web,
} from "./stage.ts";

const { noticesMax, noticesMs } = directoryLimits;
const enough = /^More is happening than I tell you in an hour\. To see your duels, write: games\./;

/** Ann and Bob; and Ann has been told so many things by a ladder. */
function told(count: number): DirectoryStage {
  const stage = new DirectoryStage().named("ann", "bob");
  for (let version = 1; version <= count; version++)
    stage.do(pass("ladder/club", [[version, "ann", "note"]]));
  return stage;
}

const annHears = (stage: DirectoryStage) => stage.told("conversation/ann");

describe("what others do", () => {
  test("[CH4][CH7] is told to one person so many times an hour; the last one says so, and then it is quiet", () => {
    const stage = told(noticesMax + 10);
    const lines = annHears(stage);
    assert.equal(lines.length, noticesMax);
    assert.match(lines.at(-1)!, enough);
    assert.ok(lines.slice(0, -1).every((line) => line === "note"));
    // Each has their own.
    stage.do(pass("ladder/club", [[noticesMax + 11, "bob", "note"]]));
    assert.deepEqual(stage.told("conversation/bob"), ["note"]);
  });

  test("[CH7] counts one by one, also of many that come in one entry", () => {
    const stage = told(noticesMax - 3);
    const many = (from: number) =>
      Array.from({ length: 10 }, (_, nth) => [from + nth, "ann", `${nth}`] as const);
    const { effects } = stage.do(pass("ladder/club", many(noticesMax)));
    const lines = textsTo(effects, "conversation/ann");
    assert.deepEqual(lines.slice(0, -1), ["0", "1"]);
    assert.match(lines.at(-1)!, enough);
    assert.deepEqual(stage.do(pass("ladder/club", many(noticesMax + 10))).effects, []);
  });

  test("[CH4] is counted together: challenges, duels that are off, and what ladders have to tell", () => {
    const stage = told(noticesMax - 4);
    const heard = () => annHears(stage).slice(noticesMax - 4);
    stage.do(challenge("bob", "ann"));
    stage.do(drop("bob", 1));
    stage.do(challenge("ann", "bob"));
    assert.equal(heard().length, 2, "one's own challenge is no notice");
    stage.do(drop("bob", 2));
    stage.do(challenge("bob", "ann"));
    stage.do(drop("bob", 3));
    const lines = heard();
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

describe("whoever was told enough", () => {
  test("[CH4] still hears how their duels go, and what they ask for", () => {
    const stage = told(noticesMax + 1);
    const lines = () => annHears(stage).slice(noticesMax);
    assert.match(stage.says(web("ann"), "throw rock @bob"), /^You threw\./);
    stage.do(challenge("bob", "ann", "paper"));
    assert.equal(lines().at(-1), "You threw rock, bob threw paper: bob wins.");
    stage.do(challenge("ann", "bob"));
    stage.do(throwIn("bob", 2, "rock"));
    assert.match(lines().at(-1)!, /^bob has thrown\. Now it is for you\./);
    assert.equal(lines().length, 3);
  });

  test("[CH4] can still be challenged, and finds it in their list", () => {
    const stage = told(noticesMax + 1);
    stage.do(challenge("bob", "ann", "rock"));
    assert.equal(annHears(stage).length, noticesMax);
    assert.match(stage.says(web("ann"), "games"), /^bob: it is for you to throw\./);
  });

  test("[LG5] has been so after a restart, from a snapshot", () => {
    const stage = told(noticesMax - 1);
    stage.directory = directoryDecider.restore(throughBytes(directoryDecider.save(stage.directory!)));
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

  test("[CH6] is told so by name where others read along", () => {
    const stage = told(0);
    stage.do(hear(telegram("7", "-5"), "nick Cid"));
    const many = Array.from({ length: noticesMax }, (_, nth) => [nth + 1, "chat_1", "note"] as const);
    const { effects } = stage.do(pass("ladder/club", many));
    const lines = textsTo(effects, "telegram/1");
    assert.equal(lines.length, noticesMax);
    assert.equal(lines[0], "Cid: note");
    assert.match(lines.at(-1)!, /^Cid: More is happening/);
  });
});
