import { createHmac } from "node:crypto";
import {
  type DirectoryEvent,
  type HandleMessage,
  isBanned,
  isForLadder,
  isPlayer,
  type Ladder,
  type LadderEvent,
  type LadderMeant,
  ladderMeant,
  ladderStatusOf,
  type PersonId,
  playerCalled,
  type Refusal,
  takesDuels,
  understand,
} from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";
import type { TheDirectory } from "../directory.ts";
import { type LadderStreams, newLadderCommand } from "../ladders/ladders.ts";
import { shownName } from "../names.ts";
import type { Decided, Refused } from "../result.ts";
import type { Channel, ChannelReply, Incoming, MessageReceiver } from "./channel.ts";

interface ChatDeps {
  readonly directory: TheDirectory;
  readonly ladders: LadderStreams;
  /** The ladder of people who have not chosen one. */
  readonly usualLadder: string;
  /** Derives the ids of group ladders, so that a ladder's id does not reveal its group. */
  readonly idSecret: string;
  readonly onFault: (error: unknown) => void;
}

/** AU6: whether the server makes this ladder itself. */
export function isChatLadder(id: string, usualLadder: string, channels: readonly Channel[]): boolean {
  return id === usualLadder || channels.some(({ name }) => isGroupLadder(id, name));
}

/** CH6: the ladder of a group is for its members, even if its channel is not configured now. */
export function isMadeForGroup(id: string, creator: string, usualLadder: string): boolean {
  return creator === chatter && id !== usualLadder && isGroupLadder(id, id.slice(0, id.indexOf("-")));
}

function isGroupLadder(id: string, channel: string): boolean {
  return id.startsWith(`${channel}-`) && id.length === channel.length + 1 + groupDigestLength;
}

interface Message extends Omit<HandleMessage, "type" | "ladder"> {
  readonly by: string;
  /** CH1: the idempotency key of the message. */
  readonly key: string;
}

/** A question for a ladder, and the version of the directory that has it. */
type Asked = Extract<DirectoryEvent, { readonly type: "asked" }> & { readonly heardAt: number };

/** The actor that creates the ladders of chats and acts for people without a nickname. */
const chatter = "@chat";
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const titleLengthMax = 100;
const groupDigestLength = 16;
/** Failed messages that may wait to be retried alone. Past this, a failing message is given up at once. */
const retryingMax = 1_000;

/**
 * CH1, CH2: a message becomes one entry of the directory, with its reply. A question for a ladder becomes one entry there, under
 * the same key. So a message that is repeated, also after a crash, takes effect once and gets the same reply.
 */
