import {
  type CommandName,
  isForLadder,
  type LadderSaying,
  type Saying,
  understand,
} from "../chat/grammar.ts";
import { clipped } from "../chat/tidy.ts";
import * as words from "../chat/words.ts";
import type { Decision } from "../decider.ts";
import { otherSeat, seatIn } from "../duel/duel.ts";
import type { LadderQuestion, NamedPerson } from "../ladder/commands.ts";
import { ladderLimits } from "../ladder/limits.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis, PersonId } from "../values.ts";
import type { HandleMessage } from "./commands.ts";
import { challenge, type DuelEvent, drop } from "./dueling.ts";
import type { DirectoryEvent } from "./events.ts";
import { directoryLimits } from "./limits.ts";
import { quit, takeName } from "./naming.ts";
import { waitingFor } from "./questions.ts";
import { directoryFull, nicknameMissing, nobodyCalled } from "./refusals.ts";
import {
  addressOf,
  type ConversationNumber,
  type Directory,
  inboxOf,
  nameOf,
  ownConversation,
  personCalled,
} from "./state.ts";

/** The sender, the conversation and the state that a message is decided in. */
interface Scene {
  readonly directory: Directory;
  readonly message: HandleMessage;
  readonly now: Millis;
  readonly conversation: ConversationNumber | null;
  /** Undefined for a person on a channel without a nickname. */
  readonly person: PersonId | undefined;
  readonly nickname: string | undefined;
  /** Where this person gets the replies to messages from here. */
  readonly home: string;
}

/** The reply and its effects, or a question for a ladder. */
type Response =
  | { readonly events: readonly DirectoryEvent[]; readonly reply: string }
  | { readonly events: readonly DirectoryEvent[]; readonly question: LadderQuestion };

const say = (reply: string, events: readonly DirectoryEvent[] = []): Response => ({ events, reply });
const no = (refusal: Refusal): Response => say(words.refused(refusal));

/** CH1, CH2: the message, its effects and its reply, in one entry. No message from a person is refused. */
export function receive(directory: Directory, message: HandleMessage, now: Millis): Decision<DirectoryEvent> {
  const meeting = meet(directory, message, now);
  if ("refusal" in meeting) return meeting;
  const { met, conversation } = meeting;
  const scene = sceneOf(directory, message, conversation, now);
  const response = message.isBroken
    ? say(words.broken)
    : (consenting(scene) ?? respond(scene, understand(message.text)));
  const { channel, isSent, text, ladder, network } = message;
  const said = {
    channel,
    person: scene.person ?? null,
    text: clipped(text, directoryLimits.textKeptMax),
    to: isSent || conversation === null ? scene.home : null,
  };
  const before = [...met, ...atHome(scene)];
  if ("reply" in response) {
    const { events, reply } = response;
    return { events: [...before, ...events, { type: "answered", ...said, reply }] };
  }
  const { person, nickname } = scene;
  const asker: NamedPerson | null = nickname === undefined ? null : { person: person!, name: nickname };
  const { events, question } = response;
  const from = network === undefined ? {} : { network };
  const asked = { type: "asked", ...said, asker, ladder: ladder!.id, question, ...from } as const;
  return { events: [...before, ...events, asked] };
}

/** The conversation, which starts with its first message. Conversations with people without a nickname expire. */
function meet(
  directory: Directory,
  { channel, place, title, speaker }: HandleMessage,
  now: Millis,
):
  | { readonly met: readonly DirectoryEvent[]; readonly conversation: ConversationNumber | null }
  | { readonly refusal: Refusal } {
  const { places, conversations, conversationsMet, accounts } = directory;
  if (place === undefined) return { met: [], conversation: null };
  const known = places.get(addressOf(channel, place));
  const isNamed = "sender" in speaker && accounts.has(addressOf(channel, speaker.sender));
  const isStopped = known !== undefined && conversations.get(known)!.stopped === true;
  const isKept = title !== undefined || isNamed || isStopped;
  const forgetAt = isKept ? null : ((now + directoryLimits.namelessMsMax) as Millis);
  if (known === undefined) {
    const conversation = (conversationsMet + 1) as ConversationNumber;
    const met = { type: "met", conversation, channel, place, title: title ?? null, forgetAt } as const;
    const evicted = evictConversation(directory);
    return "refusal" in evicted ? evicted : { met: [...evicted.events, met], conversation };
  }
  const before = conversations.get(known)!.forgetAt;
  // Not with every message: a day more or less does not matter.
  const isNear = forgetAt !== null && before !== null && forgetAt - before < dayMs;
  const isSame = forgetAt === before || isNear;
  return { met: isSame ? [] : [{ type: "kept", conversation: known, forgetAt }], conversation: known };
}

/**
 * LM6: at the limit, the conversation that would be forgotten first is forgotten now. People with a nickname keep
 * theirs.
 */
