import { isDeepStrictEqual } from "node:util";
import type { DirectoryEvent, LadderEvent } from "@openseat/kernel";
import type { Entry, StreamName } from "@openseat/server";
import { type Asked, factsOf, isGivenUp } from "../ladder/discussion.ts";
import { type Ladder, playerCalled, presentCalled, statusOf, takesDuels } from "../ladder/ladder.ts";
import type { Ledger } from "../ledger.ts";
import { type Answer, idOf, kindOf } from "../requests.ts";
import { must, RuleBroken } from "../rule.ts";
import { areSame, commandIn, decided, ruleFor } from "./deciding.ts";
import {
  conversationAt,
  type Directory,
  emptyDirectory,
  forgottenFirst,
  isFullOfTalk,
  personKnown,
} from "./directory.ts";
import { bringerOf, isPoisoned, keyOf, type Message } from "./message.ts";
import {
  entryOfMessage,
  isAboutLadder,
  type LadderMeant,
  ladderMeant,
  type MessageEntry,
  speakerIn,
} from "./message-entry.ts";

export const theDirectory: StreamName = "directory/main";
/** The default ladder; groups derive their ladder names from it. */
export const usualLadder = "chat";
const groupLadder = /^pager-[A-Za-z0-9_-]{16}$/;
/** Stored length of a text. */
const keptCharacters = 500;

interface Known {
  readonly message: Message;
  /** The durable versions when the message first reached a server. */
  readonly versions: ReadonlyMap<StreamName, number>;
  /** How often a poisoned message had made the rules fail by then. */
  readonly poisonFailures: number;
  reply: string | undefined;
}

type Answered = Extract<DirectoryEvent, { readonly type: "answered" }>;

/** CH1, CH2: checks stored messages and replies against what people sent. */
export class Correspondence {
  readonly #ledger: Ledger;
  readonly #known = new Map<string, Known>();
  /** How often a poisoned message made the rules fail. */
  poisonFailures = 0;
  /** Answered deliveries of messages. */
  answered = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  arrived(message: Message): void {
    const key = keyOf(message);
    if (this.#known.has(key)) return;
    const versions = new Map(
      this.#ledger.streams.map((stream) => [stream, this.#ledger.history(stream).version]),
    );
    this.#known.set(key, { message, versions, poisonFailures: this.poisonFailures, reply: undefined });
  }

  /** CH1: every delivery of a message gets the same reply, which is the one in the log. */
  replied(message: Message, answer: Answer): void {
    const key = keyOf(message);
    if (answer.type === "refused") {
      const { code, retryable } = answer.refusal;
      const isFull = code === "directory.full" && this.#wasFull(message);
      must(retryable === true || isFull, "CH7", `message ${key} was refused permanently: ${code}`);
      return;
    }
    must(answer.type === "replied", "CH1", `message ${key}: answered with ${answer.type}`);
    this.answered++;
    const { reply } = answer;
    const known = this.#known.get(key)!;
    must(reply === (known.reply ?? reply), "CH1", `message ${key}: "${reply}" after "${known.reply}"`);
    known.reply = reply;
    const durable = this.#replyTo(message);
    must(durable !== undefined, "CH2", `message ${key}: "${reply}", but no entry contains it`);
    must(durable === reply, "CH1", `message ${key}: "${reply}", but the log has "${durable}"`);
  }

  /**
   * LM6: whether, at some time since the message arrived, there was no room for another conversation and none could
   * be evicted.
   */
  #wasFull(message: Message): boolean {
    const { channel, place } = message;
    const { rooms } = this.#ledger.history(theDirectory);
    const since = this.#known.get(keyOf(message))!.versions.get(theDirectory) ?? 0;
    return rooms.slice(since).some((directory: Directory | undefined) => {
      if (!directory || conversationAt(directory, channel, place)) return false;
      return isFullOfTalk(directory) && forgottenFirst(directory) === undefined;
    });
  }

  /** The reply in the log; undefined if there is none yet. */
  #replyTo(message: Message): string | undefined {
    const key = keyOf(message);
    const by = bringerOf(message);
    const last = this.#lastEvent(theDirectory, by, key) as DirectoryEvent | undefined;
    if (last?.type === "answered") return last.reply;
    if (last?.type !== "asked") return undefined;
    const asker = last.asker?.person ?? "@chat";
    const event = this.#lastEvent(`ladder/${last.ladder}`, asker, key) as LadderEvent | undefined;
    if (event?.type === "answered") return event.reply;
    return (this.#lastEvent(theDirectory, by, `${key} broken`) as Answered | undefined)?.reply;
  }

