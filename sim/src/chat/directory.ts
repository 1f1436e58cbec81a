import type { Both, DirectoryEvent, Hand, Millis } from "@openseat/kernel";
import { limits } from "../limits.ts";

export type EventOf<Type extends DirectoryEvent["type"]> = Extract<DirectoryEvent, { readonly type: Type }>;

export interface Person {
  readonly person: string;
  readonly nickname: string;
  /** Channel and sender; null for the subject of a token. */
  readonly account: string | null;
  readonly home: string;
  readonly ladders: readonly string[];
  readonly namedAt: number;
  /** The hour of their last activity. */
  readonly usedAt: number;
  readonly hasPlayed: boolean;
}

export interface Conversation {
  readonly number: number;
  readonly channel: string;
  readonly place: string;
  readonly title: string | null;
  readonly ladder: string | null;
  /** Set only for two-person conversations of people without a nickname. */
  readonly forgetAt: number | null;
  /** CH8: the person opted out with STOP. */
  readonly stopped: boolean;
}

export interface Duel {
  readonly number: number;
  readonly players: Both<string>;
  readonly hands: Both<Hand | null>;
  readonly ladders: Both<string | null>;
  readonly openedAt: Millis;
  readonly lapsesAt: number;
  /** Null while the duel is open. */
  readonly end: DuelEnd | null;
}

interface DuelEnd {
  readonly at: Millis;
  /** Position among all finished duels. */
  readonly nth: number;
  readonly names: Both<string>;
  /** Undefined for a dropped duel. */
  readonly winner?: 0 | 1 | null;
  readonly ladder?: string | null;
  readonly dropped?: string;
}

/**
 * The directory as the specification describes it: plain lists, copied for every entry. It shares only type names
 * with the kernel, so that a kernel bug cannot hide here.
 */
export interface Directory {
  readonly at: Millis;
  /** A directory has no terms. */
  readonly terms: undefined;
  readonly people: readonly Person[];
  readonly conversations: readonly Conversation[];
  /** All duels ever, by number. */
  readonly duels: readonly Duel[];
  /** The version received so far from each ladder. */
  readonly sources: ReadonlyMap<string, number>;
  /** Recent unsolicited notices per person. */
  readonly notices: ReadonlyMap<string, Notices>;
  /** LM6: notices per sender in the current hour. */
  readonly sent: Sent;
  readonly peopleMet: number;
  readonly conversationsMet: number;
}

export interface Notices {
  readonly since: Millis;
  readonly count: number;
}

interface Sent {
  readonly hour: number;
  readonly notices: readonly { readonly by: string; readonly to: string }[];
}

export const emptyDirectory: Directory = {
  ...{ at: 0 as Millis, terms: undefined, people: [], conversations: [], duels: [], sources: new Map() },
  ...{ notices: new Map(), sent: { hour: 0, notices: [] }, peopleMet: 0, conversationsMet: 0 },
};

const dayMs = 86_400_000;
const hourMs = dayMs / 24;

export function hourOf(at: number): number {
  return Math.floor(at / hourMs);
}

/** Whether their notices go to the built-in pages, which send no alerts. */
export function hasPage(directory: Directory, person: string): boolean {
  return personKnown(directory, person)?.home.startsWith("conversation/") === true;
}

/**
 * LM6: the eviction order. People with an account stay. People with an open duel go last, and people on ladders
 * just before them.
 */
export function firstEvicted(directory: Directory): Person | undefined {
  const rankOf = (person: Person): readonly [tier: number, since: number] => {
    const { ladders, usedAt, namedAt, hasPlayed } = person;
    if (openDuels(directory, person.person).length > 0) return [3, usedAt];
    if (ladders.length > 0) return [2, usedAt];
    return hasPlayed || usedAt > hourOf(namedAt) ? [1, usedAt] : [0, namedAt];
  };
  return directory.people
    .filter(({ account }) => account === null)
    .toSorted((one, other) => {
      const [[tier, since], [otherTier, otherSince]] = [rankOf(one), rankOf(other)];
      return tier - otherTier || since - otherSince || (one.person < other.person ? -1 : 1);
    })[0];
}

/** LM6: the person charged for a notice. On a channel, a person who quits and returns is the same sender. */
export function senderOf(directory: Directory, person: string): string {
  return personKnown(directory, person)?.account ?? person;
}

