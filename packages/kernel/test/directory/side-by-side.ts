import assert from "node:assert/strict";
import {
  type Directory,
  directoryDecider,
  directoryLimits,
  duelLimits,
  duelsOf,
  type FinishedDuel,
  folded,
} from "@openseat/kernel";
import { throughBytes } from "../queue-stage.ts";
import { millis, person, withLimits } from "../room-stage.ts";
import { HearingModel } from "./hearing-model.ts";
import { kindOf, sentBy } from "./kinds.ts";
import type { Expected } from "./model.ts";
import { type Asked, randomStep, type Step } from "./script.ts";
import { DirectoryStage, type Outcome, replayed } from "./stage.ts";

const { decide, nextDue, restore, save, tick } = directoryDecider;

/** All that was asked in any run, and what came of it. */
export const met = new Set<string>();

/** A stage and a model that do the same at the same times; and a directory that is saved and restored at every step. */
class SideBySide {
  readonly stage = new DirectoryStage();
  readonly model = new HearingModel();
  #other: Directory | undefined;

  /** What is due by then happens first, late or not. */
  goOn(passesMs: number): void {
    this.stage.now += passesMs;
    for (;;) {
      const due = this.stage.directory && nextDue(this.stage.directory);
      assert.equal(due, this.model.due, "when something is due");
      if (due === undefined || due > this.stage.now) return;
      this.do({ command: tick });
    }
  }

  do(asked: Asked): void {
    const { stage, model } = this;
    const { command } = asked;
    const decision = decide(stage.directory, command, millis(stage.now));
    const restored = decide(this.#other, command, millis(stage.now));
    assertAlike(restored, decision);
    const expected = model.do(asked, stage.now);
    if ("refusal" in decision) {
      met.add(`${command.type}: ${decision.refusal.code}`);
      assert.equal(decision.refusal.code, expected.refused, JSON.stringify(command));
    } else {
      assert.equal(expected.refused, undefined, JSON.stringify(command));
      this.#compare(stage.write(decision.events), expected, command.type);
    }
    this.#assertSame();
    this.#assertSaved();
  }

  #compare({ events, effects }: Outcome, { reply, asked, sent }: Expected, type: string): void {
    const last = events.at(-1);
    assert.equal(last?.type === "answered" ? kindOf(last.reply) : undefined, reply);
    const question =
      last?.type === "asked"
        ? { asker: last.asker, ladder: last.ladder, question: last.question }
        : undefined;
    assert.deepEqual(question, asked);
    assert.deepEqual(sentBy(effects), sent);
    const streams = effects.map(({ to }) => to).filter((to) => !/^(?:telegram|sms)\//.test(to));
    assert.equal(new Set(streams).size, streams.length, "a stream is sent two things by one entry");
    const what = reply
      ?.replace(/ of .+ (?=draw|won|lost)| (?:by|for|was) .+?(?= rated|$)/, "")
      .split(/[ ,]/)[0];
    met.add(`${type}: ${what ?? (last?.type === "asked" ? `asked ${last.question.type}` : "done")}`);
    for (const event of events)
      met.add(`event: ${event.type} ${"reason" in event ? event.reason : ""}`.trim());
    for (const line of sent) {
      if (/ told .*enough$/.test(line)) met.add("told: enough");
      if (/ told .*: /.test(line)) met.add("told: where others read along");
    }
    for (const { to, body } of effects)
      if (to.startsWith("ladder/")) met.add(`a ladder is told: ${Object.keys(body)[0]}`);
  }

  #assertSame(): void {
    const { directory } = this.stage;
    const { model } = this;
    if (!directory) return;
    const { people, nicknames, conversations, heard, notices, sent, peopleMet, conversationsMet } = directory;
    assertAlike(
      Array.from(people, ([id, { nickname, account, home, ladders, namedAt, usedAt, hasPlayed }]) => ({
        ...{ id, nickname, account, home, ladders, namedAt, usedAt, hasPlayed },
      })),
      model.people.map(({ id, name, channel, sender, home, ladders, namedAt, usedAt, hasPlayed }) => ({
        ...{ id, nickname: name, account: channel === null ? null : `${channel} ${sender}` },
        ...{ home, ladders, namedAt, usedAt, hasPlayed },
      })),
    );
    for (const [id, { nickname, fold }] of people) {
      assert.equal(fold, folded(nickname));
      assert.equal(nicknames.get(fold), id);
    }
    assert.equal(nicknames.size, people.size, "names unique");
    assertAlike(
      Array.from(conversations, ([number, conversation]) => ({ number, ...conversation })),
      model.places.map(({ number, channel, place, title, ladder, forgetAt }) => ({
        ...{ number, channel, place, title, ladder, forgetAt },
      })),
    );
    assertAlike(Object.fromEntries(heard), model.heard);
    assertAlike(Object.fromEntries(notices), model.notices);
    const senders = Array.from(sent.bySender, ([by, told]) => told.map((to) => `${by} ${to}`)).flat();
    assertAlike(
      [...senders].sort(),
      model.told
        .filter(({ hour }) => hour === sent.hour)
        .map(({ by, to }) => `${by} ${to}`)
        .sort(),
    );
    assertAlike([peopleMet, conversationsMet], [model.met, model.conversations]);
    this.#assertSameDuels(directory);
  }

