import { isDeepStrictEqual } from "node:util";
import type { ArenaEvent, Millis } from "@openseat/kernel";
import {
  type Append,
  type Entry,
  type FeedMessage,
  type Log,
  type StreamName,
  watchLimits,
} from "@openseat/server";
import type { Arena } from "./arena/arena.ts";
import { checkRecall } from "./arena/recall.ts";
import { Correspondence } from "./chat/correspondence.ts";
import { Post } from "./chat/post.ts";
import { Deliveries } from "./ladder/deliveries.ts";
import type { Ladder } from "./ladder/ladder.ts";
import { checkBrowsed } from "./ladder/records.ts";
import { type History, Ledger } from "./ledger.ts";
import {
  type Answer,
  type Ask,
  type Browse,
  inWords,
  isTalking,
  type Kind,
  kindOf,
  type Look,
  type Recall,
  type Request,
} from "./requests.ts";
import { must, RuleBroken } from "./rule.ts";
import { nobody, shownChange } from "./shown.ts";
import { obstacle } from "./specification.ts";

export interface Broken {
  readonly rule: string;
  readonly sentence: string;
}

/** A request that reached a node, and what was known of the log at that time. */
export interface Arrival {
  readonly request: Request;
  /** By stream of the request: the newest version known to any client. An older answer is stale. */
  readonly known: ReadonlyMap<StreamName, number>;
  /** How often a poisoned message had made the rules fail by then. */
  readonly poisonFailures: number;
  /** How often the log had gone back by then. */
  readonly epoch: number;
}

/** Rooms on the first page of a list. */
export const listLimit = 100;

/** Refusals about the state of the server. They are valid at any version, and a retry may succeed. */
const passing = ["log.unavailable", "server.stopping", "server.busy", "room.conflict"];

/** What a watcher received on its connection: the last version, and the state at that version. */
export interface WatcherState {
  readonly sent: number | undefined;
  readonly state?: unknown;
  readonly viewer?: string;
}

/**
 * Checks everything that is written, answered and shown against the model. An answer is valid if the specification
 * gives that answer at some version that is not older than what was known when the request arrived, and not newer
 * than what is durable now.
 */
export class Judge {
  readonly ledger = new Ledger();
  readonly deliveries = new Deliveries(this.ledger);
  readonly correspondence = new Correspondence(this.ledger);
  readonly post = new Post(this.ledger);
  /** CL6: for each time the log went back, the versions its streams had afterwards. */
  readonly #rewinds: ReadonlyMap<StreamName, number>[] = [];
  answers = 0;
  feedMessages = 0;
  broken: Broken | undefined;
  /** Called for new entries, with the version before them, for further checks. It may throw. */
  onWritten: (stream: StreamName, before: number) => void = () => {};
  readonly #onBroken: () => void;
  /** The rule against showing anything older than what was already known. */
  readonly #staleRule: string;
  /** The newest version of each stream that a client has seen. */
  readonly #known = new Map<StreamName, number>();
  readonly #acknowledged = new Set<string>();

  constructor(onBroken: () => void, { isShared = false }: { readonly isShared?: boolean } = {}) {
    this.#staleRule = isShared ? "CL1" : "LG3";
    this.#onBroken = onBroken;
  }

  /** Keeps the first failure: later ones may only be its consequences. */
  fail(error: unknown): void {
    const rule = error instanceof RuleBroken ? error.rule : "LG5";
    this.broken ??= { rule, sentence: error instanceof RuleBroken ? error.message : String(error) };
    this.#onBroken();
  }

