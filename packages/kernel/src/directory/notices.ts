import type { DuelSeat } from "../duel/duel.ts";
import type { Millis, PersonId } from "../values.ts";
import { type Directory, directoryLimits, hasInbox, type SentNotices } from "./directory.ts";
import type { DirectoryEvent, DuelDropped } from "./events.ts";

/** What somebody is told though they did not ask for it: anybody could keep their phone ringing. */
export interface Notice {
  readonly to: PersonId;
  /** By whose doing; undefined when time alone is to blame. */
  readonly by: PersonId | undefined;
}

/** What an event says is told, in its order. */
export function noticesIn(event: DirectoryEvent): readonly Notice[] {
  switch (event.type) {
    case "duel-opened":
    case "thrown":
    case "duel-dropped":
      return seatsTold(event).map((seat) => ({ to: event.players[seat], by: causeOf(event) }));
    case "passed":
      return event.notices.map(({ person, by }) => ({ to: person, by }));
    default:
      return [];
  }
}

type Telling = Extract<DirectoryEvent, { readonly type: "duel-opened" | "thrown" | "duel-dropped" }>;

/** Events that were written before they said whom they tell told everybody else. */
export function seatsTold(event: Telling): readonly DuelSeat[] {
  if (event.tells) return event.tells;
  if (event.type === "thrown") return [];
  return event.type === "duel-opened" ? [1] : ([0, 1] as const).filter((seat) => seat !== event.by);
}

function causeOf(event: Telling): PersonId | undefined {
  if (event.type === "duel-opened") return event.players[0];
  return event.by === null ? (event as DuelDropped).cause : event.players[event.by];
}

/** LM6: whether one person may have another told something by the entry that is being decided. What they may counts. */
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
    const told = this.#counted.get(by) ?? sentBy(this.#directory.sent, by, this.#now);
    const { noticesFromOneMax, noticesOfPairMax } = directoryLimits;
    const toSame = told.filter((person) => person === to).length;
    const isTooOften = toSame >= noticesOfPairMax && !hasInbox(this.#directory, to);
    if (told.length >= noticesFromOneMax || isTooOften) return false;
    this.#counted.set(by, [...told, to]);
    return true;
  }
}

function sentBy({ hour, bySender }: SentNotices, person: PersonId, now: Millis): readonly PersonId[] {
  return hour === hourOf(now) ? (bySender.get(person) ?? []) : [];
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
  bySender.set(by, [...(bySender.get(by) ?? []), to]);
}

/** Whoever throws at somebody was glad to be told of them: it counts no more, so that two may play as often as they like. */
export function welcome(
  { sent: { bySender } }: Directory,
  { to, by }: Notice & { readonly by: PersonId },
): void {
  const told = bySender.get(by);
  if (!told?.includes(to)) return;
  const others = told.filter((person) => person !== to);
  if (others.length > 0) bySender.set(by, others);
  else bySender.delete(by);
}

/** How much one person is told in an hour: less where each message costs money. */
export function noticesMaxAt(home: string): number {
  return home.startsWith("sms/") ? directoryLimits.noticesBySmsMax : directoryLimits.noticesMax;
}
