import { type GameRoom, gameDecider, type Millis, type Saved, type TicketNumber } from "@openseat/kernel";
import {
  type Append,
  type AppendOutcome,
  type Clock,
  decodeEntry,
  decodeSnapshot,
  encodeSnapshot,
  type Log,
  MemoryLog,
  type Snapshot,
} from "@openseat/server";
import type { Parts } from "../src/parts.ts";
import type { Scenario } from "../src/scenario.ts";
import { deciding, games, mistaking } from "./rules.ts";

/** A planted fault. The simulator must report that it breaks one of these rules. */
export interface Sabotage {
  readonly name: string;
  readonly rules: readonly string[];
  /** Settings for every world: some faults only show where little else fails. */
  readonly scenario?: Partial<Scenario>;
  /** Created for each world, because some parts keep state. */
  readonly parts: () => Partial<Parts>;
}

/** The same log with some methods replaced. */
export function altered(log: Log, methods: Partial<Log>): Log {
  const same: Log = {
    join: (roles) => log.join(roles),
    dueLateMs: log.dueLateMs,
    outboxLateMs: log.outboxLateMs,
    heads: (streams) => log.heads(streams),
    snapshotVersion: (stream) => log.snapshotVersion(stream),
    shards: log.shards,
    commitStreamsMax: log.commitStreamsMax,
    commit: (wanted, decide) => log.commit(wanted, decide),
    head: (stream) => log.head(stream),
    read: (stream, after, limit) => log.read(stream, after, limit),
    line: (stream, version) => log.line(stream, version),
    list: (query) => log.list(query),
    countLive: (query) => log.countLive(query),
    due: (now, limit) => log.due(now, limit),
    nextDue: (now) => log.nextDue(now),
    outbox: (after, limit) => log.outbox(after, limit),
    outboxOf: (route, span, limit) => log.outboxOf(route, span, limit),
    delivered: (numbers) => log.delivered(numbers),
    undeliverable: (numbers, reason, at) => log.undeliverable(numbers, reason, at),
    deadLetters: (before, limit) => log.deadLetters(before, limit),
    resend: (number) => log.resend(number),
    discard: (number) => log.discard(number),
    saveSnapshot: (stream, snapshot) => log.saveSnapshot(stream, snapshot),
    loadSnapshot: (stream) => log.loadSnapshot(stream),
    snapshotPart: (stream, part) => log.snapshotPart(stream, part),
    close: () => log.close(),
  };
  return { ...same, ...methods };
}

type Decided = readonly (Append | undefined)[];

/** The same log, but it appends something else than was decided. */
export function appending(log: Log, change: (decided: Decided) => Decided): Log {
  return altered(log, {
    commit: (wanted, decide) => log.commit(wanted, (tails) => change(decide(tails))),
  });
}

/** Loses its last append when a process dies, like a disk that lies about its flushes. */
class ForgetfulStore extends MemoryLog {
  #kept: Append[] = [];
  #inner = new MemoryLog();

  override async append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const outcomes = await this.#inner.append(appends);
    this.#kept.push(...appends.filter((_, index) => outcomes[index] === "appended"));
    return outcomes;
  }

  crash(): void {
    this.#kept.pop();
    this.#inner = new MemoryLog();
    void this.#inner.append(this.#kept);
  }

  override head: MemoryLog["head"] = (...question) => this.#inner.head(...question);
  override read: MemoryLog["read"] = (...question) => this.#inner.read(...question);
  override line: MemoryLog["line"] = (...question) => this.#inner.line(...question);
  override list: MemoryLog["list"] = (...question) => this.#inner.list(...question);
  override due: MemoryLog["due"] = (...question) => this.#inner.due(...question);
  override nextDue: MemoryLog["nextDue"] = (...question) => this.#inner.nextDue(...question);
}

/** Appends whatever it receives, at any version. */
export class CarelessStore extends MemoryLog {
  override async append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const outcomes: AppendOutcome[] = [];
    for (const append of appends) {
      const after = (await this.head(append.stream))?.version ?? 0;
      outcomes.push(...(await super.append([{ ...append, after }])));
    }
    return outcomes;
  }
}