  /** Runs a check that throws when a rule is broken. */
  check(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.fail(error);
    }
  }

  async written(store: Log, append: Append): Promise<void> {
    try {
      const before = await this.ledger.observe(store, append);
      this.deliveries.written(append.stream, before);
      this.correspondence.written(append.stream, before);
      await this.post.written(store, append.stream, before);
      this.onWritten(append.stream, before);
    } catch (error) {
      this.fail(error);
    }
  }

  /** LG1: a standalone node has no conflicts, and several nodes never write a stream at the same time. */
  conflicted({ stream, after }: Append): void {
    this.fail(new RuleBroken("LG1", `version ${after + 1} of ${stream} was decided on a stale state`));
  }

  /** CL6: how often the log has gone back. Older knowledge no longer says what the log holds. */
  get epoch(): number {
    return this.#rewinds.length;
  }

  /** Whether the log still holds the version that it held in that epoch. */
  isKept(stream: StreamName, version: number, epoch: number): boolean {
    return this.#rewinds.slice(epoch).every((versions) => version <= (versions.get(stream) ?? 0));
  }

  /** CL6: the log now has these versions. From here on, only its current contents count. */
  wentBack(versions: ReadonlyMap<StreamName, number>): void {
    this.#rewinds.push(versions);
    for (const [stream, version] of versions) {
      this.ledger.history(stream).goBackTo(version);
      const known = Math.min(version, this.#known.get(stream) ?? 0);
      if (known > 0) this.#known.set(stream, known);
      else this.#known.delete(stream);
      for (const mark of this.#acknowledged) {
        const [acknowledged, number] = mark.split(" ");
        if (acknowledged === stream && Number(number) > version) this.#acknowledged.delete(mark);
      }
    }
  }

  arrived(request: Request): Arrival {
    const { poisonFailures } = this.correspondence;
    const { epoch } = this;
    if (request.type === "list") return { request, known: new Map(this.#known), poisonFailures, epoch };
    if (request.type === "say") this.correspondence.arrived(request.message);
    if (isTalking(request)) return { request, known: new Map(), poisonFailures, epoch };
    const { stream } = request;
    return { request, known: new Map([[stream, this.#known.get(stream) ?? 0]]), poisonFailures, epoch };
  }

  answered({ request, known, poisonFailures, epoch }: Arrival, answer: Answer, latestClock: Millis): void {
    this.answers++;
    if (epoch !== this.epoch) return;
    try {
      if (request.type === "list") {
        if (answer.type === "listed") this.#checkList(request.kind, answer.rooms, known);
        else must(answer.type === "refused", "GM1", "a list was answered with something else");
        return;
      }
      if (isTalking(request)) {
        if (request.type === "say") this.correspondence.replied(request.message, answer);
        return;
      }
      // Commands decided in the same commit as a poisoned message fail with it.
      const isFault = answer.type === "refused" && answer.refusal.code === "server.fault";
      if (isFault && this.correspondence.poisonFailures > poisonFailures) return;
      must(answer.type !== "listed", "GM1", `${inWords(request)}: answered with a list`);
      const history = this.ledger.history(request.stream);
      const floor = known.get(request.stream) ?? 0;
      if (request.type === "recall" || request.type === "browse") {
        const isPassing = answer.type === "refused" && passing.includes(answer.refusal.code);
        if (!isPassing) checkPast(history, floor, request, answer);
        return;
      }
      const isOfPast = answer.type === "recalled" || answer.type === "browsed";
      must(
        !isOfPast && answer.type !== "replied",
        "GM1",
        `${inWords(request)}: answered with ${answer.type}`,
      );
      if (request.type === "ask") {
        must(answer.type !== "seen", "GM1", `${inWords(request)}: answered with a view`);
        this.#checkAsk(history, request, answer, { floor, latestClock });
      } else if (answer.type === "seen") this.#checkSeen(history, request, answer, floor);
      else checkPassing(answer, request);
    } catch (error) {
      this.fail(error);
    }
  }

  #checkSeen(
    { version: newest, rooms, specification }: History,
    look: Look,
    { version, view }: Answer & { type: "seen" },
    floor: number,
  ): void {
    must(version <= newest, "LG2", `version ${version} was shown before it was durable`);
    must(version >= floor, this.#staleRule, `version ${version} was shown when version ${floor} was known`);
    const room = rooms[version];
    const expected = room ? specification.view(room, look) : null;
    if (!isDeepStrictEqual(view, expected)) {
      const rule = specification.viewRuleFor?.(view, expected) ?? specification.viewRule;
      throw new RuleBroken(rule, `${inWords(look)}: the view differs from version ${version}`);
    }
    this.#learn(look.stream, version);
  }

  #checkAsk(
    history: History,
    ask: Ask,
    answer: Answer & { type: "done" | "refused" },
    { floor, latestClock }: { floor: number; latestClock: Millis },
  ): void {
    if (answer.type === "done") {
      this.#checkDone(history, ask, answer, floor);
      return;
    }
    const { code, data } = answer.refusal;
    if (passing.includes(code)) return;
    const observed = obstacle({ code, data });
    for (let version = history.version; version >= floor; version--) {
      const expected = possibleRefusals(history, version, ask, latestClock);
      if (expected.some((refusal) => isDeepStrictEqual(refusal, observed))) return;
    }
    const rule = code === "key.reused" ? "ID2" : history.specification.refusalRule(code);
    const where = `version ${floor} to ${history.version}`;
    throw new RuleBroken(
      rule,
      `${inWords(ask)}: refused with ${JSON.stringify(observed)}, valid at no ${where}`,
    );
  }

  #checkDone(history: History, ask: Ask, answer: Answer & { type: "done" }, floor: number): void {
    const { entry, terms, replayed } = answer;
    const { version } = entry;
    const who = inWords(ask);
    must(
      version <= history.version,
      "LG2",
      `${who}: acknowledged as version ${version} before that was durable`,
    );
    const stored = history.lines[version - 1];
    must(JSON.stringify(entry) === stored, "LG3", `${who}: acknowledged, but version ${version} differs`);
    must(
      entry.by === ask.by && entry.key === ask.key,
      history.keyRule,
      `${who}: answered with an entry of ${entry.by}`,
    );
    const { specification, rooms } = history;
    must(specification.asksTheSame(ask.command, entry), "ID2", `${who}: answered with a ${entry.command}`);
    must(isDeepStrictEqual(terms, rooms[version].terms), "GM1", `${who}: answered with other terms`);
    if (!replayed) {
      must(version > floor, "LG1", `${who}: done as version ${version}, when version ${floor} was known`);
      const mark = `${ask.stream} ${version}`;
      must(
        !this.#acknowledged.has(mark),
        history.keyRule,
        `${who}: version ${version} was written for another request`,
      );
      this.#acknowledged.add(mark);
      const refusal = specification.refusal(rooms[version - 1], ask.by, ask.command);
      if (refusal)
        must(
          false,
          specification.refusalRule(refusal.code),
          `${who}: done, but should have been refused with ${refusal.code}`,
        );
    } else {
      must(ask.key !== undefined, history.keyRule, `${who}: replayed without a key`);
    }
    this.#learn(ask.stream, version);
  }

  #checkList(
    kind: Kind,
    rooms: (Answer & { type: "listed" })["rooms"],
    known: ReadonlyMap<StreamName, number>,
  ): void {
    const listed = new Map(rooms.map(({ stream, status, summary }) => [stream, { status, summary }]));
    for (const stream of known.keys()) {
      const isMissing = kindOf(stream) === kind && !listed.has(stream) && rooms.length < listLimit;
      must(!isMissing, "LG3", `${stream} is missing in the list`);
    }
    for (const [stream, shown] of listed) {
      const { rooms: versions, specification } = this.ledger.history(stream);
      const possible = versions.slice(Math.max(1, known.get(stream) ?? 0));
      const fits = possible.some((room) => isDeepStrictEqual(specification.listing(room), shown));
      must(fits, "RM6", `the list shows a state of ${stream} that never existed since the question`);
    }
  }

  /** Whether the message agrees with the log at its version. */
  isTrue(stream: StreamName, { type, version, json }: FeedMessage): boolean {
    const { rooms, entries, specification } = this.ledger.history(stream);
    if (type === "change") return version <= entries.length && json === shownChange(entries[version - 1]);
    const room = rooms[version];
    return json === JSON.stringify(room ? specification.view(room, { by: nobody }) : null);
  }

  /**
   * FD1: `cursor` is the version up to which this connection has been served; undefined before the first view.
   * Returns what the message shows of the state, for rooms where each viewer sees a different state.
   */
  shown(
    stream: StreamName,
    { sent: cursor, state: before, viewer = nobody }: WatcherState,
    message: FeedMessage,
  ): unknown {
    this.feedMessages++;
    const { type, version, json } = message;
    try {
      const history = this.ledger.history(stream);
      must(version <= history.version, "LG2", `a watcher was shown version ${version} before it was durable`);
      if (type === "view") {
        const back = cursor !== undefined && version < cursor;
        must(!back, "FD1", `a watcher at version ${cursor} was taken back to version ${version}`);
        const missed = version - (cursor ?? version);
        const isFar = missed > watchLimits.catchUpEntriesMax;
        must(missed === 0 || isFar, "FD1", `a watcher missed ${missed} versions before ${version}`);
      } else {
        const next = cursor === undefined ? "a view" : `version ${cursor + 1}`;
        must(version - 1 === cursor, "FD1", `a watcher was sent version ${version} instead of ${next}`);
      }
      this.#learn(stream, version);
      const { specification, rooms, entries } = history;
      const room = rooms[version];
      const entry = entries[version - 1];
      if (specification.checkShown) return specification.checkShown({ room, entry, message, viewer, before });
      if (type === "view") {
        const expected = JSON.stringify(room ? specification.view(room, { by: nobody }) : null);
        must(json === expected, "FD1", `a view of version ${version} shows something else`);
      } else {
        const expected = shownChange(entry);
        must(json === expected, "FD1", `a watcher was shown a version ${version} that differs from the log`);
      }
    } catch (error) {
      this.fail(error);
    }
    return undefined;
  }

  #learn(stream: StreamName, version: number): void {
    if (version <= (this.#known.get(stream) ?? 0)) return;
    this.#known.set(stream, version);
  }
}

/** Checks questions that the log itself, or its rows, answer. */
function checkPast(history: History, floor: number, request: Recall | Browse, answer: Answer): void {
  if (request.type === "browse") {
    checkBrowsed({ rooms: history.rooms as (Ladder | undefined)[], floor }, request, answer);
    return;
  }
  const { rooms, entries } = history as { rooms: Arena[]; entries: Entry<ArenaEvent>[] };
  checkRecall({ rooms, entries, floor }, request, answer);
}

function checkPassing(answer: Answer, request: Request): void {
  const words = answer.type === "refused" ? `refused with ${answer.refusal.code}` : `answered ${answer.type}`;
  const isPassing = answer.type === "refused" && passing.includes(answer.refusal.code);
  must(isPassing, "LG5", `${inWords(request)}: ${words}`);
}

/** The refusals that the specification allows at this version of the log. */
function possibleRefusals(history: History, version: number, ask: Ask, latestClock: Millis) {
  const { by, key, command } = ask;
  const { specification, rooms } = history;
  const keyed = key === undefined ? undefined : history.keyed(by, key, version);
  const reused =
    keyed && !specification.asksTheSame(command, keyed) ? [obstacle({ code: "key.reused" })] : [];
  if (keyed && history.remembers(keyed, version)) return reused;
  // The server's clock decides which of the two comes first.
  const refusals = [
    specification.refusal(rooms[version], by, command),
    specification.refusalByClock(command, latestClock, rooms[version], by),
  ];
  return [...reused, ...refusals.filter((refusal) => refusal !== undefined)];
}