export class Chat implements MessageReceiver {
  readonly #deps: ChatDeps;
  /** Failed messages are retried one at a time, in order. */
  #retries: Promise<unknown> = Promise.resolve();
  #retrying = 0;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  receive({ name, replies }: Channel, { id, sender, group, ...said }: Incoming): Promise<ChannelReply> {
    return this.#receive({
      channel: name,
      speaker: { sender },
      ...said,
      ...(group && { title: titleOf(group.title) }),
      isSent: replies === "sent",
      by: `@${name}`,
      key: `${name} ${id}`,
    });
  }

  /** A person with a token, on the web. */
  receivePerson(
    person: PersonId,
    { id, ...said }: { readonly id: string; readonly text: string; readonly network?: string },
  ): Promise<ChannelReply> {
    const message = { channel: "web", speaker: { person }, ...said, isSent: true };
    return this.#receive({ ...message, by: person, key: `web ${person} ${id}` });
  }

  async moved({ name }: Channel, from: string, to: string, messageId: string): Promise<ChannelReply> {
    const command = { type: "move", channel: name, from, to } as const;
    const outcome = await this.#deps.directory.ask(command, `@${name}`, `${name} ${messageId}`);
    const isFailure = "refusal" in outcome && outcome.refusal.code !== "conversation.not-found";
    return isFailure ? outcome : { reply: "" };
  }

  async #receive(message: Message): Promise<ChannelReply> {
    const outcome = await this.#attempt(message);
    return isFault(outcome) ? this.#alone(() => this.#retry(message, outcome.refusal)) : outcome;
  }

  /** An error fails every message decided in the same batch. Retried alone, only the message that causes it fails. */
  async #retry(message: Message, why: Refusal): Promise<ChannelReply> {
    const isCrowd = this.#retrying > retryingMax;
    const outcome = isCrowd ? { refusal: why } : await this.#attempt(message);
    if (!isFault(outcome)) return outcome;
    // The message is fine, and it may have been handled before.
    if (outcome.refusal.code === "directory.full") return { refusal: passing(outcome.refusal) };
    return this.#giveUp(message);
  }

  async #alone(work: () => Promise<ChannelReply>): Promise<ChannelReply> {
    this.#retrying++;
    const retry = this.#retries.then(work).finally(() => this.#retrying--);
    this.#retries = retry.catch(this.#deps.onFault);
    return retry;
  }

  async #attempt(message: Message): Promise<ChannelReply> {
    try {
      return await this.#handle(message);
    } catch (error) {
      this.#deps.onFault(error);
      return { refusal: fault };
    }
  }

  async #handle(message: Message): Promise<ChannelReply> {
    const { by, key, ...said } = message;
    const ladder = await this.#ladderFor(message);
    if (ladder && "refusal" in ladder) return ladder;
    const command: HandleMessage = { type: "hear", ...said, ...(ladder && { ladder }) };
    const outcome = await this.#deps.directory.ask(command, by, key);
    if ("refusal" in outcome) return outcome;
    const asked = askedIn(outcome.entry);
    if (!asked) return replyIn(outcome);
    return outcome.replayed ? this.#discussAgain(asked, by, key) : this.#discuss(asked, key);
  }

  /** Asks the ladder again, in case it missed the question the first time. */
  async #discussAgain(asked: Asked, by: string, key: string): Promise<ChannelReply> {
    const { directory } = this.#deps;
    // If the sender was told that the question had no effect, it must not have one now. Do not ask the ladder until this is
    // known.
    const given = await directory.ask({ type: "recall" }, by, brokenKey(key));
    if ("refusal" in given) {
      if (given.refusal.code !== "delivery.not-found") return { refusal: passing(given.refusal) };
    } else if (!askedIn(given.entry)) return { ...replyIn(given), replayed: true };
    // Someone else may have the asker's former nickname now.
    const { asker } = asked;
    const found = asker && (await directory.read((known) => known?.people.get(asker.person)?.nickname));
    if (!found || "refusal" in found || found.value === undefined) return this.#discuss(asked, key);
    return this.#discuss({ ...asked, asker: { ...asker, name: found.value } }, key);
  }

  async #discuss(asked: Asked, key: string, given: { readonly isBroken?: true } = {}): Promise<ChannelReply> {
    const { ladder, question, asker, text: said, network, to, heardAt } = asked;
    const command = { type: "discuss", question, asker, said, network, heardAt, to, ...given } as const;
    const outcome = await this.#deps.ladders.ask(ladder, { command, by: asker?.person ?? chatter, key });
    return "refusal" in outcome ? outcome : replyIn(outcome);
  }

  /** CH7: records and answers a message that cannot be handled, so that it is not sent again. */
  async #giveUp(message: Message): Promise<ChannelReply> {
    const { key } = message;
    const recorded = await this.#record(message, key);
    if (!("asked" in recorded)) return recorded;
    // The directory has handled the message. Reply with the ladder's answer under this key, or that the question had no effect.
    const outcome = await this.#discuss(recorded.asked, key, { isBroken: true });
    if (!isFault(outcome)) return outcome;
    if (outcome.refusal.code !== "log.damaged") return { refusal: passing(outcome.refusal) };
    // A damaged ladder cannot store the reply either.
    const broken = await this.#record(message, brokenKey(key));
    return "asked" in broken ? outcome : broken;
  }

  async #record(
    { by, key: _, ...said }: Message,
    key: string,
  ): Promise<ChannelReply | { readonly asked: Asked }> {
    const command: HandleMessage = { type: "hear", ...said, isBroken: true };
    const outcome = await this.#deps.directory.ask(command, by, key);
    if ("refusal" in outcome) return { refusal: passing(outcome.refusal) };
    const asked = askedIn(outcome.entry);
    return asked ? { asked } : replyIn(outcome);
  }

  /** The directory cannot see which ladders exist. */
  async #ladderFor(message: Message): Promise<LadderMeant | Refused | undefined> {
    const saying = understand(message.text);
    if (!isForLadder(saying) && !(saying.type === "throw" && saying.rated)) return undefined;
    const { directory, ladders } = this.#deps;
    const found = await directory.read((known) => ladderMeant(known, message));
    if ("refusal" in found) return found;
    const { person, rival, isNamed, ladder: meant } = found.value;
    const id = meant ?? this.#usualLadder(message);
    if (!idPattern.test(id)) return undefined;
    const ladder = await ladders.read(id, (state) => state && meantLadder(id, state, person, rival));
    if ("refusal" in ladder || ladder.value) return "refusal" in ladder ? ladder : ladder.value;
    return isNamed ? undefined : this.#make(id, message.title === undefined ? "Chat ladder" : "Group ladder");
  }

  #usualLadder({ channel, place, title }: Message): string {
    if (title === undefined) return this.#deps.usualLadder;
    const digest = createHmac("sha256", this.#deps.idSecret).update(`ladder of a group: ${channel} ${place}`);
    return `${channel}-${digest.digest("base64url").slice(0, groupDigestLength)}`;
  }

  /** Anyone with the id can open a group's ladder, so its title must not name the group. */
  async #make(id: string, title: string): Promise<LadderMeant | Refused> {
    const command = newLadderCommand({ title, duels: true }, chatter);
    const outcome = await this.#deps.ladders.ask(id, { command, by: chatter });
    const isMade = !("refusal" in outcome) || outcome.refusal.code === "ladder.exists";
    return isMade ? { id, takesDuels: true, admits: true } : outcome;
  }
}

