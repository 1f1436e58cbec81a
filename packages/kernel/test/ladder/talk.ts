import assert from "node:assert/strict";
import { type LadderCommand, type LadderEvent, ladderDecider } from "@openseat/kernel";
import { person } from "../room-stage.ts";
import { LadderStage, type StageTerms } from "./stage.ts";

type Discuss = Extract<LadderCommand, { type: "discuss" }>;
export type Question = Discuss["question"];

/** A person whose id differs from their nickname. */
export const named = (name: string) => ({ person: person(`chat_${name.toLowerCase()}`), name });

export const discuss = (
  by: string | null,
  question: Question,
  to: string | null = "telegram/7",
  heardAt = 1,
): Discuss => ({
  type: "discuss",
  question,
  asker: by === null ? null : named(by),
  said: question.type,
  heardAt,
  to,
});

/** `Ann 3-1 Bob` */
export function match(text: string): Question {
  const [first, scores, second] = text.split(" ");
  const [a, b] = scores.split("-").map(Number);
  return { type: "match", players: [named(first), named(second)], scores: [a, b] };
}
export const about = (type: "rating" | "history", name: string): Question => ({ type, of: named(name) });

/** The outcome of one message: its events, the reply, and what another person is told. */
export interface Talk {
  readonly happened: readonly LadderEvent[];
  readonly reply: string;
  readonly tells: { readonly person: string; readonly text: string } | undefined;
}

/** A ladder that is used by chat. */
export class TalkStage extends LadderStage {
  constructor(terms: StageTerms = {}, ...names: string[]) {
    super(terms);
    for (const name of names) this.talk(name, { type: "register" });
  }

  talk(by: string | null, question: Question): Talk {
    const events = this.do(discuss(by, question));
    const last = events.at(-1)!;
    if (last.type !== "answered") assert.fail("the message was not answered");
    const tells = last.tells && { person: last.tells.person, text: last.tells.text };
    assert.deepEqual(ladderDecider.effects!(this.ladder, events), [
      { to: "telegram/7", body: { said: question.type, text: last.reply } },
      ...(last.tells
        ? [
            {
              to: "directory/main",
              body: { tell: last.tells.person, text: last.tells.text, by: last.tells.by },
            },
          ]
        : []),
    ]);
    if (last.tells) assert.equal(last.tells.by, named(by!).person, "LM6: by whose doing somebody is told");
    for (const text of [last.reply, last.tells?.text ?? ""]) assert.doesNotMatch(text, /chat_|undefined|NaN/);
    return { happened: events.slice(0, -1), reply: last.reply, tells };
  }

  /** Expects this reply and no change to the ladder. */
  onlySays(by: string | null, question: Question, reply: string | RegExp): void {
    const before = structuredClone(ladderDecider.snapshots.save(this.ladder));
    const talk = this.talk(by, question);
    assert.deepEqual([talk.happened, talk.tells], [[], undefined], JSON.stringify(question));
    if (typeof reply === "string") assert.equal(talk.reply, reply);
    else assert.match(talk.reply, reply);
    assert.deepEqual(ladderDecider.snapshots.save(this.ladder), before, "words changed something");
  }

  /** The types of the events. */
  types(by: string, question: Question): string[] {
    return this.talk(by, question).happened.map(({ type }) => type);
  }
}
