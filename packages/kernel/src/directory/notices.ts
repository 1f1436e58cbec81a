import { type DuelSeat, otherSeat } from "../duel/duel.ts";
import type { Millis, PersonId } from "../values.ts";
import type { DirectoryEvent, DuelDropped } from "./events.ts";
import { directoryLimits } from "./limits.ts";
import { type Directory, hasInbox } from "./state.ts";

/** An unsolicited message. Without limits, anybody could flood another person's phone. */
export interface Notice {
  readonly to: PersonId;
  /** Who caused it; undefined for timeouts. */
  readonly by: PersonId | undefined;
}

/** The notices that an event causes, in order. */
export function noticesIn(event: DirectoryEvent): readonly Notice[] {
  switch (event.type) {
    case "duel-opened":
    case "thrown":
    case "duel-dropped":
      return seatsNotified(event).map((seat) => ({ to: event.players[seat], by: causeOf(event) }));
    case "passed":
      return event.notices.map(({ person, by }) => ({ to: person, by }));
    default:
      return [];
  }
}

type NotifyingEvent = Extract<DirectoryEvent, { readonly type: "duel-opened" | "thrown" | "duel-dropped" }>;

/** Events from before `tells` was recorded notified everybody but the actor. */
export function seatsNotified(event: NotifyingEvent): readonly DuelSeat[] {
  if (event.tells) return event.tells;
  if (event.type === "thrown") return [];
  return event.type === "duel-opened" ? [1] : ([0, 1] as const).filter((seat) => seat !== event.by);
}

function causeOf(event: NotifyingEvent): PersonId | undefined {
  if (event.type === "duel-opened") return event.players[0];
  return event.by === null ? (event as DuelDropped).cause : event.players[event.by];
}

/** LM6: whether one person may send another a notice in the entry being decided. Counts the notices that it allows. */
export class NoticeBudget {
  readonly #directory: Directory;
  readonly #now: Millis;
  readonly #counted = new Map<PersonId, readonly PersonId[]>();

  constructor(directory: Directory, now: Millis) {
    this.#directory = directory;
    this.#now = now;
  }

  allows({ to, by }: Notice): boolean {
    if (by === undefined || !this.#directory.people.has(to)) return true;
    const sent = this.#counted.get(by) ?? sentBy(this.#directory, by, this.#now);
    const { noticesFromOneMax, noticesOfPairMax } = directoryLimits;
    const toSame = sent.filter((person) => person === to).length;
    const isTooOften = toSame >= noticesOfPairMax && !hasInbox(this.#directory, to);
    if (sent.length >= noticesFromOneMax || isTooOften) return false;
    this.#counted.set(by, [...sent, to]);
    return true;
  }
}

function sentBy(directory: Directory, person: PersonId, now: Millis): readonly PersonId[] {
  const { hour, bySender } = directory.sent;
  return hour === hourOf(now) ? (bySender.get(senderOf(directory, person)) ?? []) : [];
}

/**
 * What notices are counted by. Counted by person alone, quitting and taking a nickname again would reset the count.
 */
function senderOf({ people }: Directory, person: PersonId): string {
  return people.get(person)?.account ?? person;
}

function hourOf(at: Millis): number {
  return Math.floor(at / directoryLimits.noticesMs);
}

export function countNotice(directory: Directory, { to, by }: Notice, at: Millis): void {
  const { notices, people } = directory;
  if (!people.has(to)) return;
  const { since, count } = notices.get(to) ?? { since: at, count: 0 };
  const isOver = at - since > directoryLimits.noticesMs;
  notices.set(to, isOver ? { since: at, count: 1 } : { since, count: count + 1 });
  if (by === undefined) return;
  const hour = hourOf(at);
  if (directory.sent.hour !== hour) directory.sent = { hour, bySender: new Map() };
  const { bySender } = directory.sent;
  const sender = senderOf(directory, by);
  const sent = bySender.get(sender) ?? [];
  // Entries from before this limit may hold thousands per hour, and copying an ever longer list would stall their
  // replay.
  if (sent.length < directoryLimits.noticesFromOneMax) bySender.set(sender, [...sent, to]);
  // A person who takes a nickname, challenges somebody and quits, again and again, is a new sender each time. Drop
  // half at once: finding the first key of a Map is slow after many deletions.
  if (bySender.size > directoryLimits.sendersMax)
    directory.sent = { hour, bySender: new Map([...bySender].slice(directoryLimits.sendersMax / 2)) };
}

/**
 * The notices that an event responds to. The other player wanted them, so two people may play as often as they like.
 */
export function answeredBy(event: DirectoryEvent): readonly Caused[] {
  switch (event.type) {
    case "thrown":
    case "duel-ended":
      return [{ to: event.players[event.by], by: event.players[otherSeat(event.by)] }];
    case "passed":
      return event.notices.flatMap(({ person, by }) => (by === undefined ? [] : [{ to: by, by: person }]));
    default:
      return [];
  }
}

type Caused = Notice & { readonly by: PersonId };

export function resetPair(directory: Directory, { to, by }: Caused): void {
  const { bySender } = directory.sent;
  const sender = senderOf(directory, by);
  const sent = bySender.get(sender);
  if (!sent?.includes(to)) return;
  const others = sent.filter((person) => person !== to);
  if (others.length > 0) bySender.set(sender, others);
  else bySender.delete(sender);
}

/** Notices per person and hour: fewer where each message costs money. */
export function noticesMaxAt(home: string): number {
  return home.startsWith("sms/") ? directoryLimits.noticesBySmsMax : directoryLimits.noticesMax;
}