  #lastEvent(stream: StreamName, by: string, key: string) {
    const history = this.#ledger.history(stream);
    return history.keyed(by, key, history.version)?.events.at(-1);
  }

  /** The entries after version `before` have become durable. */
  written(stream: StreamName, before: number): void {
    const kind = kindOf(stream);
    if (kind !== "directory" && kind !== "ladder") return;
    for (const entry of this.#ledger.history(stream).entries.slice(before)) {
      if (kind === "ladder") this.#checkDiscussed(stream, entry as Entry<LadderEvent>);
      else if (entry.command === "hear") this.#checkReceived(entry as Entry<DirectoryEvent>);
      else this.#checkAsked(entry as Entry<DirectoryEvent>);
    }
  }

  #directoryBefore({ version, at }: Entry): Directory {
    const before: Directory | undefined = this.#ledger.history(theDirectory).rooms[version - 1];
    return { ...(before ?? emptyDirectory), at };
  }

  /** CH2: the effect of a message follows from its text, and is stored in the same entry as the reply. */
  #checkReceived(entry: Entry<DirectoryEvent>): void {
    const key = entry.key ?? "";
    const known = this.#known.get(key) ?? this.#known.get(key.replace(/ broken$/, ""));
    must(known !== undefined, "CH2", `an entry for message ${key}, which nobody sent`);
    const { message } = known;
    must(entry.by === bringerOf(message), "CH2", `message ${key} came from ${entry.by}`);
    const directory = this.#directoryBefore(entry);
    const last = entry.events.at(-1);
    if (last?.type === "answered" && last.reply.includes("went wrong")) {
      // Messages decided in the same commit as a poisoned one fail with it.
      const isExplained = isPoisoned(message) || this.poisonFailures > known.poisonFailures;
      must(isExplained, "CH7", `message ${key} was given up although it was valid`);
      checkEntry(entry, message, [entryOfMessage(directory, message, undefined, true)]);
      return;
    }
    must(!key.endsWith(" broken"), "CH2", `message ${key} was processed twice`);
    const meant = isAboutLadder(message) ? this.#laddersFor(known, entry) : [undefined];
    checkEntry(
      entry,
      message,
      meant.map((ladder) => entryOfMessage(directory, message, ladder)),
    );
  }

  /**
   * The ladder is looked up before the message is processed. Any state that it had since the message first arrived
   * is valid.
   */
  #laddersFor({ message, versions }: Known, { version, events }: Entry<DirectoryEvent>): LadderMeant[] {
    const { rooms } = this.#ledger.history(theDirectory);
    const last = events.at(-1);
    const ofGroup = last?.type === "asked" && groupLadder.test(last.ladder) ? last.ladder : "none";
    const usual = message.title === undefined ? usualLadder : ofGroup;
    const found = new Map<string, LadderMeant>();
    // The ladder of a group is only known after the lookup.
    if (ofGroup === "none" && message.title !== undefined)
      found.set("any", { id: "none", takesDuels: true, admits: true });
    for (let seen = versions.get(theDirectory) ?? 0; seen < version; seen++) {
      const directory: Directory = rooms[seen] ?? emptyDirectory;
      const meant = ladderMeant(directory, message);
      const id = meant === undefined ? usual : "named" in meant ? meant.named : meant.known;
      const speaker = speakerIn(directory, message)?.person ?? message.sender;
      for (const ladder of this.#statesOf(id, speaker, versions)) found.set(JSON.stringify(ladder), ladder);
      const mayBeMissing = meant !== undefined && "named" in meant && !versions.has(`ladder/${id}`);
      if (mayBeMissing) found.set("none", undefined);
    }
    return [...found.values()];
  }

  #statesOf(id: string, speaker: string, versions: Known["versions"]): LadderMeant[] {
    const stream: StreamName = `ladder/${id}`;
    const { rooms } = this.#ledger.history(stream);
    const states = rooms.slice(Math.max(1, versions.get(stream) ?? 0)) as Ladder[];
    return states.map((ladder) => {
      const isPlayer = presentCalled(ladder, speaker) !== undefined;
      const isBanned = playerCalled(ladder, speaker)?.banned === true;
      const isOpen = statusOf(ladder) === "OPEN" && !isBanned;
      return { id, takesDuels: takesDuels(ladder) && !isBanned, admits: isOpen || isPlayer };
    });
  }

  /** A command from the API or from the clock. */
  #checkAsked(entry: Entry<DirectoryEvent>): void {
    const command = commandIn(entry);
    if (command === undefined) return;
    const outcome = decided(this.#directoryBefore(entry), command);
    const expected = "events" in outcome ? outcome.events : [];
    const isSame = areSame(entry.events, expected);
    const words = `${JSON.stringify(entry.events)} instead of ${JSON.stringify(expected)}`;
    must(
      isSame,
      ruleFor(expected, entry.events),
      `${entry.command} of ${entry.by} had the wrong effect: ${words}`,
    );
  }

  /** CH2: a ladder answers exactly what the directory asked it, under the same key. */
  #checkDiscussed(stream: StreamName, entry: Entry<LadderEvent>): void {
    if (entry.command !== "discuss") return;
    const { key, by, version } = entry;
    const asked = this.#ledger.asked(key);
    const last = entry.events.at(-1);
    must(
      asked?.ladder === idOf(stream),
      "CH2",
      `${stream} was asked ${key}, which was meant for ${asked?.ladder}`,
    );
    must(last?.type === "answered", "CH2", `${stream} has not answered ${key}`);
    const isHis = by === (asked.asker?.person ?? "@chat") && last.said === asked.text && last.to === asked.to;
    must(isHis, "CH2", `${stream} answered ${key} for another person`);
    if (isGivenUp(entry)) {
      const known = this.#known.get(key ?? "");
      const isExplained = known && (isPoisoned(known.message) || this.poisonFailures > known.poisonFailures);
      must(isExplained === true, "CH7", `message ${key} was given up although it was valid`);
      return;
    }
    const { rooms } = this.#ledger.history(stream);
    const [event] = entry.events;
    const isNamed = !("name" in event) || this.#namesSince(asked).includes(event.name);
    must(isNamed, "CH2", `message ${key} enrolled a person under a wrong name`);
    for (const fact of factsOf(rooms[version], asked as Asked, entry.events))
      must(
        last.reply.includes(fact),
        "CH1",
        `${stream} has answered ${key} with "${last.reply}", no ${fact}`,
      );
  }

  /** The asker's name at the time of the question, and now. Much may happen between the two entries. */
  #namesSince({ asker }: Asked): readonly string[] {
    const { rooms } = this.#ledger.history(theDirectory);
    const known = rooms.map((room: Directory | undefined) => room && personKnown(room, asker?.person));
    return known.flatMap((person) => person?.nickname ?? []);
  }

  /** At the end, every answered message is in the directory once, and on at most one ladder. */
  checkAll(unanswered: readonly Message[]): void {
    const [first] = unanswered;
    must(first === undefined, "CH7", `message ${first && keyOf(first)} was never answered`);
    const ladders = this.#ledger.streams.filter((stream) => kindOf(stream) === "ladder");
    const entries = ladders.flatMap((stream) => this.#ledger.history(stream).entries);
    const counts = new Map<string, number>();
    for (const { key, command } of entries)
      if (command === "discuss") counts.set(key!, (counts.get(key!) ?? 0) + 1);
    for (const [key, { message, reply }] of this.#known) {
      const isThere = this.#lastEvent(theDirectory, bringerOf(message), key) !== undefined;
      must(reply === undefined || isThere, "CH2", `message ${key} was answered but is in no entry`);
      must((counts.get(key) ?? 0) <= 1, "CH2", `message ${key} is on ${counts.get(key)} ladders`);
    }
  }
}

