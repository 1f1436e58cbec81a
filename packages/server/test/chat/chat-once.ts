import assert from "node:assert/strict";
import type { ConversationEvent, DirectoryEvent, LadderEvent } from "@openseat/kernel";
import type { Entry } from "../../src/log/entry.ts";
import { LadderModel } from "./chat-ladder-model.ts";
import { type Expected, fits, type Question, type RatedDuel, TalkModel } from "./chat-model.ts";
import type { Message } from "./chat-script.ts";

/** All that the log holds of a conversation. */
export interface Written {
  readonly directory: readonly Entry<DirectoryEvent>[];
  readonly ladder: readonly Entry<LadderEvent>[];
  /** By person. */
  readonly conversations: ReadonlyMap<string, readonly Entry<ConversationEvent>[]>;
}

/** What was said, by whom, and what each delivery of it was answered. */
interface Said {
  readonly message: Message;
  readonly person: string;
  readonly reply: string;
}

type EventOf<Type extends LadderEvent["type"]> = Extract<LadderEvent, { readonly type: Type }>;

/**
 * CH1, CH2: goes through the log in the order in which things were decided, and has two plain models do each message
 * once. What was answered, and what everybody was told, has to be what follows.
 */
export class Once {
  readonly talk = new TalkModel();
  readonly ladder = new LadderModel();
  readonly #said: ReadonlyMap<string, Said>;
  readonly #heard = new Set<string>();
  readonly #questions = new Map<string, Question>();
  /** Duels that count, by the version of the entry that ended each. */
  readonly #duels: { readonly version: number; readonly duel: RatedDuel }[] = [];
  /** By person and stream: what they said and were told, in the order of that stream. */
  readonly #lines = new Map<string, Expected[]>();
  /** What the ladder tells those who did not ask, and what the directory has passed on of it. */
  readonly #tells: { readonly person: string; readonly text: Expected }[] = [];
  readonly #passed: { readonly person: string; readonly text: string }[] = [];
  readonly #persons = new Map<number, string>();

  constructor(said: ReadonlyMap<string, Said>) {
    this.#said = said;
  }

  assertAsWritten({ directory, ladder, conversations }: Written): void {
    for (const entry of directory) this.#hear(entry);
    assert.equal(this.#heard.size, this.#said.size, "every message is in the log, once");
    for (const entry of ladder) this.#discuss(entry);
    assert.equal(this.#questions.size, 0, "every question to the ladder was answered");
    assert.equal(this.#duels.length, 0, "every duel that counts has reached the ladder");
    assert.equal(this.#passed.length, this.#tells.length, "as much was passed on as the ladder tells");
    for (const [index, { person, text }] of this.#tells.entries()) {
      assert.equal(this.#passed[index].person, person);
      this.#assertFits(text, this.#passed[index].text, `told to ${person}`);
    }
    for (const [person, entries] of conversations) this.#assertTold(person, entries);
    assertOneEndEach(directory, this.talk);
  }

  /** Whose message an entry is, if it is one. */
  #saidIn(entry: Entry): Said | undefined {
    if (!entry.key?.startsWith("web ")) return undefined;
    const [, person, id] = entry.key.split(" ");
    const said = this.#said.get(id);
    assert.equal(said?.person, person, entry.key);
    return said;
  }

  #hear(entry: Entry<DirectoryEvent>): void {
    for (const event of entry.events) if (event.type === "passed") this.#pass(event.notices);
    const said = this.#saidIn(entry);
    if (said === undefined) return;
    const { message, person, reply } = said;
    assert.ok(!this.#heard.has(message.id), `${message.id} is in the log twice`);
    this.#heard.add(message.id);
    const rated = this.talk.rated.length;
    const expected = this.talk.hear(person, message);
    const last = entry.events[entry.events.length - 1];
    const isAnswer = typeof expected === "string" || expected instanceof RegExp;
    assert.equal(last.type, isAnswer ? "answered" : "asked", `${message.id} (${message.text}): ${reply}`);
    if (isAnswer) this.#answer("directory/main", said, expected);
    else this.#questions.set(message.id, expected);
    for (const duel of this.talk.rated.slice(rated)) this.#duels.push({ version: entry.version, duel });
    this.#takeTold();
  }

  #pass(notices: readonly { readonly person: string; readonly text: string }[]): void {
    this.#passed.push(...notices);
    for (const [person, some] of Map.groupBy(notices, (notice) => notice.person))
      this.talk.tell(person, some.map(({ text }) => text).join("\n"));
    this.#takeTold();
  }

  #takeTold(): void {
    for (const [person, texts] of this.talk.told) this.#note("directory/main", person, texts);
    this.talk.told.clear();
  }

  #answer(stream: string, { message, person, reply }: Said, expected: Expected): void {
    this.#assertFits(expected, reply, `${message.id} (${message.text})`);
    this.#note(stream, person, [message.text, reply]);
  }

  #note(stream: string, person: string, texts: readonly Expected[]): void {
    const key = `${stream} ${person}`;
    this.#lines.set(key, [...(this.#lines.get(key) ?? []), ...texts]);
  }

