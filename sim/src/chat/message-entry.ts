import { challenge, type Decided, named, quit, withdrawn } from "./deciding.ts";
import {
  type Conversation,
  conversationAt,
  type Directory,
  forgetAfterMs,
  forgetTimeFor,
  forgottenFirst,
  isFullOfTalk,
  namelessMs,
  nameOf,
  openBetween,
  openDuels,
  type Person,
  personCalled,
  personKnown,
  seatOf,
} from "./directory.ts";
import type { Message, Wish } from "./message.ts";

/** The ladder that a message refers to; undefined when no ladder has that name. */
export type LadderMeant =
  | { readonly id: string; readonly takesDuels: boolean; readonly admits: boolean }
  | undefined;

/** The expected entry for a message. */
export interface MessageEntry {
  readonly events: readonly object[];
  /** The person of the last event. */
  readonly person: string | null;
  readonly to: string | null;
  /** Texts that the reply must contain; undefined when a ladder replies. */
  readonly facts?: readonly string[];
  /** CH8: the carrier sends the reply. */
  readonly isSilent?: true;
  readonly question?: object;
  readonly asker?: object | null;
  readonly ladder?: string;
}

interface Scene {
  readonly directory: Directory;
  readonly message: Message;
  readonly conversation: number | null;
  readonly speaker: Person | undefined;
  /** The sender; undefined for a person without a nickname on a channel. */
  readonly id: string | undefined;
  readonly home: string;
  readonly ladder: LadderMeant;
}

type Response = Pick<MessageEntry, "events" | "facts" | "isSilent" | "question">;
type WishOf<Type extends Wish["type"]> = Extract<Wish, { readonly type: Type }>;

const say = (...facts: string[]): Response => ({ events: [], facts });

/** CH2: the expected entry for a message received now. `isBroken`: the message must have no effect. */
export function entryOfMessage(
  directory: Directory,
  message: Message,
  ladder: LadderMeant,
  isBroken = false,
): MessageEntry {
  const { channel, sender, place, title } = message;
  const known = place === undefined ? undefined : conversationAt(directory, channel, place);
  const isNew = place !== undefined && !known;
  const conversation = isNew ? directory.conversationsMet + 1 : (known?.number ?? null);
  const speaker = speakerIn(directory, message);
  const id = channel === "web" ? sender : speaker?.person;
  const home = conversation === null ? `conversation/${id}` : `${channel}/${conversation}`;
  const scene: Scene = { directory, message, conversation, speaker, id, home, ladder };
  const response = isBroken ? say("went wrong") : responseTo(scene, message.wish);
  const isStopped = known?.stopped === true;
  const before: object[] = [];
  const talking = { isNamed: speaker !== undefined, isGroup: title !== undefined, isStopped };
  const forgetAt = forgetTimeFor(directory, { ...talking, before: known?.forgetAt ?? null });
  // LM6: evict the conversation that would be forgotten first.
  const first = isNew && isFullOfTalk(directory) ? forgottenFirst(directory) : undefined;
  if (first) before.push({ type: "conversation-forgotten", conversation: first.number });
  if (isNew) before.push({ type: "met", conversation, channel, place, title: title ?? null, forgetAt });
  if (known && known.forgetAt !== forgetAt) before.push({ type: "kept", conversation, forgetAt });
  // A group is not a private home: everybody in it could read the notices.
  if (speaker && title === undefined && speaker.home !== home)
    before.push({ type: "homed", person: speaker.person, home });
  return {
    events: [...before, ...response.events],
    person: id ?? null,
    to: channel === "phone" ? null : home,
    ...(response.question
      ? {
          question: response.question,
          asker: speaker ? { person: speaker.person, name: speaker.nickname } : null,
          ladder: ladder!.id,
        }
      : { facts: response.facts ?? [], ...(response.isSilent && { isSilent: true }) }),
  };
}

