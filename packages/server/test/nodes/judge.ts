import assert from "node:assert/strict";
import {
  type Decider,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Millis,
  type QueueEvent,
  type QueueRoom,
  queueDecider,
} from "@openseat/kernel";
import { decodeEntry, type Entry, firstHash, nextHash } from "../../src/log/entry.ts";
import type { Log, StreamName } from "../../src/log/log.ts";
import type { Act, Shown, Sign } from "./people.ts";
import type { Uptime } from "./uptime.ts";

/** Nodes follow the database's clock, but not to the millisecond. */
const skewMs = 150;
/** LN11: share of the lease after which a silent place is away. */
const awayShare = 0.6;
/** CL2: delay until the node that manages the leases knows the heartbeats of other nodes. */
const journeyMs = 4_000;

/** All entries of a stream, in an intact chain with consecutive versions. */
export async function entriesOf<Event>(log: Log, stream: StreamName): Promise<Entry<Event>[]> {
  const entries: Entry<Event>[] = [];
  let hash = firstHash(stream);
  for (;;) {
    const batches = await log.read(stream, entries.length, 10_000);
    if (batches.length === 0) break;
    for (const batch of batches) {
      assert.equal(batch.first, entries.length + 1, "a batch out of order");
      for (const line of batch.lines) {
        hash = nextHash(hash, line);
        const entry = decodeEntry<Event>(line);
        entries.push(entry);
        assert.equal(entry.version, entries.length, "an entry out of order");
        assert.ok(entry.at >= (entries.at(-2)?.at ?? 0), `time goes back at ${entry.version}`);
      }
      assert.equal(batch.hash, hash, `the chain of ${stream} is broken before ${entries.length}`);
    }
  }
  assert.deepEqual(await log.head(stream), { version: entries.length, hash });
  return entries;
}

/** Acknowledged acts are there once; refused ones are not. */
export function assertKept(entries: readonly Entry<unknown>[], acts: readonly Act[]): void {
  const byKey = new Map<string, Entry<unknown>>();
  for (const entry of entries) {
    if (entry.key === undefined) continue;
    assert.ok(!byKey.has(entry.key), `${entry.key} took effect twice`);
    byKey.set(entry.key, entry);
  }
  for (const { key, kind, person, answer, answeredAt, isDoubtful } of acts) {
    const entry = byKey.get(key);
    const about = `${key} (${kind} of ${person}): ${answer.status} ${answer.text}`;
    if (answer.status >= 300) {
      assert.ok(!entry || isDoubtful, `took effect, and was refused: ${about}`);
      byKey.delete(key);
      continue;
    }
    assert.ok(entry, `was acknowledged, and is lost: ${about}`);
    assert.equal(entry.by, person, about);
    assert.ok(entry.at <= answeredAt + skewMs, `was acknowledged before it was: ${about}`);
    byKey.delete(key);
  }
  assert.deepEqual([...byKey.keys()], [], "keys in the log without an answer");
}

/** Checks RM2 and RM3 with a simple model at each version, and that each shown version matches. */
export function assertSeats(
  entries: readonly Entry<GameEvent>[],
  seats: number,
  shown: readonly Shown[],
): void {
  const inside = new Map<string, number>();
  const tickets = new Set<number>();
  const seated = [0];
  for (const { events, version } of entries) {
    for (const event of events) {
      if (event.type === "joined") {
        assert.ok(!inside.has(event.person), `${event.person} has two places at ${version}`);
        assert.ok(!tickets.has(event.ticket), `the ticket ${event.ticket} was given twice`);
        inside.set(event.person, tickets.add(event.ticket).size);
      } else if (event.type === "left")
        assert.ok(inside.delete(event.person), `${event.person} left twice at ${version}`);
    }
    assert.ok(inside.size <= seats, `${inside.size} on ${seats} seats at ${version}`);
    seated.push(inside.size);
  }
  for (const look of shown) assert.equal(look.seated, seated[look.version], `at ${look.version}`);
}

interface QueueTerms {
  readonly seats: number;
  readonly rate: number;
  readonly burst: number;
  readonly leaseMs: number;
}

/**
 * Throws unless the ticket was silent for this long. The silence may have ended recently on a node that does not manage the
 * leases; it still counts (CL2).
 */
function silenceCheck(signs: readonly Sign[], entered: ReadonlyMap<number, number>) {
  const received = Map.groupBy(signs, ({ ticket }) => ticket);
  return (ticket: number, at: number, ms: number, what: string): void => {
    const past = (received.get(ticket) ?? []).filter(({ answeredAt }) => answeredAt <= at);
    const begins = [entered.get(ticket)!, ...past.map(({ sentAt }) => sentAt)];
    const ends = [...past.map(({ answeredAt }) => answeredAt), at];
    const silences = begins.flatMap((begin, index) =>
      at - ends[index] <= journeyMs ? [ends[index] - begin] : [],
    );
    const longest = Math.max(...silences);
    assert.ok(longest >= ms - skewMs, `${ticket} ${what} after a silence of ${longest} ms`);
  };
}