export function isFullOfTalk({ conversations }: Directory): boolean {
  return conversations.length >= limits.conversations;
}

/** LM6: the first conversation to be forgotten. */
export function forgottenFirst({ conversations }: Directory): Conversation | undefined {
  return conversations
    .filter(({ forgetAt }) => forgetAt !== null)
    .toSorted((one, other) => one.forgetAt! - other.forgetAt! || one.number - other.number)[0];
}

/** Whether one of the two players still sees this finished duel. */
export function isRemembered(directory: Directory, duel: Duel): boolean {
  return duel.players.some((person) => {
    const over = directory.duels.filter(({ end, players }) => end !== null && players.includes(person));
    const latest = over.toSorted((one, other) => other.end!.nth - one.end!.nth).slice(0, shownDuels);
    return latest.includes(duel);
  });
}

/**
 * Conversations are forgotten after this long: first those that were quit, then those of people who never had a
 * nickname.
 */
export const forgetAfterMs = dayMs / 24;
export const namelessMs = 30 * dayMs;
/** Open duels expire after this time. */
export const duelLastsMs = 7 * dayMs;
/** The number of finished duels shown per person. */
export const shownDuels = 20;

/** NM1: names are equal regardless of case and encoding. */
export function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");
  return plain(one) === plain(other);
}

/** NM2: the nickname as displayed; undefined if it is not allowed. */
export function nicknameFrom(typed: string): string | undefined {
  const name = typed.normalize("NFC").trim();
  return /^[\p{L}\p{N}_-]{2,20}$/u.test(name) && /[\p{L}\p{N}]/u.test(name) ? name : undefined;
}

export function personCalled({ people }: Directory, name: string): Person | undefined {
  return people.find(({ nickname }) => isSameName(nickname, name.normalize("NFC")));
}

export function personKnown({ people }: Directory, id: string | undefined): Person | undefined {
  return people.find(({ person }) => person === id);
}

export function nameOf(directory: Directory, id: string): string {
  return personKnown(directory, id)?.nickname ?? "someone";
}

export function namesOf(directory: Directory, [one, other]: Both<string>): Both<string> {
  return [nameOf(directory, one), nameOf(directory, other)];
}

/** Open duels of one person or of everybody, oldest first. */
export function openDuels({ duels }: Directory, person?: string): Duel[] {
  return duels.filter(
    ({ end, players }) => end === null && (person === undefined || players.includes(person)),
  );
}

export function endedDuels({ duels }: Directory): number {
  return duels.filter(({ end }) => end !== null).length;
}

export function openBetween(directory: Directory, one: string, other: string): Duel | undefined {
  return openDuels(directory, one).find(({ players }) => players.includes(other));
}

export function seatOf({ players }: Pick<Duel, "players">, person: string): 0 | 1 {
  return players[0] === person ? 0 : 1;
}

const beaten: Readonly<Record<Hand, Hand>> = { rock: "scissors", paper: "rock", scissors: "paper" };

export function winnerOf([first, second]: Both<Hand>): 0 | 1 | null {
  if (first === second) return null;
  return beaten[first] === second ? 0 : 1;
}

export function conversationAt(
  { conversations }: Directory,
  channel: string,
  place: string | undefined,
): Conversation | undefined {
  return conversations.find((each) => each.channel === channel && each.place === place);
}

/** When a conversation is forgotten; null for never. Accurate to a day. */
export function forgetTimeFor(
  { at }: Directory,
  {
    isNamed,
    isGroup,
    isStopped,
    before,
  }: { isNamed: boolean; isGroup: boolean; isStopped: boolean; before: number | null },
): number | null {
  if (isNamed || isGroup || isStopped) return null;
  const forgetAt = at + namelessMs;
  return before !== null && forgetAt - before < dayMs ? before : forgetAt;
}

/** CH8: whether messages to this conversation are stopped. */
export function isStopped({ conversations }: Directory, home: string): boolean {
  return conversations.some(({ channel, number, stopped }) => home === `${channel}/${number}` && stopped);
}

/** Whether other people can read the conversation. */
export function hasReaders({ conversations }: Directory, home: string): boolean {
  return conversations.some(
    ({ channel, number, title }) => home === `${channel}/${number}` && title !== null,
  );
}

export function withAt<T>(both: Both<T>, seat: 0 | 1, value: T): Both<T> {
  return seat === 0 ? [value, both[1]] : [both[0], value];
}