function responseTo(scene: Scene, wish: Wish): Response {
  const { directory, speaker } = scene;
  switch (wish.type) {
    case "help":
    case "nonsense":
      return say();
    case "stop":
    case "start":
      return consenting(scene, wish.type);
    case "nick":
      return nick(scene, wish.name);
    case "throw":
      return throwing(scene, wish);
    case "games":
      return speaker ? say(...openDuels(directory, speaker.person).map(otherThan(scene))) : say("nickname");
    case "quit":
      return quitting(scene);
    case "drop":
      return dropping(scene, wish.at);
    default:
      return ofLadder(scene, wish);
  }
}

/** CH8: STOP ends all messages to this conversation until START. */
function consenting({ directory, speaker, conversation }: Scene, what: "stop" | "start"): Response {
  const isStopped = isStoppedAt(directory, conversation);
  if (what === "stop") {
    const events = isStopped ? [] : [{ type: "unsubscribed", conversation }];
    return { events, facts: [], isSilent: true };
  }
  if (!isStopped) return say();
  const forgetAt = speaker ? null : directory.at + namelessMs;
  return { events: [{ type: "resubscribed", conversation, forgetAt }], facts: [] };
}

function isStoppedAt({ conversations }: Directory, conversation: number | null): boolean {
  return conversations.some(({ number, stopped }) => number === conversation && stopped);
}

/** CH5: a person without a nickname may also ask to have their address forgotten. */
function quitting({ directory, speaker, message, conversation }: Scene): Response {
  const isAlone = message.title === undefined;
  const isHere = isAlone && !isStoppedAt(directory, conversation);
  if (speaker)
    return coming(
      quit(directory, speaker.person, isHere ? conversation : ownConversation(directory, speaker)),
    );
  if (!isAlone || conversation === null) return say("nickname");
  if (!isHere) return say();
  return { events: [{ type: "kept", conversation, forgetAt: directory.at + forgetAfterMs }], facts: [] };
}

function dropping({ directory, speaker }: Scene, at: string): Response {
  if (!speaker) return say("nickname");
  const other = personCalled(directory, at);
  if (!other) return say(at.normalize("NFC"));
  const duel = other === speaker ? undefined : openBetween(directory, speaker.person, other.person);
  return duel ? coming(withdrawn(directory, duel, speaker.person), other.nickname) : say(other.nickname);
}

function coming(decided: Decided, ...facts: string[]): Response {
  return "events" in decided ? { events: decided.events, facts } : say();
}

function otherThan({ directory, speaker }: Scene): (duel: { players: readonly string[] }) => string {
  return ({ players }) => nameOf(directory, players.find((player) => player !== speaker!.person)!);
}

/** The person's private conversation, if they have one. */
function ownConversation({ conversations }: Directory, { home, account }: Person): number | null {
  const isOwn = ({ channel, number, title, stopped }: Conversation) =>
    home === `${channel}/${number}` && title === null && !stopped;
  return account === null ? null : (conversations.find(isOwn)?.number ?? null);
}

function nick({ directory, message, speaker, id, home, conversation }: Scene, name: string): Response {
  const { channel, sender, title } = message;
  const account = channel === "web" ? null : `${channel} ${sender}`;
  const person = id ?? `chat_${directory.peopleMet + 1}`;
  const isAlone = title === undefined;
  const own = isAlone ? home : (speaker?.home ?? home);
  const response = coming(named(directory, { person, home: own, account }, name), name.normalize("NFC"));
  const isFirst = response.events.length > 0 && !speaker && conversation !== null && isAlone;
  // The conversation of a person with a nickname is kept.
  const kept = isFirst ? [{ type: "kept", conversation, forgetAt: null }] : [];
  return { ...response, events: [...response.events, ...kept] };
}

