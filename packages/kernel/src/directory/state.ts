import { folded } from "../chat/nicknames.ts";
import { Agenda } from "../collections/agenda.ts";
import { Duels } from "../duel/duels.ts";
import type { Millis, PersonId } from "../values.ts";
import { EvictionOrder } from "./eviction/eviction-order.ts";
import { rankForEviction } from "./eviction/idleness.ts";

/** 1, 2, 3… in the order of the first message. It is how a conversation is called where its address is nobody's business. */
export type ConversationNumber = number & { readonly brand: "conversation" };

/** Where people on a channel are talked with. */
export interface Conversation {
  readonly channel: string;
  /** The channel's own address of it: a number of a phone, say. Nobody else is ever shown it. */
  readonly place: string;
  /** Of a group, where everybody reads along; null between two. */
  readonly title: string | null;
  /** The ladder of a group; null when it has none yet. */
  readonly ladder: string | null;
  /** Between two, of somebody without a name: when it is forgotten, unless they write before. */
  readonly forgetAt: Millis | null;
  /** CH8: the person there wrote STOP, so nothing may be sent to them. */
  readonly stopped?: true;
}

/** Somebody with a nickname. */
export interface Person {
  readonly nickname: string;
  /** What other names are compared with. It is kept: another version of Unicode might fold otherwise. */
  readonly fold: string;
  /** Channel and sender, of those who are known by that alone; null for the subject of a token. */
  readonly account: string | null;
  /** Where to tell them what others did: a stream, or a conversation of a channel. */
  readonly home: string;
  /** Those that they registered on by chat, the latest last: it is the one that they mean. */
  readonly ladders: readonly string[];
  readonly namedAt: Millis;
  /** The hour in which they last did something. */
  readonly usedAt: Millis;
  /** They have played a duel to its end. */
  readonly hasPlayed: boolean;
  /** The network from which they took their first nickname, as a hash; undefined on channels. */
  readonly network?: string;
}

/** Who is called what, how they are reached, and their duels. */
export interface Directory {
  readonly people: Map<PersonId, Person>;
  /** By the folded name. */
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
  /** The version up to which each ladder has been heard: what it sends may come twice. */
  readonly heard: Map<string, number>;
  /** How much somebody was told in this hour that they did not ask for. */
  readonly notices: Map<PersonId, Notices>;
  sent: SentNotices;
  /** How many people were ever given an id here, and how many conversations a number. */
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
  /** By account on a channel, or by person: somebody who quits and comes back on a channel is a new person. */
  readonly bySender: Map<string, readonly PersonId[]>;
}

export function newDirectory(): Directory {
  return assembled({
    people: new Map(),
    conversations: new Map(),
    duels: new Duels(),
    heard: new Map(),
    notices: new Map(),
    sent: { hour: 0, bySender: new Map() },
    peopleMet: 0,
    conversationsMet: 0,
  });
}

/** With what follows from the rest. */
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

/** No channel has a space in its name, so no two addresses are one. */
export function addressOf(channel: string, address: string): string {
  return `${channel} ${address}`;
}

export function personCalled({ nicknames }: Directory, name: string): PersonId | undefined {
  return nicknames.get(folded(name));
}

/** Whether others read along where this person is told things. */
export function isOverheard({ conversations }: Directory, home: string): boolean {
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  return !home.startsWith(inboxKind) && (conversations.get(number)?.title ?? null) !== null;
}

/** CH8: whether nothing may be sent to where this person is told things. */
export function isStopped({ conversations }: Directory, home: string): boolean {
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  return !home.startsWith(inboxKind) && conversations.get(number)?.stopped === true;
}

export function nameOf({ people }: Directory, person: PersonId): string {
  return people.get(person)?.nickname ?? "someone";
}

/** The conversation to forget with this person; null when others read along there, it is none of a channel, or it is stopped (CH8). */
export function ownConversation(
  { people, conversations }: Directory,
  person: PersonId,
): ConversationNumber | null {
  const { home = "", account = null } = people.get(person) ?? {};
  const number = Number(home.slice(home.indexOf("/") + 1)) as ConversationNumber;
  const known = conversations.get(number);
  return account !== null && known?.title === null && !known.stopped ? number : null;
}

/** The stream in which those who have a token find what they were told. */
export function inboxOf(person: PersonId): string {
  return `${inboxKind}${person}`;
}

/** Whether they are told things on our own pages, where nothing rings and nothing costs money. */
export function hasInbox({ people }: Directory, person: PersonId): boolean {
  return people.get(person)?.home.startsWith(inboxKind) === true;
}

const inboxKind = "conversation/";