/** Undefined if the entry has the reply already. */
function askedIn({ events, version }: Entry<DirectoryEvent>): Asked | undefined {
  const event = events.at(-1)!;
  return event.type === "answered" ? undefined : { ...(event as Asked), heardAt: version };
}

function replyIn({ entry, replayed }: Decided<unknown, DirectoryEvent | LadderEvent>) {
  const event = entry.events.at(-1)!;
  return { reply: event.type === "answered" ? event.reply : "", replayed };
}

function meantLadder(
  id: string,
  ladder: Ladder,
  person: PersonId | undefined,
  rival: PersonId | undefined,
): LadderMeant {
  const isOut = (who: PersonId | undefined) => isBanned(ladder, who && playerCalled(ladder, who));
  const isOpen = ladderStatusOf(ladder) === "OPEN" && !isOut(person);
  const admits = isOpen || (person !== undefined && isPlayer(ladder, person));
  return { id, takesDuels: takesDuels(ladder) && !isOut(person) && !isOut(rival), admits };
}

/** The key of the entry that says that a ladder could not answer. The key itself has the question. */
function brokenKey(key: string): string {
  return `${key} broken`;
}

/** A message that could not even be recorded has to be sent again, or it would be lost. */
function passing(refusal: Refusal): Refusal {
  const isOurs = refusal.code === "server.fault" || refusal.code === "log.damaged";
  return isOurs ? { ...refusal, retryable: true } : refusal;
}

/** Retrying later will not help. */
function isFault(outcome: ChannelReply): outcome is Refused {
  return "refusal" in outcome && !outcome.refusal.retryable;
}

const fault: Refusal = { code: "server.fault", message: "This message could not be handled." };

function titleOf(given: string): string {
  const title = given
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .toWellFormed();
  return title === "" ? shownName(undefined, "group") : title.slice(0, titleLengthMax).toWellFormed();
}
