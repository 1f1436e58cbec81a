import { folded } from "../chat/nicknames.ts";
import { Agenda } from "../collections/agenda.ts";
import { Duels } from "../duel/duels.ts";
import type { Millis, PersonId } from "../values.ts";
import { EvictionOrder } from "./eviction/eviction-order.ts";
import { rankForEviction } from "./eviction/idleness.ts";

/** 1, 2, 3… in the order of the first message. Used as the conversation's id where its address must stay private. */
export type ConversationNumber = number & { readonly brand: "conversation" };

/** A conversation with people on a channel. */
export interface Conversation {
  readonly channel: string;
  /** The channel's own address, such as a phone number. It is never shown to anybody else. */
  readonly place: string;
  /** The title of a group, where everybody reads along; null in private. */
  readonly title: string | null;
  /** The ladder of a group; null when it has none. */
  readonly ladder: string | null;
  /** For a private conversation with a person without a nickname: when it is forgotten if they stay silent. */
  readonly forgetAt: Millis | null;
  /** CH8: the person there wrote STOP, so nothing may be sent to them. */
  readonly stopped?: true;
}

/** A person with a nickname. */
export interface Person {
  readonly nickname: string;
  /** The form that names are compared by. Stored, because another version of Unicode might fold differently. */
  readonly fold: string;
  /** Channel and sender, for people known only by that; null for the subject of a token. */
  readonly account: string | null;
  /** Where they get notices: a stream, or a conversation on a channel. */
  readonly home: string;
  /** The ladders that they registered on by chat, latest last. The last one is their default. */
  readonly ladders: readonly string[];
  readonly namedAt: Millis;
  /** The hour in which they last did something. */
  readonly usedAt: Millis;
  /** Whether they have finished a duel. */
  readonly hasPlayed: boolean;
  /** A hash of the network from which they took their first nickname; undefined on channels. */
  readonly network?: string;
}

/** Nicknames, how people are reached, and their duels. */
export interface Directory {
  readonly people: Map<PersonId, Person>;
  /** By folded nickname. */
  readonly nicknames: Map<string, PersonId>;
  /** LM6: who is evicted first when there are too many people. */
  readonly evictable: EvictionOrder;
  /** By channel and sender. */
  readonly accounts: Map<string, PersonId>;
  readonly conversations: Map<ConversationNumber, Conversation>;
  /** By channel and place. */
  readonly places: Map<string, ConversationNumber>;
  /** When conversations are to be forgotten. */
  readonly forgetting: Agenda;
  readonly duels: Duels;
  /** By ladder, the version up to which its deliveries were handled, because they may arrive twice. */
  readonly receivedUpTo: Map<string, number>;
  /** Unsolicited notices per recipient in this hour. */
  readonly notices: Map<PersonId, Notices>;
  sent: SentNotices;
  /** How many people ever got an id here, and how many conversations a number. */
  peopleMet: number;
  conversationsMet: number;
}

export interface Notices {
  readonly since: Millis;
  readonly count: number;
}

/** LM6: who was notified in this hour of the clock, by sender, once per notice. */
interface SentNotices {
  readonly hour: number;
  /** By account on a channel, or by person: a person who quits and comes back on a channel has a new id. */
  readonly bySender: Map<string, readonly PersonId[]>;
}

export function newDirectory(): Directory {
  return assembled({
    people: new Map(),
    conversations: new Map(),
    duels: new Duels(),
    receivedUpTo: new Map(),
    notices: new Map(),
    sent: { hour: 0, bySender: new Map() },
    peopleMet: 0,
    conversationsMet: 0,
  });
}

/** Adds the parts that are derived from the rest. */
export function assembled(
  parts: Omit<Directory, "nicknames" | "accounts" | "places" | "forgetting" | "evictable">,
): Directory {
  const { people, conversations } = parts;
  const forgetting = new Agenda(
    (number, at) => conversations.get(number as ConversationNumber)?.forgetAt === at,
  );
  const nicknames = new Map<string, PersonId>();
  const accounts = new Map<string, PersonId>();
  const places = new Map<string, ConversationNumber>();
  for (const [person, { fold, account }] of people) {
    nicknames.set(fold, person);
    if (account !== null) accounts.set(account, person);
  }
  for (const [number, { channel, place, forgetAt }] of conversations) {
    places.set(addressOf(channel, place), number);
    if (forgetAt !== null) forgetting.add(number, forgetAt);
  }
  const evictable = new EvictionOrder();
  const directory = { ...parts, nicknames, accounts, places, forgetting, evictable };
  for (const person of people.keys()) rankForEviction(directory, person);
  return directory;
}

/** No channel name contains a space, so no two addresses are equal. */
export function addressOf(channel: string, address: string): string {
  return `${channel} ${address}`;
}

export function personCalled({ nicknames }: Directory, name: string): PersonId | undefined {
  return nicknames.get(folded(name));
}

/** Whether other people can read this person's notices. */
export function hasReaders({ conversations }: Directory, home: string): boolean {
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  return !home.startsWith(inboxKind) && (conversations.get(number)?.title ?? null) !== null;
}

/** CH8: whether nothing may be sent to this person's address. */
export function isStopped({ conversations }: Directory, home: string): boolean {
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  return !home.startsWith(inboxKind) && conversations.get(number)?.stopped === true;
}

export function nameOf({ people }: Directory, person: PersonId): string {
  return people.get(person)?.nickname ?? "someone";
}

/**
 * The conversation to forget with this person. Null for a group, for a conversation that is not on a channel, and for
 * a stopped one (CH8).
 */
export function ownConversation(
  { people, conversations }: Directory,
  person: PersonId,
): ConversationNumber | null {
  const { home = "", account = null } = people.get(person) ?? {};
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  const known = conversations.get(number);
  return account !== null && known?.title === null && !known.stopped ? number : null;
}

/** The stream with the conversation of a person with a token. */
export function inboxOf(person: PersonId): string {
  return `${inboxKind}${person}`;
}

/** Whether they get notices on our own pages, which cost nothing and do not ring. */
export function hasInbox({ people }: Directory, person: PersonId): boolean {
  return people.get(person)?.home.startsWith(inboxKind) === true;
}

const inboxKind = "conversation/";