export const sabotages: readonly Sabotage[] = [
  {
    name: "a log that acknowledges a write too early",
    rules: ["LG2"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async commit(wanted, decide) {
            log.commit(wanted, decide).catch(() => {});
            return wanted.map(() => "committed");
          },
        }),
    }),
  },
  {
    name: "a store that loses its last append in a crash",
    rules: ["LG3"],
    parts: () => ({ store: new ForgetfulStore() }),
  },
  {
    name: "a feed that publishes before the log is durable",
    rules: ["LG2"],
    parts: () => ({
      wire: (log, hub) =>
        appending(log, (decided) => {
          for (const append of decided)
            if (append)
              hub.publish({
                stream: append.stream,
                entries: append.lines.map(decodeEntry),
                state: undefined,
              });
          return decided;
        }),
    }),
  },
  {
    name: "a feed that publishes only the last entry of a batch",
    rules: ["FD1"],
    parts: () => ({
      publish: (hub, { stream, entries, state }) => {
        const last = entries[entries.length - 1];
        // With its number changed, the entry looks like the expected one.
        hub.publish({ stream, entries: [{ ...last, version: entries[0].version }], state });
      },
    }),
  },
  {
    name: "a feed that publishes nothing",
    rules: ["FD1"],
    parts: () => ({ publish: () => {} }),
  },
  {
    name: "rules that allow one seat too many",
    rules: ["RM2"],
    parts: () => {
      const oneMore = (room: GameRoom): GameRoom => ({
        ...room,
        terms: { ...room.terms, seats: room.terms.seats + 1 },
      });
      return games({
        ...mistaking(gameDecider, (room) => ({ state: oneMore(room) })),
        evolve: (room, event, at, version) =>
          room
            ? { ...gameDecider.evolve(oneMore(room), event, at, version), terms: room.terms }
            : gameDecider.evolve(room, event, at, version),
      });
    },
  },
  {
    name: "rules that give a free seat to the back of the line",
    rules: ["GM8"],
    parts: () =>
      games(
        deciding(gameDecider, (room, events) => {
          const [left, admitted] = events;
          if (admitted?.type !== "admitted") return events;
          const ticket = room.line.toArray().at(-1) as TicketNumber;
          const { person } = room.roster.place(ticket);
          const name = room.names.of(ticket);
          return [left, { ...admitted, ticket, person, ...(name !== undefined && { name }) }];
        }),
      ),
  },
  {
    name: "rules that let anyone end a game",
    rules: ["GM6"],
    parts: () =>
      games(
        mistaking(gameDecider, (_, command) =>
          command.type === "end" ? { command: { ...command, asOperator: true } } : {},
        ),
      ),
  },
  {
    name: "rules that treat different requests as the same",
    rules: ["ID2", "RM5"],
    parts: () => games({ keys: { fingerprint: (command) => command.type.replace("leave", "join") } }),
  },
  {
    name: "a snapshot without the keys",
    rules: ["ID1", "GM2"],
    parts: () => ({
      wire: (log) =>
        altered(log, { loadSnapshot: async (stream) => edited(await log.loadSnapshot(stream), forgetKeys) }),
    }),
  },
  {
    name: "a snapshot without the time, so that entries follow a clock that was set back",
    rules: ["RM5"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          loadSnapshot: async (stream) => edited(await log.loadSnapshot(stream), forgetTime),
        }),
    }),
  },
  {
    name: "a log that never finds anything due",
    rules: ["RM7"],
    parts: () => ({ wire: (log) => altered(log, { due: async () => [] }) }),
  },
  {
    name: "streams ahead of the clock that are woken slightly too early",
    rules: ["RM7", "AD4", "AR9"],
    parts: () => {
      let clock: Clock | undefined;
      const isAhead = ({ lines }: Append) => decodeEntry(lines.at(-1)!).at - clock!.now() >= 1_000;
      const early = (append: Append | undefined) =>
        append?.due && isAhead(append) ? { ...append, due: (append.due - 1) as Millis } : append;
      return {
        clock: (given) => {
          clock = given;
          return given;
        },
        wire: (log) => appending(log, (decided) => decided.map(early)),
      };
    },
  },
  {
    name: "a log that always returns the first read",
    rules: ["LG5", "LG1", "LG3", "GM2"],
    parts: () => {
      const first = new Map<string, ReturnType<Log["read"]>>();
      return {
        wire: (log) =>
          altered(log, {
            read(stream, after, limit) {
              const found = first.get(`${stream} ${after}`) ?? log.read(stream, after, limit);
              first.set(`${stream} ${after}`, found);
              return found;
            },
          }),
      };
    },
  },
];

/** A valid snapshot with wrong contents: an unreadable one would only make the host read the log. */
export function edited(snapshot: Snapshot | undefined, edit: (saved: Saved) => Saved): Snapshot | undefined {
  return snapshot && { ...snapshot, parts: [...encodeSnapshot(edit(decodeSnapshot(snapshot.parts)))] };
}

function forgetTime(saved: Saved): Saved {
  return { ...saved, head: { ...saved.head, at: 0 } };
}

export function forgetKeys(saved: Saved): Saved {
  const columns = Object.entries(saved.columns).map(
    ([name, column]) => [name, /^(keys|oldKeys)$/.test(name) ? column.slice(0, 0) : column] as const,
  );
  return { ...saved, columns: Object.fromEntries(columns) };
}
