import { isDeepStrictEqual } from "node:util";
import type { DirectoryEvent, LadderEvent } from "@openseat/kernel";
import type { Entry, Log, Outgoing, Sending, StreamName } from "@openseat/server";
import type { Ledger } from "../ledger.ts";
import { type Event, isKind, kindOf } from "../requests.ts";
import { must } from "../rule.ts";
import type { Note } from "../sim-log.ts";
import type { Life } from "../world.ts";
import { budgetIn } from "./budget.ts";
import { type Directory, emptyDirectory } from "./directory.ts";
import { checkEffects, effectsOf, effectsOfLadder } from "./effects.ts";
import { checkReceived } from "./received.ts";
import { checkNoAddress } from "./secrets.ts";

interface Letter {
  readonly item: Outgoing;
  /** Whether a person has read it, or the target stream has received it. */
  isThere: boolean;
  /** A dead letter that an operator resent. It is no longer ordered with the same sender's other messages. */
  readonly isResent: boolean;
}

/** Messages with the same route, oldest first. */
interface Way {
  /** Messages not yet marked as delivered. */
  readonly waiting: Letter[];
  /** What each process told the senders about attempts for the first message. */
  readonly tried: Map<Life, { readonly failures: number; readonly last: Sending }>;
}

/** Duplicates are allowed for this long after a disturbance, because an interrupted sender may still be at work. */
const repetitionMs = 60_000;

/** CH7: failures in a row before a message becomes a dead letter. */
const triesMax = 20;

/**
 * CH7, LD12: checks effects of entries against the log and against what people received. Messages to streams arrive
 * exactly once, in the sender's order. Messages to people arrive at least once and in order, or become dead
 * letters.
 */
export class Post {
  readonly #ledger: Ledger;
  readonly #ways = new Map<string, Way>();
  readonly #byNumber = new Map<number, Way>();
  readonly #setAside = new Map<number, Outgoing>();
  /** Every address that a conversation ever had, by conversation (`pager/3`). */
  readonly #places = new Map<string, Set<string>>();
  /** Outbox numbers seen so far. A number taken earlier by another node may appear later. */
  readonly #seen = new Set<number>();
  #unread: Outgoing[] = [];
  /** The last fault of a server, its store or a channel. */
  #disturbedAtMs = Number.NEGATIVE_INFINITY;
  /** What people read per conversation, without duplicates. */
  readonly read = new Map<StreamName, string[]>();
  /** Messages delivered, delivered again, set aside as dead letters, and resent. */
  readonly counts = { sent: 0, sentAgain: 0, setAside: 0, resent: 0 };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The entries of a stream after version `before` have become durable, with what they cause. */
  async written(store: Log, stream: StreamName, before: number): Promise<void> {
    const kind = kindOf(stream);
    if (kind === "game" || kind === "queue") return;
    this.#receive(stream, before);
    for (const item of await store.outbox(0, Number.POSITIVE_INFINITY)) {
      if (!this.#seen.has(item.number)) this.#unread.push(item);
      this.#seen.add(item.number);
    }
    const own = this.#unread.filter(({ from }) => from === stream);
    this.#unread = this.#unread.filter(({ from }) => from !== stream);
    // deliveries.ts checks what arenas send.
    if (kind !== "directory" && kind !== "ladder") return;
    const { rooms, entries } = this.#ledger.history(stream);
    for (const entry of entries.slice(before)) {
      const { version } = entry;
      const stored = own.filter((item) => item.version === version);
      if (kind === "directory") {
        this.#notePlaces(entry as Entry<DirectoryEvent>);
        const expected = effectsOf(rooms[version], entry as Entry<DirectoryEvent>);
        checkEffects(version, stored, expected, rooms[version]);
      } else checkEffects(version, stored, effectsOfLadder(entry as Entry<LadderEvent>));
    }
    for (const item of own) this.#send(item);
  }

  #notePlaces({ events }: Entry<DirectoryEvent>): void {
    for (const event of events) {
      if (event.type !== "met" && event.type !== "moved") continue;
      const { conversations } = this.#directory;
      const channel =
        event.type === "met"
          ? event.channel
          : conversations.find(({ number }) => number === event.conversation)?.channel;
      const name = `${channel}/${event.conversation}`;
      this.#places.set(name, new Set([...(this.#places.get(name) ?? []), event.place]));
    }
  }

