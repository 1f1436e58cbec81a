import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Directory,
  type DirectoryEvent,
  directoryDecider,
  directoryLimits,
  duelLimits,
} from "@openseat/kernel";
import fc from "fast-check";
import { throughBytes } from "../decider-stage.ts";
import { millis, withLimits } from "../room-stage.ts";
import { randomStep, type Step, script } from "./script.ts";
import { challenge, DirectoryStage, replayed, sms, telegram, throwIn } from "./stage.ts";

const { decide, listing, nextDue } = directoryDecider;
const { restore, save } = directoryDecider.snapshots;

function run(stage: DirectoryStage, steps: readonly Step[], after: () => void = () => {}): void {
  for (const { choice, passesMs } of steps) {
    stage.at(stage.now + passesMs);
    const decision = decide(stage.directory, randomStep(stage, choice).command, millis(stage.now));
    if ("refusal" in decision || decision.events.length === 0) continue;
    const { effects } = stage.write(decision.events);
    const streams = effects.map(({ to }) => to).filter((to) => !/^(?:telegram|sms)\//.test(to));
    assert.equal(new Set(streams).size, streams.length, "one entry sends two messages to one stream");
    after();
  }
}

/** The directory's state and its indexes. As text, because it is compared thousands of times. */
function viewOf(directory: Directory): string {
  const { nicknames, accounts, places, forgetting, people } = directory;
  for (const [id, { fold }] of people) assert.equal(nicknames.get(fold), id);
  assert.equal(nicknames.size, people.size, "names unique");
  const indexes = [nicknames, accounts, places].map((index) => [...index].map(String).sort());
  const due = [...new Set(forgetting)].sort((one, other) => one - other);
  return JSON.stringify([save(directory), indexes, due, nextDue(directory), directory.duels.next]);
}

/** Limits low enough for the scripts to reach each of them at least once. */
const roomFor = [
  { duels: {}, directory: {} },
  { duels: { openMax: 3, challengesToOneMax: 2 }, directory: { peopleMax: 5, conversationsMax: 4 } },
  { duels: { openedByOneMax: 1, challengesToOneMax: 3 }, directory: { peopleMax: 3, conversationsMax: 7 } },
];

describe("a directory that is saved", () => {
  test("[LG5][NM1] is the same when restored at any step or replayed, and behaves the same", () => {
    const property = fc.property(script(120), script(20), fc.nat(2), (steps, more, kind) => {
      const { duels, directory } = roomFor[kind];
      const play = () => {
        const stage = new DirectoryStage();
        run(stage, steps, () => {
          stage.directory = restore(throughBytes(save(stage.directory!)));
        });
        if (!stage.directory) return;
        const other = Object.assign(new DirectoryStage(), { now: stage.now, version: stage.version });
        other.directory = replayed(stage);
        assert.equal(viewOf(other.directory!), viewOf(stage.directory));
        for (const each of [stage, other]) run(each, more);
        assert.equal(viewOf(other.directory!), viewOf(stage.directory));
      };
      withLimits(duelLimits, duels, () => withLimits(directoryLimits, directory, play));
    });
    fc.assert(property, { numRuns: 100 });
  });

  test("[LG5] does not change while the directory or a restored one does", () => {
    const property = fc.property(script(60), script(60), (before, after) => {
      const stage = new DirectoryStage();
      stage.named("wa");
      run(stage, before);
      const saved = save(stage.directory!);
      const then = JSON.stringify(saved);
      const other = Object.assign(new DirectoryStage(), { now: stage.now });
      other.directory = restore(saved);
      run(other, after);
      assert.equal(JSON.stringify(save(stage.directory!)), then);
      run(stage, after);
      assert.equal(JSON.stringify(saved), then);
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

test("[LG5] an inconsistent log stops the server instead of giving a name to two people", () => {
  const stage = () => {
    const made = new DirectoryStage().named("ann", "bob");
    made.do(challenge("ann", "bob", "rock"));
    return made;
  };
  const named = { type: "named", home: "conversation/x", account: null } as const;
  const ofDuel = { duel: 1, players: ["ann", "bob"], names: ["ann", "bob"] } as const;
  const impossible: [RegExp, object][] = [
    [/two people have one nickname/, { ...named, person: "cid", nickname: "BOB", fold: "bob", was: null }],
    [/previous nickname is not/, { ...named, person: "ann", nickname: "cid", fold: "cid", was: "dan" }],
    [/a person without a nickname/, { type: "homed", person: "cid", home: "telegram/1" }],
    [/a person without a nickname/, { type: "registered", person: "cid", ladder: "club" }],
    [
      /unknown person was forgotten/,
      { type: "forgotten", person: "cid", ladders: [], conversation: null, forgetAt: 1 },
    ],
    [
      /a conversation out of order/,
      { type: "met", conversation: 5, channel: "sms", place: "+1", title: null, forgetAt: null },
    ],
    [/conversation that does not exist/, { type: "kept", conversation: 1, forgetAt: null }],
    [/two duels at once/, { type: "duel-opened", ...ofDuel, duel: 2, lapsesAt: 9 }],
    [/someone threw twice/, { type: "thrown", ...ofDuel, by: 0, hand: "rock", ladder: null }],
    [/with both throws/, { type: "thrown", ...ofDuel, by: 1, hand: "rock", ladder: null }],
    [/not open/, { type: "thrown", ...ofDuel, duel: 7, by: 1, hand: "rock", ladder: null }],
    [/ended twice/, { type: "duel-dropped", ...ofDuel, duel: 7, reason: "declined", by: 1 }],
    [/unknown type/, { type: "promoted", person: "ann" }],
  ];
  for (const [words, event] of impossible)
    assert.throws(() => stage().write([event as DirectoryEvent]), words, JSON.stringify(event));
});