  #assertSameDuels(directory: Directory): void {
    const { model } = this;
    assertAlike(
      Array.from(directory.duels.allOpen, ({ openedAt: _, ...duel }) => duel),
      model.open.map(({ names: _, end: __, ...duel }) => duel),
    );
    for (const { id } of model.people) {
      const { open, finished } = duelsOf(directory, person(id));
      const own = ({ players }: { readonly players: readonly string[] }) => players.includes(id);
      assertAlike(
        open.map(({ duel }) => duel.number).reverse(),
        model.open.filter(own).map(({ number }) => number),
      );
      assertAlike(
        finished.map(({ duel }) => endOf(duel as FinishedDuel)).reverse(),
        model.over
          .filter(own)
          .slice(-20)
          .map(({ number, names, end }) => ({ number, names, end })),
      );
    }
  }

  /** LG5: through bytes, and from the log, it is the same. */
  #assertSaved(): void {
    const { stage } = this;
    if (!stage.directory) return;
    const now = viewOf(stage.directory);
    this.#other = restore(throughBytes(save(stage.directory)));
    assertAlike(viewOf(this.#other), now);
    if (stage.version % 5 === 0) assertAlike(viewOf(replayed(stage)!), now);
  }
}

/** As they would be written; tens of thousands of times, that is much quicker than to look through them. */
function assertAlike(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected);
}

function endOf({ number, names, end }: FinishedDuel) {
  const words = "dropped" in end ? end.dropped : `${end.hands.join(" ")} ${end.winner} ${end.ladder}`;
  return { number, names, end: words };
}

/** All that a directory knows, with what it looks things up by. */
function viewOf(directory: Directory) {
  const sorted = (index: ReadonlyMap<unknown, unknown>) => [...index].map(String).sort();
  const { nicknames, accounts, places, forgetting } = directory;
  return {
    saved: save(directory),
    indexes: [nicknames, accounts, places].map(sorted),
    forgetting: [...new Set(forgetting)].sort((one, other) => one - other),
    due: nextDue(directory),
    next: directory.duels.next,
  };
}

/** So few that all of them are reached, in one kind of scripts or the other. */
const roomFor = [
  { duels: {}, directory: {} },
  { duels: { openMax: 3, challengesToOneMax: 2 }, directory: { peopleMax: 5, conversationsMax: 4 } },
  { duels: { openedByOneMax: 1, challengesToOneMax: 3 }, directory: { peopleMax: 3, conversationsMax: 7 } },
];

/** Both do the script, and are the same after every step. In most of the scripts there is little room. */
export function playBoth(steps: readonly Step[], kind: number): void {
  const play = () => {
    const both = new SideBySide();
    for (const { choice, passesMs } of steps) {
      both.goOn(passesMs);
      both.do(randomStep(both.stage, choice));
    }
  };
  const { duels, directory } = roomFor[kind];
  withLimits(duelLimits, duels, () => withLimits(directoryLimits, directory, play));
}