  get #directory(): Directory {
    return this.#ledger.history("directory/main").rooms.at(-1) ?? emptyDirectory;
  }

  #send(item: Outgoing, isResent = false): void {
    const { from, to, number } = item;
    const name = wayOf(from, to);
    const way: Way = this.#ways.get(name) ?? { waiting: [], tried: new Map() };
    this.#ways.set(name, way);
    this.#byNumber.set(number, way);
    way.waiting.push({ item, isThere: false, isResent });
  }

  /** Checks that these entries contain exactly the next messages from other streams. */
  #receive(stream: StreamName, before: number): void {
    const { entries, lines } = this.#ledger.history(stream);
    for (const entry of entries.slice(before)) {
      if (kindOf(stream) !== "directory") checkNoAddress(lines[entry.version - 1], stream);
      for (const event of entry.events) this.#checkReceived(stream, entry, event);
    }
  }

  #checkReceived(stream: StreamName, entry: Entry<Event>, event: Event): void {
    if (event.type === "said") {
      const lines = this.#take(event.from, stream, event.version).flatMap(linesOf);
      const isSame = isDeepStrictEqual(event.lines, lines);
      must(isSame, "CH7", `${stream} received wrong lines: ${JSON.stringify(event.lines)}`);
    } else if (event.type === "passed") {
      const before: Directory = this.#ledger.history(stream).rooms[entry.version - 1] ?? emptyDirectory;
      const mayNotify = budgetIn({ ...before, at: entry.at });
      const notices = this.#take(event.from, stream, event.version)
        .filter(({ body }) => mayNotify(body.by as string | undefined, body.tell as string))
        .map(noticeOf);
      const isSame = isDeepStrictEqual(event.notices, notices);
      must(isSame, "CH7", `${JSON.stringify(event.notices)} was passed on wrongly`);
    } else if (event.type === "received" && kindOf(event.from as StreamName) === "directory") {
      const items = this.#take(event.from, stream, event.version);
      const { rooms } = this.#ledger.history(stream);
      checkReceived(rooms[entry.version - 1], rooms[entry.version], entry as Entry<LadderEvent>, items);
    }
  }

  /** Takes the messages waiting for this stream, up to a version of their sender. */
  #take(from: string, to: StreamName, version: number): Outgoing[] {
    const letters = (this.#ways.get(wayOf(from, to))?.waiting ?? []).filter(({ isThere }) => !isThere);
    const next = letters.filter(({ item }) => item.from === from && item.version <= version);
    const left = letters.filter((letter) => !next.includes(letter));
    const isInOrder = next.every((letter) => mayGoBefore(letter, left, letters));
    must(isInOrder, "CH7", `a message from ${from} to ${to} overtook an earlier one`);
    for (const letter of next) letter.isThere = true;
    return next.map(({ item }) => item);
  }

  /** A fault lasts until this time. */
  disturbed(untilMs: number): void {
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, untilMs);
  }

  /** A person reads a message. It must be the next one of this conversation, or a duplicate. */
  arrived(to: StreamName, place: string, text: string, life: Life): void {
    const waiting = this.#ways.get(to)?.waiting ?? [];
    const letter = waiting.find(
      (each) => each.item.body.text === text && mayGoBefore(each, waiting, waiting),
    );
    // A process that was frozen or cut off finishes its old work; other nodes may be further by then.
    const setAside = [...this.#setAside.values()].filter((item) => item.to === to);
    const past = [...(this.read.get(to) ?? []), ...setAside.map(({ body }) => body.text)];
    const isLate = !letter && past.includes(text);
    must(letter !== undefined || isLate, "CH7", `${to} was sent a message out of order: ${text}`);
    must(this.#places.get(to)?.has(place) === true, "CH6", `a message for ${to} was sent to ${place}`);
    this.counts.sent++;
    if (!letter || letter.isThere) {
      const isExcused = life.world.elapsedMs - this.#disturbedAtMs < repetitionMs;
      must(isExcused, "CH7", `${to} was sent a duplicate without any fault: ${text}`);
      this.counts.sentAgain++;
      return;
    }
    this.read.set(to, [...(this.read.get(to) ?? []), text]);
    letter.isThere = true;
  }

  /** A sender reported the result of an attempt. */
  tried(to: string, last: Sending, life: Life): void {
    const way = this.#ways.get(to);
    const failures = (way?.tried.get(life)?.failures ?? 0) + Number(last !== "sent");
    way?.tried.set(life, { last, failures });
  }

  /** The store has recorded the outcome of a message. */
  noted(note: Note): void {
    if (note.type === "resent") {
      if (note.item) this.#resent(note.number, note.item);
      return;
    }
    for (const number of note.numbers) {
      // An operator discarded the dead letter.
      if (note.type === "delivered") this.#setAside.delete(number);
      const way = this.#byNumber.get(number);
      const index = way?.waiting.findIndex(({ item }) => item.number === number) ?? -1;
      // Recorded before, but the answer was lost.
      if (!way || index < 0) continue;
      const letter = way.waiting[index];
      tellApart(letter, way.waiting);
      const { item, isThere } = letter;
      const rule = kindOf(item.to) === "ladder" ? "LD12" : "CH7";
      const words = `the message from ${item.from}#${item.version} to ${item.to} was`;
      const isNext = isKind(kindOf(item.to)) || mayGoBefore(letter, way.waiting, way.waiting);
      must(isNext, rule, `${words} marked as delivered before an earlier one`);
      if (note.type === "delivered") must(isThere, rule, `${words} marked as delivered before it arrived`);
      else this.#checkSetAside(item, note.reason, way, `${words} set aside`);
      way.waiting.splice(index, 1);
      way.tried.clear();
      if (note.type === "delivered") continue;
      this.counts.setAside++;
      this.#setAside.set(number, item);
    }
  }

  #checkSetAside({ to }: Outgoing, reason: string, { tried }: Way, words: string): void {
    must(!isKind(kindOf(to)), kindOf(to) === "ladder" ? "LD12" : "CH7", `${words}: ${reason}`);
    must(reason !== "", "CH7", `${words} without a reason`);
    const isForGood = [...tried.values()].some(({ last }) => typeof last === "object" && "failure" in last);
    const failures = Math.max(0, ...[...tried.values()].map((each) => each.failures));
    must(isForGood || failures >= triesMax, "CH7", `${words} after ${failures} tries: ${reason}`);
  }

  #resent(number: number, item: Outgoing): void {
    must(this.#setAside.delete(number), "CH7", `${number} was resent but was not a dead letter`);
    this.counts.resent++;
    this.#seen.add(item.number);
    this.#send(item, true);
  }

  /** Whether no message is under way. */
  get isQuiet(): boolean {
    return [...this.#ways.values()].every(({ waiting }) => waiting.length === 0);
  }

  /** At the end, only dead letters are left. */
  checkAll(): void {
    for (const [name, { waiting }] of this.#ways) {
      const rule = name.includes(" ladder/") ? "LD12" : "CH7";
      must(
        waiting.length === 0,
        rule,
        `${waiting.length} messages are still undelivered on the route ${name}`,
      );
    }
  }
}

/**
 * Whether a letter may overtake the others. Letters of one sender stay in order. For two senders with overlapping
 * transactions, the outbox number decides.
 */
function mayGoBefore(letter: Letter, others: readonly Letter[], order: readonly Letter[]): boolean {
  const { from, number } = letter.item;
  return others
    .filter((other) => order.indexOf(other) < order.indexOf(letter))
    .every(({ item, isResent }) => (item.from !== from || isResent) && item.number > number);
}

/** People read messages in global order. Streams only keep the order per sender. */
function wayOf(from: string, to: StreamName): string {
  const kind = kindOf(to);
  return isKind(kind) && kind !== "conversation" ? `${from} ${to}` : to;
}

function linesOf({ body }: Outgoing): object[] {
  const reply = { by: "openseat", text: body.text };
  return "said" in body ? [{ by: "you", text: body.said }, reply] : [reply];
}

function noticeOf({ body }: Outgoing): object {
  return { person: body.tell, text: body.text, by: body.by };
}

/** Two senders may send the same text. Only the outcome recorded in the store shows which one was read. */
function tellApart(letter: Letter, waiting: readonly Letter[]): void {
  const twin = waiting.find(
    (each) => each !== letter && each.isThere && each.item.body.text === letter.item.body.text,
  );
  if (letter.isThere || !twin) return;
  letter.isThere = true;
  twin.isThere = false;
}