/** Checks an entry against the allowed effects of a message. */
function checkEntry(
  { key, events }: Entry<DirectoryEvent>,
  message: Message,
  possible: readonly MessageEntry[],
): void {
  const last = events.at(-1)!;
  must(last.type === "answered" || last.type === "asked", "CH2", `message ${key} has no reply in its entry`);
  const { channel, text } = message;
  const kept = { channel, text: text.slice(0, keptCharacters) };
  must(
    last.channel === kept.channel && last.text === kept.text,
    "CH2",
    `message ${key} was recorded as "${last.text}" on ${last.channel}`,
  );
  const rest = events.slice(0, -1);
  const isIt = (expected: MessageEntry) => areSame(rest, expected.events) && isReply(last, expected);
  if (possible.some(isIt)) return;
  const [first] = possible;
  must(first !== undefined, "CH2", `message ${key} refers to a wrong ladder`);
  const isSame = possible.some((expected) => areSame(rest, expected.events));
  throw new RuleBroken(
    isSame ? (last.type === "asked" ? "CH2" : "CH1") : ruleFor(first.events, rest),
    `message ${key} "${text.slice(0, 40)}" resulted in ${JSON.stringify(events)} instead of ${JSON.stringify(first)}`,
  );
}

function isReply(
  last: Extract<DirectoryEvent, { type: "answered" | "asked" }>,
  expected: MessageEntry,
): boolean {
  if (last.person !== expected.person || last.to !== expected.to) return false;
  if (last.type === "answered")
    return (
      expected.facts !== undefined &&
      (last.reply === "") === (expected.isSilent === true) &&
      expected.facts.every((fact) => last.reply.includes(fact))
    );
  const { asker, ladder, question } = last;
  return isDeepStrictEqual(
    { asker, ladder, question },
    { asker: expected.asker, ladder: expected.ladder, question: expected.question },
  );
}
