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
  /** The hour in which they last did something. */
  readonly usedAt: number;
  readonly hasPlayed: boolean;
}

export interface Conversation {
  readonly number: number;
  readonly channel: string;
  readonly place: string;
  readonly title: string | null;
  readonly ladder: string | null;
  /** Between two, of somebody without a name. */
  readonly forgetAt: number | null;
  /** CH8. */
  readonly stopped: boolean;
}

export interface Duel {
  readonly number: number;
  readonly players: Both<string>;
  readonly hands: Both<Hand | null>;
  readonly ladders: Both<string | null>;
  readonly openedAt: Millis;
  readonly lapsesAt: number;
  /** Null while it is open. */
  readonly end: DuelEnd | null;
}

interface DuelEnd {
  readonly at: Millis;
  /** The so-manieth of all that have ended. */
  readonly nth: number;
  readonly names: Both<string>;
  /** Undefined of one that was dropped. */
  readonly winner?: 0 | 1 | null;
  readonly ladder?: string | null;
  readonly dropped?: string;
}

/**
 * The directory as the specification tells it: plain lists, copied with every entry, with nothing taken over from the
 * kernel but the words. Slow and obvious, so that it can be believed.
 */
export interface Directory {
  readonly at: Millis;
  /** It has none. */
  readonly terms: undefined;
  readonly people: readonly Person[];
  readonly conversations: readonly Conversation[];
  /** All that ever were, by number. */
  readonly duels: readonly Duel[];
  /** The version up to which each ladder has been heard. */
  readonly sources: ReadonlyMap<string, number>;
  /** How much somebody was told of late that they did not ask for. */
  readonly notices: ReadonlyMap<string, Notices>;
  /** LM6: who had whom told something in this hour of the clock, by sender. */
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
  readonly told: readonly { readonly by: string; readonly to: string }[];
}

export const emptyDirectory: Directory = {
  ...{ at: 0 as Millis, terms: undefined, people: [], conversations: [], duels: [], sources: new Map() },
  ...{ notices: new Map(), sent: { hour: 0, told: [] }, peopleMet: 0, conversationsMet: 0 },
};

const dayMs = 86_400_000;
const hourMs = dayMs / 24;

export function hourOf(at: number): number {
  return Math.floor(at / hourMs);
}

/** Whether they are told things on our own pages, where nothing rings. */
export function hasPage(directory: Directory, person: string): boolean {
  return personKnown(directory, person)?.home.startsWith("conversation/") === true;
}

/** LM6: who is evicted first. People with an account stay; those with an open duel are last, before them those on ladders. */
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

/** LM6: who is counted as the sender of a notice. On a channel, somebody who quits and comes back is still the same. */
export function senderOf(directory: Directory, person: string): string {
  return personKnown(directory, person)?.account ?? person;
}

export function isFullOfTalk({ conversations }: Directory): boolean {
  return conversations.length >= limits.conversations;
}

/** LM6: the conversation that would be forgotten first. */
export function forgottenFirst({ conversations }: Directory): Conversation | undefined {
  return conversations
    .filter(({ forgetAt }) => forgetAt !== null)
    .toSorted((one, other) => one.forgetAt! - other.forgetAt! || one.number - other.number)[0];
}

/** Of a duel that is over: one of its two is still shown it. */
export function isRemembered(directory: Directory, duel: Duel): boolean {
  return duel.players.some((person) => {
    const over = directory.duels.filter(({ end, players }) => end !== null && players.includes(person));
    const latest = over.toSorted((one, other) => other.end!.nth - one.end!.nth).slice(0, shownDuels);
    return latest.includes(duel);
  });
}

/** A conversation that was quit is forgotten after so long, and that of somebody who never had a name, after so long. */
export const forgetAfterMs = dayMs / 24;
export const namelessMs = 30 * dayMs;
/** A duel that is left open is off. */
export const duelLastsMs = 7 * dayMs;
/** The latest of one's duels that are over are remembered for showing. */
export const shownDuels = 20;

/** NM1: in whatever case, and however the letters are encoded. */
export function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");
  return plain(one) === plain(other);
}

/** NM2: as it is shown; undefined when nobody may be called so. */
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

/** Of one person, or of all; the oldest first. */
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

/** When it is to be forgotten that somebody speaks there; null for never. A day more or less does not matter. */
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

/** CH8: whether nothing may be sent there. */
export function isStopped({ conversations }: Directory, home: string): boolean {
  return conversations.some(({ channel, number, stopped }) => home === `${channel}/${number}` && stopped);
}

/** Whether others read along there. */
export function isOverheard({ conversations }: Directory, home: string): boolean {
  return conversations.some(
    ({ channel, number, title }) => home === `${channel}/${number}` && title !== null,
  );
}

export function withAt<T>(both: Both<T>, seat: 0 | 1, value: T): Both<T> {
  return seat === 0 ? [value, both[1]] : [both[0], value];
}