  #discuss(entry: Entry<LadderEvent>): void {
    for (const event of entry.events)
      if (event.type === "enrolled") this.#persons.set(event.player, event.person);
    const said = this.#saidIn(entry);
    if (said === undefined) {
      for (const event of entry.events) this.#receive(event);
      return;
    }
    const question = this.#questions.get(said.message.id);
    assert.ok(
      question,
      `${said.message.id} (${said.message.text}) came to the ladder twice, or never should have`,
    );
    this.#questions.delete(said.message.id);
    const { reply, tells } = this.ladder.answer(question);
    this.#answer("ladder/chat", said, reply);
    if (tells) this.#tells.push(tells);
  }

  /** What came from the directory: who is there is taken as it is told, what counts is not. */
  #receive(event: LadderEvent): void {
    if (event.type === "enrolled" || event.type === "returned") this.ladder.enrol(this.#personOf(event));
    if (event.type === "left") this.ladder.leave(this.#personOf(event));
    if (event.type !== "counted") return;
    const next = this.#duels.shift();
    assert.equal(event.origin, `directory/main#${next?.version}`, "each duel once, in their order");
    this.ladder.duel(next!.duel);
  }

  #personOf({ player }: EventOf<"enrolled" | "returned" | "left">): string {
    return this.#persons.get(player)!;
  }

  /** CH7: nothing that was to be said to them is missing, and nothing was said twice. */
  #assertTold(person: string, entries: readonly Entry<ConversationEvent>[]): void {
    const events = entries.flatMap((entry) => entry.events);
    for (const stream of ["directory/main", "ladder/chat"]) {
      const lines = events.filter(({ from }) => from === stream).flatMap((event) => event.lines);
      const expected = this.#lines.get(`${stream} ${person}`) ?? [];
      for (const [index, { text }] of lines.entries())
        this.#assertFits(expected[index] ?? "(nothing)", text, `line ${index} to ${person} from ${stream}`);
      assert.equal(lines.length, expected.length, `what ${person} was told by ${stream}`);
    }
  }

  #assertFits(expected: Expected, actual: string, what: string): void {
    assert.ok(fits(expected, actual), `${what}: “${actual}” and not ${expected}`);
  }
}

/** CH4: no duel ends twice, and each of the two was told the same. */
function assertOneEndEach(directory: readonly Entry<DirectoryEvent>[], talk: TalkModel): void {
  const events = directory.flatMap((entry) => entry.events);
  const numbersOf = (...types: readonly DirectoryEvent["type"][]) =>
    events.flatMap((event) => ("duel" in event && types.includes(event.type) ? [event.duel] : []));
  const opened = numbersOf("duel-opened");
  const ends = numbersOf("duel-ended", "duel-dropped");
  assert.deepEqual(
    opened,
    opened.map((_, index) => index + 1),
    "numbered 1, 2, 3…",
  );
  assert.equal(new Set(ends).size, ends.length, "a duel ended twice");
  assert.equal(opened.length - ends.length, talk.open);
  assert.equal(numbersOf("duel-ended").length, talk.ended);
}
