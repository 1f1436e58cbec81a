import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DirectoryEvent, directoryDecider } from "@openseat/kernel";
import fc from "fast-check";
import { throughBytes } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import { randomStep, type Step, script } from "./script.ts";
import { challenge, DirectoryStage, sms, telegram, throwIn } from "./stage.ts";

const { decide, listing, restore, save } = directoryDecider;

function run(stage: DirectoryStage, steps: readonly Step[]): void {
  for (const { choice, passesMs } of steps) {
    stage.at(stage.now + passesMs);
    const decision = decide(stage.directory, randomStep(stage, choice).command, millis(stage.now));
    if ("events" in decision && decision.events.length > 0) stage.write(decision.events);
  }
}

describe("a directory that is saved", () => {
  test("[LG5] stays as it was saved while it goes on, for it is written meanwhile", () => {
    const property = fc.property(script(60), script(60), (before, after) => {
      const stage = new DirectoryStage();
      stage.named("wa");
      run(stage, before);
      const saved = save(stage.directory!);
      const then = JSON.stringify(saved);
      run(stage, after);
      assert.equal(JSON.stringify(saved), then);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test("[LG5] and restored does not change what it was restored from, nor the one that was saved", () => {
    const property = fc.property(script(60), script(60), (before, after) => {
      const stage = new DirectoryStage();
      stage.named("wa");
      run(stage, before);
      const saved = save(stage.directory!);
      const then = JSON.stringify(saved);
      const other = new DirectoryStage();
      other.now = stage.now;
      other.directory = restore(saved);
      run(other, after);
      assert.equal(JSON.stringify(saved), then);
      assert.equal(JSON.stringify(save(stage.directory!)), then);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test("[LG5] finds everybody again: by name in any case, by account, by place, by duel", () => {
    const stage = new DirectoryStage().named("bob");
    stage.says(sms("+491"), "nick Straße");
    stage.says(telegram("7", "-5"), "nick Žižek");
    stage.says(sms("+491"), "throw rock @bob");
    stage.directory = restore(throughBytes(save(stage.directory!)));
    assert.match(stage.says(sms("+491"), "games"), /^bob: you threw rock/);
    assert.match(stage.says(telegram("8"), "nick STRASSE"), /is taken/);
    assert.match(stage.says(telegram("7", "-5"), "help"), /^You are Žižek\./);
    stage.refused(challenge("bob", "strasse"), "duel.exists");
    stage.do(throwIn("bob", 1, "paper"));
    assert.deepEqual(listing(stage.directory!), { status: "OPEN", summary: { people: 3, openDuels: 0 } });
  });

  test("[LG5] in another shape is not restored: the log has everything", () => {
    const saved = save(new DirectoryStage().named("ann").directory!);
    const older = { ...saved, head: { ...saved.head, shape: 2 } };
    assert.throws(() => restore(older), /^Error: Impossible: a snapshot/);
  });
});

test("[LG5] a log that does not hold together stops the work, instead of giving a name to two people", () => {
  const stage = () => {
    const made = new DirectoryStage().named("ann", "bob");
    made.do(challenge("ann", "bob", "rock"));
    return made;
  };
  const named = { type: "named", home: "conversation/x", account: null } as const;
  const ofDuel = { duel: 1, players: ["ann", "bob"], names: ["ann", "bob"] } as const;
  const impossible: [RegExp, object][] = [
    [/two people have one nickname/, { ...named, person: "cid", nickname: "BOB", fold: "bob", was: null }],
    [
      /had another name than was thought/,
      { ...named, person: "ann", nickname: "cid", fold: "cid", was: "dan" },
    ],
    [/who has no name/, { type: "homed", person: "cid", home: "telegram/1" }],
    [/who has no name/, { type: "registered", person: "cid", ladder: "club" }],
    [
      /forgotten who was not known/,
      { type: "forgotten", person: "cid", ladders: [], conversation: null, forgetAt: 1 },
    ],
    [
      /a conversation out of order/,
      { type: "met", conversation: 5, channel: "sms", place: "+1", title: null, forgetAt: null },
    ],
    [/that nobody has begun/, { type: "kept", conversation: 1, forgetAt: null }],
    [/two duels at once/, { type: "duel-opened", ...ofDuel, duel: 2, lapsesAt: 9 }],
    [/someone threw twice/, { type: "thrown", ...ofDuel, by: 0, hand: "rock", ladder: null }],
    [/both had thrown/, { type: "thrown", ...ofDuel, by: 1, hand: "rock", ladder: null }],
    [/not open/, { type: "thrown", ...ofDuel, duel: 7, by: 1, hand: "rock", ladder: null }],
    [/ended twice/, { type: "duel-dropped", ...ofDuel, duel: 7, reason: "declined", by: 1 }],
    [/a kind that this server does not know/, { type: "promoted", person: "ann" }],
  ];
  for (const [words, event] of impossible)
    assert.throws(() => stage().write([event as DirectoryEvent]), words, JSON.stringify(event));
});