function evictConversation({
  conversations,
  forgetting,
}: Directory): { readonly events: readonly DirectoryEvent[] } | { readonly refusal: Refusal } {
  if (conversations.size < directoryLimits.conversationsMax) return { events: [] };
  const [first] = forgetting.due(Number.POSITIVE_INFINITY, 1) as ConversationNumber[];
  // Refuse only people who could not be answered at all.
  if (first === undefined) return { refusal: directoryFull };
  return { events: [{ type: "conversation-forgotten", conversation: first }] };
}

const dayMs = 24 * 60 * 60 * 1000;

function sceneOf(
  directory: Directory,
  message: HandleMessage,
  conversation: ConversationNumber | null,
  now: Millis,
): Scene {
  const { accounts, people } = directory;
  const { speaker, channel } = message;
  const person = "person" in speaker ? speaker.person : accounts.get(addressOf(channel, speaker.sender));
  const nickname = person === undefined ? undefined : people.get(person)?.nickname;
  const home = conversation === null ? inboxOf(person!) : `${channel}/${conversation}`;
  return { directory, message, now, conversation, person, nickname, home };
}

/**
 * A private message makes that conversation the person's home. A group does not, because everybody would read along.
 */
function atHome({ directory, message, person, home }: Scene): readonly DirectoryEvent[] {
  const known = person === undefined ? undefined : directory.people.get(person);
  if (person === undefined || !known || known.home === home || message.title !== undefined) return [];
  return [{ type: "homed", person, home }];
}

/** CH8: STOP gets no reply, because the carrier sends one. START without a preceding STOP is an ordinary message. */
function consenting({ directory, message, conversation, nickname, now }: Scene): Response | undefined {
  if (message.consent === undefined || conversation === null) return undefined;
  const isStopped = isStoppedAt(directory, conversation);
  if (message.consent === "stop") return say("", isStopped ? [] : [{ type: "unsubscribed", conversation }]);
  if (!isStopped) return undefined;
  const forgetAt = nickname === undefined ? ((now + directoryLimits.namelessMsMax) as Millis) : null;
  return say(words.help(nickname), [{ type: "resubscribed", conversation, forgetAt }]);
}

function respond(scene: Scene, saying: Saying): Response {
  const { nickname } = scene;
  if (isForLadder(saying)) return askLadder(scene, saying);
  switch (saying.type) {
    case "help":
      return say(words.help(nickname));
    case "nick":
      return nick(scene, saying.name);
    case "throw":
      return throwing(scene, saying);
    case "games":
      return nickname === undefined ? no(nicknameMissing) : say(gamesOf(scene));
    case "quit":
      return quitting(scene);
    case "drop":
      return dropping(scene, saying.at);
    case "incomplete":
      return say(words.usage(saying.command satisfies CommandName));
    case "unclear":
      return say(words.unclear(saying.why));
  }
}

/** CH8: a stopped conversation must not be forgotten, because messages would be sent to it again. */
function isStoppedAt({ conversations }: Directory, conversation: ConversationNumber | null): boolean {
  return conversation !== null && conversations.get(conversation)?.stopped === true;
}

/** CH5: people without a nickname can also ask to have their address forgotten. */
function quitting({ directory, message, person, nickname, conversation, now }: Scene): Response {
  const isAlone = message.title === undefined;
  if (nickname !== undefined) {
    const own =
      isAlone && !isStoppedAt(directory, conversation) ? conversation : ownConversation(directory, person!);
    const decision = quit(directory, person!, own, now);
    return "refusal" in decision ? no(decision.refusal) : say(words.forgotten, decision.events);
  }
  if (conversation === null || !isAlone) return say(words.nobodyToForget);
  if (isStoppedAt(directory, conversation)) return say(words.forgotten);
  const forgetAt = (now + directoryLimits.forgetAfterMs) as Millis;
  return say(words.forgotten, [{ type: "kept", conversation, forgetAt }]);
}

function dropping({ directory, person, nickname, now }: Scene, at: string): Response {
  if (nickname === undefined) return no(nicknameMissing);
  const opponent = personCalled(directory, at);
  if (opponent === undefined) return no(nobodyCalled(at));
  const name = nameOf(directory, opponent);
  const duel = directory.duels.between(person!, opponent);
  if (!duel) return say(words.noDuelWith(name));
  const decision = drop(directory, { person: person!, duel: duel.number }, now);
  return "refusal" in decision ? no(decision.refusal) : say(words.off(name), decision.events);
}

function nick({ directory, message, person, home, conversation, now }: Scene, name: string): Response {
  const { speaker, channel } = message;
  const account = "sender" in speaker ? addressOf(channel, speaker.sender) : null;
  const who = person ?? (`chat_${directory.peopleMet + 1}` as PersonId);
  const known = message.title === undefined ? undefined : directory.people.get(who);
  const { network } = message;
  const named = {
    person: who,
    home: known?.home ?? home,
    account,
    ...(network !== undefined && { network }),
  };
  const decision = takeName(directory, named, name, now);
  if ("refusal" in decision) return no(decision.refusal);
  const [event] = decision.events;
  // Conversations with people who have a nickname do not expire.
  const isFirst = event.was === null && conversation !== null && message.title === undefined;
  const kept: DirectoryEvent[] = isFirst ? [{ type: "kept", conversation, forgetAt: null }] : [];
  return say(words.named(event.nickname, event.was), [...decision.events, ...kept]);
}