/** Checks LN1, LN11, LN12, RM2, AD3 and LS1 with a simple model: an array for the line, and one for the times of admission. */
export function assertOrder(
  entries: readonly Entry<QueueEvent>[],
  { seats, rate, burst, leaseMs }: QueueTerms,
  signs: readonly Sign[],
): void {
  const entered = new Map<number, number>();
  const inside = new Set<number>();
  const admittedAt: number[] = [];
  let line: number[] = [];
  const away = new Set<number>();
  const checkSilent = silenceCheck(signs, entered);
  for (const { events, at, version } of entries)
    for (const event of events) {
      if (event.type === "entered") {
        entered.set(event.ticket, at);
        line.push(event.ticket);
      } else if (event.type === "admitted") {
        const order = [...line.filter((each) => !away.has(each)), ...line.filter((each) => away.has(each))];
        assert.deepEqual(event.tickets, order.slice(0, event.tickets.length), `order at ${version}`);
        for (const ticket of event.tickets) {
          inside.add(ticket);
          away.delete(ticket);
        }
        line = line.filter((ticket) => !inside.has(ticket));
        admittedAt.push(...event.tickets.map(() => at));
      } else if (event.type === "expired" && event.reason === "heartbeat_timeout") {
        const gone = new Set<number>(event.tickets);
        for (const ticket of gone) {
          assert.ok(line.includes(ticket), `${ticket} expired out of nowhere at ${version}`);
          checkSilent(ticket, at, leaseMs, "expired");
          away.delete(ticket);
        }
        line = line.filter((ticket) => !gone.has(ticket));
      } else if (event.type === "away") {
        for (const ticket of event.tickets) {
          assert.ok(line.includes(ticket) && !away.has(ticket), `${ticket} went away at ${version}`);
          checkSilent(ticket, at, leaseMs * awayShare, "went away");
          away.add(ticket);
        }
      } else if (event.type === "back") {
        for (const ticket of event.tickets)
          assert.ok(away.delete(ticket), `${ticket} came back at ${version}`);
      } else if (event.type === "expired")
        for (const ticket of event.tickets) assert.ok(inside.delete(ticket));
      else if (event.type === "completed") assert.ok(inside.delete(event.ticket));
      else if (event.type === "left") {
        away.delete(event.ticket);
        if (!inside.delete(event.ticket)) line = line.filter((ticket) => ticket !== event.ticket);
      }
      assert.ok(inside.size <= seats, `${inside.size} inside at ${version}`);
    }
  for (const [last, until] of admittedAt.entries())
    for (let first = 0; first <= last; first++) {
      const most = burst + (rate * (until - admittedAt[first])) / 1_000;
      assert.ok(
        last - first + 1 <= most + 1e-9,
        `${last - first + 1} admitted in ${until - admittedAt[first]} ms`,
      );
    }
}

/** CL5: replays the kernel; everything due was decided in time whenever a node could. */
function assertTimers<State, Event>(
  entries: readonly Entry<Event>[],
  decider: Decider<State, never, Event>,
  uptime: Pick<Uptime, "deadlineOf">,
  endedAt: number,
): { readonly rung: number; readonly latestMs: number } {
  let state: State | undefined;
  let [rung, latestMs] = [0, 0];
  for (const [index, entry] of entries.entries()) {
    for (const event of entry.events) state = decider.evolve(state, event, entry.at, entry.version);
    const due = decider.nextDue(state!);
    const next = entries[index + 1]?.at ?? (endedAt as Millis);
    if (due === undefined || due > next) continue;
    const from = Math.max(due, entry.at);
    const deadline = uptime.deadlineOf(from);
    const about = `due ${due}, after version ${entry.version} at ${entry.at}, dealt with at ${next}`;
    if (deadline !== undefined)
      assert.ok(next <= deadline + skewMs, `${next - deadline} ms too late: ${about}`);
    rung++;
    latestMs = Math.max(latestMs, next - from);
  }
  return { rung, latestMs };
}

export const assertGameTimers = (
  entries: readonly Entry<GameEvent>[],
  uptime: Pick<Uptime, "deadlineOf">,
  endedAt: number,
) => assertTimers<GameRoom, GameEvent>(entries, gameDecider as never, uptime, endedAt);

export const assertQueueTimers = (
  entries: readonly Entry<QueueEvent>[],
  uptime: Pick<Uptime, "deadlineOf">,
  endedAt: number,
) => assertTimers<QueueRoom, QueueEvent>(entries, queueDecider as never, uptime, endedAt);
