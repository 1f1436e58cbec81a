import { isDeepStrictEqual } from "node:util";
import type {
  ArenaEvent,
  DirectoryEvent,
  GameEvent,
  LadderEvent,
  Millis,
  QueueEvent,
} from "@openseat/kernel";
import {
  type Append,
  decodeEntry,
  type Entry,
  firstHash,
  type Log,
  nextHash,
  type StreamName,
} from "@openseat/server";
import { arenaSpecification } from "./arena/answers.ts";
import { directorySpecification } from "./chat/answers.ts";
import { conversationSpecification } from "./chat/conversation.ts";
import { gameSpecification } from "./game/answers.ts";
import { ladderSpecification } from "./ladder/answers.ts";
import type { Asked } from "./ladder/discussion.ts";
import { returnedBy, silencedBy } from "./leases.ts";
import { queueSpecification } from "./queue/answers.ts";
import { type Event, type Kind, kindOf } from "./requests.ts";
import { must } from "./rule.ts";
import type { AnySpecification, OtherStreams } from "./specification.ts";

const specifications: Readonly<Record<Kind, AnySpecification>> = {
  game: gameSpecification,
  queue: queueSpecification,
  arena: arenaSpecification,
  ladder: ladderSpecification,
  directory: directorySpecification,
  conversation: conversationSpecification,
};

/** CK3: a stream ahead of the clock by less than this is woken at its own time. */
const aheadMsMin = 1_000;
/** CK3: a stream ahead of the clock runs a tenth slower. */
export const paceAhead = 0.9;

/** When to wake a stream whose newest entry is of `at` and was decided at `now`. */
function byClock(due: Millis | undefined, at: Millis, now: Millis | undefined): Millis | undefined {
  if (due === undefined || now === undefined || at - now < aheadMsMin) return due;
  return Math.min(due, now + Math.ceil((due - at) / paceAhead)) as Millis;
}

/** How much happened in a world. */
export interface Figures {
  /** In all streams; also queues, arenas, ladders and chat separately. */
  readonly entries: number;
  readonly queueEntries: number;
  readonly arenaEntries: number;
  readonly ladderEntries: number;
  readonly chatEntries: number;
  readonly admissions: number;
  /** Places that expired because of silence. */
  readonly silentEnds: number;
  /** Queue places that became away, and those that came back. */
  readonly absences: number;
  readonly returns: number;
  readonly matches: number;
  readonly moves: number;
  readonly draws: number;
  /** Matches ended by absence, by the clock and by a service. */
  readonly forfeits: number;
  readonly timeouts: number;
  readonly reports: number;
  readonly restartedClocks: number;
  /** Matches counted on ladders, and those from arenas and duels. */
  readonly ladderMatches: number;
  readonly deliveries: number;
  /** Voided matches, and matches that nobody confirmed. */
  readonly voids: number;
  readonly lapses: number;
  /** Messages received, nicknames taken, duels finished, and duels dropped. */
  readonly messages: number;
  readonly names: number;
  readonly duels: number;
  readonly duelsOff: number;
}

/** ID3: a key leads to the same entry for this long. After that the server may have forgotten it. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** One stream's durable entries, with the model's room after each. */
export class History {
  readonly specification: AnySpecification;
  readonly lines: string[] = [];
  readonly entries: Entry<Event>[] = [];
  /** Indexed by version. */
  // biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds
  readonly rooms: any[] = [undefined];
  /** Indexed by version. */
  readonly #hashes: string[];

  readonly #otherStreams: OtherStreams;

  constructor(stream: StreamName, otherStreams: OtherStreams) {
    this.specification = specifications[kindOf(stream)];
    this.#otherStreams = otherStreams;
    this.#hashes = [firstHash(stream)];
  }

  get hash(): string {
    return this.#hashes[this.version];
  }

  /** CL6: everything after this version is lost. */
  goBackTo(version: number): void {
    this.lines.length = Math.min(version, this.version);
    this.entries.length = this.version;
    this.rooms.length = this.version + 1;
    this.#hashes.length = this.version + 1;
  }

  /** The rule that makes keyed requests take effect once. */
  get keyRule(): string {
    return this.specification.keepsKeysBy ?? "ID1";
  }