/** CH4. */
function throwing(
  { directory, message, person, nickname, now }: Scene,
  { hand, at, rated }: Extract<Saying, { readonly type: "throw" }>,
): Response {
  if (message.title !== undefined) return say(words.secretPlease);
  if (nickname === undefined) return no(nicknameMissing);
  const waiting = at === undefined ? waitingFor(directory, person!) : [];
  if (at === undefined && waiting.length !== 1)
    return say(words.whom(waiting.map((each) => nameOf(directory, each))));
  const opponent = at === undefined ? waiting[0] : personCalled(directory, at);
  if (opponent === undefined) return no(nobodyCalled(at!));
  const ladder = rated ? (message.ladder?.takesDuels ? message.ladder.id : undefined) : null;
  if (ladder === undefined) return say(words.noRatedDuels);
  const { network } = message;
  const decision = challenge(directory, { person: person!, opponent, hand, ladder, network }, now);
  if ("refusal" in decision) return no(decision.refusal);
  return say(thrown(decision.events), decision.events);
}

function thrown(events: readonly DuelEvent[]): string {
  const last = events[events.length - 1];
  if (last.type === "duel-ended") return words.result(last, last.names, last.by);
  const { by, ladder, names } = last as Extract<DuelEvent, { readonly type: "thrown" }>;
  return words.waiting(names[otherSeat(by)], ladder !== null);
}

function gamesOf({ directory, person: known, message }: Scene): string {
  const { duels } = directory;
  const person = known!;
  const open = duels.openOf(person).map((duel) => {
    const seat = seatIn(duel, person)!;
    return { duel, seat, other: nameOf(directory, duel.players[otherSeat(seat)]) };
  });
  const finished = duels.finishedOf(person).map((duel) => ({ duel, seat: seatIn(duel, person)! }));
  return words.games(open, finished, message.title !== undefined);
}

/** Names are resolved here, so which people are meant is decided once, when the message is first received. */
function askLadder(scene: Scene, saying: LadderSaying): Response {
  const { directory, message, nickname, person, conversation } = scene;
  if (message.ladder === undefined) return say(words.noLadder((saying as { ladder?: string }).ladder ?? ""));
  const isLooking =
    saying.type === "top" || ((saying.type === "rating" || saying.type === "history") && saying.of);
  if (nickname === undefined && !isLooking) return no(nicknameMissing);
  const me = { person: person!, name: nickname! };
  const question = questionOf(directory, saying, me);
  if ("refusal" in question) return no(question.refusal);
  if ("reply" in question) return say(question.reply);
  const { id: ladder, admits } = message.ladder;
  const isUnlinked =
    message.title !== undefined && (directory.conversations.get(conversation!)?.ladder ?? null) === null;
  const events: DirectoryEvent[] = [];
  // A ladder that does not admit the person must not become their default.
  const isWanted = saying.type !== "register" || admits;
  if (isUnlinked && isWanted) events.push({ type: "linked", conversation: conversation!, ladder });
  if (saying.type === "register" && isWanted) events.push({ type: "registered", person: person!, ladder });
  return { events, question };
}

function questionOf(
  directory: Directory,
  saying: LadderSaying,
  me: NamedPerson,
): LadderQuestion | { readonly refusal: Refusal } | { readonly reply: string } {
  switch (saying.type) {
    case "confirm": {
      if (saying.of === undefined) return { type: "confirm" };
      const of = namedPerson(directory, saying.of, me);
      return "refusal" in of ? of : { type: "confirm", of };
    }
    case "rating":
    case "history": {
      const of = namedPerson(directory, saying.of, me);
      return "refusal" in of ? of : { type: saying.type, of };
    }
    case "match": {
      const first = namedPerson(directory, saying.players[0], me);
      if ("refusal" in first) return first;
      const second = namedPerson(directory, saying.players[1], me);
      if ("refusal" in second) return second;
      if (Math.max(...saying.scores) > ladderLimits.scoreMax) return { reply: words.scoreTooHigh };
      return { type: "match", players: [first, second], scores: saying.scores };
    }
    default:
      return { type: saying.type };
  }
}

function namedPerson(
  directory: Directory,
  name: string | undefined,
  me: NamedPerson,
): NamedPerson | { readonly refusal: Refusal } {
  if (name === undefined) return me;
  const person = personCalled(directory, name);
  if (person === undefined) return { refusal: nobodyCalled(name) };
  return { person, name: nameOf(directory, person) };
}