/** CH4. */
function throwing(scene: Scene, { hand, at, rated }: WishOf<"throw">): Response {
  const { directory, speaker, message, ladder } = scene;
  if (message.title !== undefined) return say("private");
  if (!speaker) return say("nickname");
  const { person } = speaker;
  const waiting = openDuels(directory, person).filter((duel) => duel.hands[seatOf(duel, person)] === null);
  if (at === undefined && waiting.length !== 1) return say(...waiting.map(otherThan(scene)));
  const opponent =
    at === undefined
      ? waiting[0].players.find((player) => player !== person)!
      : personCalled(directory, at)?.person;
  if (opponent === undefined) return say(at!.normalize("NFC"));
  if (rated && !ladder?.takesDuels) return say("ladder");
  const decided = challenge(directory, { person, opponent, hand, ladder: rated ? ladder!.id : null });
  const last = "events" in decided && (decided.events.at(-1) as { type: string; hands?: readonly string[] });
  const facts = last && last.type === "duel-ended" ? last.hands! : [nameOf(directory, opponent)];
  return coming(decided, ...facts);
}

type LadderWish = Exclude<Wish, WishOf<NotForLadders>>;
type NotForLadders = "help" | "nonsense" | "stop" | "start" | "nick" | "throw" | "drop" | "games" | "quit";

/** Resolves the names in a message to people once, before the ladder sees them. */
function ofLadder({ directory, speaker, message, conversation, ladder }: Scene, wish: LadderWish): Response {
  if (!ladder) return say("ladder");
  const isLook = wish.type === "top" || ((wish.type === "rating" || wish.type === "history") && !!wish.of);
  if (!speaker && !isLook) return say("nickname");
  const question = questionOf(directory, wish, speaker);
  if (question === undefined) return say();
  const group = directory.conversations.find(({ number }) => number === conversation);
  const isUnlinked = message.title !== undefined && !group?.ladder;
  const isRegister = wish.type === "register";
  const { id, admits } = ladder;
  const events: object[] = [];
  // A refused registration does not link the group.
  if (isUnlinked && (admits || !isRegister)) events.push({ type: "linked", conversation, ladder: id });
  if (isRegister && admits) events.push({ type: "registered", person: speaker!.person, ladder: id });
  return { events, question };
}

const scoreMax = 1_000;

/** Undefined when a name is unknown or the score is impossible. */
function questionOf(directory: Directory, wish: LadderWish, speaker: Person | undefined): object | undefined {
  const called = (name: string | undefined) => {
    const found = name === undefined ? speaker : personCalled(directory, name);
    return found && { person: found.person, name: found.nickname };
  };
  if (wish.type === "confirm" && wish.of === undefined) return { type: "confirm" };
  if (wish.type === "rating" || wish.type === "history" || wish.type === "confirm") {
    const of = called(wish.of);
    return of && { type: wish.type, of };
  }
  if (wish.type !== "match") return { type: wish.type };
  const { scores } = wish;
  const [first, second] = [called(wish.players[0]), called(wish.players[1])];
  const isFit = first && second && Math.max(...scores) <= scoreMax;
  return isFit ? { type: "match", players: [first, second], scores } : undefined;
}

/** The sender, if they have a nickname. */
export function speakerIn(directory: Directory, { channel, sender }: Message): Person | undefined {
  if (channel === "web") return personKnown(directory, sender);
  return directory.people.find(({ account }) => account === `${channel} ${sender}`);
}

/** The ladder meant here: by its name, or from the conversation or person; undefined for the default ladder. */
export function ladderMeant(
  directory: Directory,
  message: Message,
): { readonly named: string } | { readonly known: string } | undefined {
  const { channel, place, title, wish } = message;
  if (wish.type === "register" && wish.ladder !== undefined) return { named: wish.ladder };
  const linked = place === undefined ? null : (conversationAt(directory, channel, place)?.ladder ?? null);
  if (linked !== null) return { known: linked };
  if (title !== undefined) return undefined;
  const own = speakerIn(directory, message)?.ladders.at(-1);
  return own === undefined ? undefined : { known: own };
}

/** Whether the ladder is looked up before the message is processed. */
export function isAboutLadder({ wish }: Message): boolean {
  if (wish.type === "throw") return wish.rated;
  return !["help", "nonsense", "stop", "start", "nick", "drop", "games", "quit"].includes(wish.type);
}