  get #keyLifetimeMs(): number {
    return this.specification.keepsKeysBy ? Number.POSITIVE_INFINITY : keyLifetimeMs;
  }

  get version(): number {
    return this.lines.length;
  }

  /** The newest entry, up to `version`, written with this person's key. */
  keyed(by: string, key: string, version: number): Entry<Event> | undefined {
    return this.entries.findLast((entry) => entry.version <= version && entry.by === by && entry.key === key);
  }

  /** Whether the key of that entry must still be known at `version`. */
  remembers({ at }: Entry, version: number): boolean {
    return this.rooms[version].at - at <= this.#keyLifetimeMs;
  }

  add(line: string): void {
    const entry = decodeEntry<Event>(line);
    const version = this.version + 1;
    must(entry.version === version, "LG1", `version ${entry.version} follows version ${this.version}`);
    const twin = entry.key === undefined ? undefined : this.keyed(entry.by, entry.key, version);
    const again = twin && entry.at - twin.at <= this.#keyLifetimeMs;
    must(
      !again,
      this.keyRule,
      `key ${entry.key} of ${entry.by} led to versions ${twin?.version} and ${version}`,
    );
    this.rooms.push(this.specification.fold(this.rooms[this.version], entry, this.#otherStreams));
    this.#hashes.push(nextHash(this.hash, line));
    this.lines.push(line);
    this.entries.push(entry);
  }
}

/**
 * What is durable, read from the store itself and not from any server. Every entry is checked as soon as it is
 * written.
 */
export class Ledger implements OtherStreams {
  readonly #histories = new Map<StreamName, History>();
  /** The server's clock when it sent an append. */
  readonly #sentAt = new WeakMap<Append, Millis>();

  history(stream: StreamName): History {
    const history = this.#histories.get(stream) ?? new History(stream, this);
    this.#histories.set(stream, history);
    return history;
  }

  /** CH2: the directory's question to a ladder under this key. */
  asked(key: string | undefined): Asked | undefined {
    const entry = this.history("directory/main").entries.find((each) => each.key === key);
    const last = entry?.events.at(-1);
    return last?.type === "asked" ? last : undefined;
  }

  /** The number of streams, at most. */
  get size(): number {
    return this.#histories.size;
  }

  get streams(): readonly StreamName[] {
    return [...this.#histories.keys()].filter((stream) => this.history(stream).version > 0);
  }

  /** A server is sending these appends. */
  setOut(appends: readonly Append[], now: Millis): void {
    for (const append of appends) this.#sentAt.set(append, now);
  }

  /** The store has appended this. Resolves with the stream's previous version. */
  async observe(store: Log, append: Append): Promise<number> {
    const { stream, due, listing } = append;
    const history = this.history(stream);
    const before = history.version;
    for (const batch of await store.read(stream, before, Number.POSITIVE_INFINITY)) {
      must(
        batch.first === history.version + 1,
        "LG3",
        `version ${batch.first} was written after ${history.version}`,
      );
      for (const line of batch.lines) history.add(line);
      must(batch.hash === history.hash, "LG3", `the chain of hashes breaks at version ${history.version}`);
    }
    must(history.version > before, "LG3", "an append was reported as written but is missing");
    const { specification, rooms } = history;
    const room = rooms[history.version];
    const expected = specification.listing(room);
    must(isDeepStrictEqual(listing, expected), "RM6", `the list of rooms disagrees with ${stream}`);
    const dueExpected = byClock(specification.due(room), room.at, this.#sentAt.get(append));
    must(
      due === dueExpected,
      specification.dueRule,
      `${stream} is due at ${dueExpected}, but was stored as due at ${due}`,
    );
    return before;
  }

  /** The counts so far. */
  figures(): Figures {
    const entriesOf = (kind: Kind) =>
      this.streams
        .filter((stream) => kindOf(stream) === kind)
        .flatMap((stream) => this.history(stream).entries);
    const queueEntries = entriesOf("queue") as Entry<QueueEvent>[];
    const arenaEntries = entriesOf("arena") as Entry<ArenaEvent>[];
    const ladderEntries = entriesOf("ladder") as Entry<LadderEvent>[];
    const directoryEntries = entriesOf("directory") as Entry<DirectoryEvent>[];
    const chatEntries = directoryEntries.length + entriesOf("conversation").length;
    const inDirectory = directoryEntries.flatMap(({ events }) => events);
    const inQueues = queueEntries.flatMap(({ events }) => events);
    const inArenas = arenaEntries.flatMap(({ events }) => events);
    const inLadders = ladderEntries.flatMap(({ events }) => events);
    const counted = inLadders.filter((event) => event.type === "counted");
    const ended = inArenas.filter((event) => event.type === "ended");
    const byReason = (reason: string) => ended.filter((event) => event.reason === reason).length;
    const gameEntries = entriesOf("game") as Entry<GameEvent>[];
    const silent = [...gameEntries, ...queueEntries, ...arenaEntries].flatMap((entry) => silencedBy(entry));
    return {
      entries: this.streams.reduce((sum, stream) => sum + this.history(stream).version, 0),
      chatEntries,
      queueEntries: queueEntries.length,
      arenaEntries: arenaEntries.length,
      ladderEntries: ladderEntries.length,
      admissions: inQueues.reduce(
        (sum, event) => sum + (event.type === "admitted" ? event.tickets.length : 0),
        0,
      ),
      silentEnds: silent.filter(({ reason }) => reason !== "away").length,
      absences: silent.filter(({ reason }) => reason === "away").length,
      returns: queueEntries.flatMap((entry) => returnedBy(entry)).length,
      matches: ended.length,
      moves: inArenas.filter(({ type }) => type === "moved").length,
      draws: ended.filter(({ winner }) => winner === null).length,
      forfeits: byReason("disconnected"),
      timeouts: byReason("move-timeout") + byReason("unreported"),
      reports: byReason("reported"),
      restartedClocks: inArenas.filter(({ type }) => type === "clock-restarted").length,
      ladderMatches: counted.length,
      deliveries: counted.filter(({ reporter }) => reporter === "source").length,
      voids: inLadders.filter((event) => event.type === "voided" && event.recount !== null).length,
      lapses: inLadders.filter(({ type }) => type === "lapsed").length,
      messages: directoryEntries.filter(({ command }) => command === "hear").length,
      names: inDirectory.filter(({ type }) => type === "named").length,
      duels: inDirectory.filter(({ type }) => type === "duel-ended").length,
      duelsOff: inDirectory.filter(({ type }) => type === "duel-dropped").length,
    };
  }

  /** Checks that no durable entry was changed or removed. */
  async compareWith(store: Log): Promise<void> {
    for (const stream of this.streams) {
      const stored = (await store.read(stream, 0, Number.POSITIVE_INFINITY)).flatMap(({ lines }) => lines);
      const same = isDeepStrictEqual(stored, this.history(stream).lines);
      must(same, "LG3", `entries of ${stream} changed after they were written`);
    }
  }
}
