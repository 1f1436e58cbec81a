import { createHmac } from "node:crypto";
import {
  type DirectoryEvent,
  type Hear,
  isBanned,
  isForLadder,
  isPlayer,
  type Ladder,
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
import type { Channel, Ear, Heard, Incoming } from "./channel.ts";

interface ChatDeps {
  readonly directory: TheDirectory;
  readonly ladders: LadderStreams;
  /** The ladder of those who have not said which. */
  readonly usualLadder: string;
  /** Makes the ids of the ladders of groups, so that nobody can tell a group by its ladder. */
  readonly idSecret: string;
  readonly onFault: (error: unknown) => void;
}

/** AU6: whether the server makes this ladder itself: the usual one, or that of a group on one of these channels. */
export function isChatLadder(id: string, usualLadder: string, channels: readonly Channel[]): boolean {
  return id === usualLadder || channels.some(({ name }) => isGroupLadder(id, name));
}

/** CH6: what a group plays is for its members, whether or not its channel is set up now. */
export function isMadeForGroup(id: string, creator: string, usualLadder: string): boolean {
  return creator === chatter && id !== usualLadder && isGroupLadder(id, id.slice(0, id.indexOf("-")));
}

function isGroupLadder(id: string, channel: string): boolean {
  return id.startsWith(`${channel}-`) && id.length === channel.length + 1 + groupDigestLength;
}

/** A message on its way in: all of it but the ladder that it is about. */
interface Message extends Omit<Hear, "type" | "ladder"> {
  /** How the log names whoever brought it. */
  readonly by: string;
  /** CH1: what makes it once. */
  readonly key: string;
}

/** What a ladder is to be asked, and in which version of the directory it was heard. */
type Asked = Extract<DirectoryEvent, { readonly type: "asked" }> & { readonly heardAt: number };

/** How the log names whoever makes the ladders of chats, and asks for people without a nickname. */
const chatter = "@chat";
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const titleLengthMax = 100;
const groupDigestLength = 16;
/** Messages that wait to be tried by themselves; past it, whatever meets a fault is given up at once. */
const troubledMax = 1_000;

/**
 * CH1, CH2: what people write becomes one entry of the directory, with its reply. What is for a ladder becomes one entry
 * there, under the same key, with the reply: so however often a message comes, and wherever a crash was, it takes effect
 * once and is answered the same.
 */
export class Chat implements Ear {
  readonly #deps: ChatDeps;
  /** Those that met a fault, one after the other, and how many there are. */
  #turn: Promise<unknown> = Promise.resolve();
  #troubled = 0;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  hear({ name, replies }: Channel, { id, sender, place, group, text, consent }: Incoming): Promise<Heard> {
    return this.#hear({
      channel: name,
      speaker: { sender },
      place,
      ...(group && { title: titleOf(group.title) }),
      text,
      ...(consent && { consent }),
      isSent: replies === "sent",
      by: `@${name}`,
      key: `${name} ${id}`,
    });
  }

  /** Somebody with a token, on the web. */
  hearPerson(
    person: PersonId,
    { id, ...said }: { readonly id: string; readonly text: string; readonly network?: string },
  ): Promise<Heard> {
    const speaker = { person };
    return this.#hear({
      channel: "web",
      speaker,
      ...said,
      isSent: true,
      by: person,
      key: `web ${person} ${id}`,
    });
  }

  async moved({ name }: Channel, from: string, to: string, messageId: string): Promise<Heard> {
    const command = { type: "move", channel: name, from, to } as const;
    const outcome = await this.#deps.directory.ask(command, `@${name}`, `${name} ${messageId}`);
    const isTold = "refusal" in outcome && outcome.refusal.code !== "conversation.not-found";
    return isTold ? outcome : { reply: "" };
  }

  async #hear(message: Message): Promise<Heard> {
    const heard = await this.#attempt(message);
    return isFault(heard) ? this.#alone(() => this.#hearAgain(message, heard.refusal)) : heard;
  }

  /** A fault is told to all whose messages were decided together with the one whose it is: by itself, only that one fails. */
  async #hearAgain(message: Message, why: Refusal): Promise<Heard> {
    const isCrowd = this.#troubled > troubledMax;
    const heard = isCrowd ? { refusal: why } : await this.#attempt(message);
    if (!isFault(heard)) return heard;
    // The directory has no room for new people. Nothing is wrong with the message, and it may have been heard before.
    if (heard.refusal.code === "directory.full") return { refusal: passing(heard.refusal) };
    return this.#giveUp(message);
  }

  async #alone(work: () => Promise<Heard>): Promise<Heard> {
    this.#troubled++;
    const turn = this.#turn.then(work).finally(() => this.#troubled--);
    this.#turn = turn.catch(this.#deps.onFault);
    return turn;
  }

  async #attempt(message: Message): Promise<Heard> {
    try {
      return await this.#handle(message);
    } catch (error) {
      this.#deps.onFault(error);
      return { refusal: fault };
    }
  }

  async #handle(message: Message): Promise<Heard> {
    const { by, key, ...said } = message;
    const ladder = await this.#ladderFor(message);
    if (ladder && "refusal" in ladder) return ladder;
    const command: Hear = { type: "hear", ...said, ...(ladder && { ladder }) };
    const outcome = await this.#deps.directory.ask(command, by, key);
    if ("refusal" in outcome) return outcome;
    const event = outcome.entry.events.at(-1)!;
    if (event.type === "answered") return { reply: event.reply, replayed: outcome.replayed };
    const asked = askedIn(outcome.entry);
    return outcome.replayed ? this.#discussAgain(asked, by, key) : this.#discuss(asked, key);
  }

  /** What the ladder may have missed the first time. Much may have happened since. */
  async #discussAgain(asked: Asked, by: string, key: string): Promise<Heard> {
    const { directory } = this.#deps;
    // Once it was said that nothing came of it, nothing may.
    const given = await directory.ask({ type: "recall" }, by, brokenKey(key));
    if ("refusal" in given) {
      // Whether it was said cannot be told for the moment: asked now, the ladder might say something else.
      if (given.refusal.code !== "delivery.not-found") return { refusal: passing(given.refusal) };
    } else {
      const event = given.entry.events.at(-1)!;
      if (event.type === "answered") return { reply: event.reply, replayed: true };
    }
    // By the name of then, somebody else may be called now.
    const { asker } = asked;
    const found = asker && (await directory.read((known) => known?.people.get(asker.person)?.nickname));
    if (!found || "refusal" in found || found.value === undefined) return this.#discuss(asked, key);
    return this.#discuss({ ...asked, asker: { ...asker, name: found.value } }, key);
  }

  async #discuss(asked: Asked, key: string, given: { readonly isBroken?: true } = {}): Promise<Heard> {
    const { ladder, question, asker, text: said, network, to, heardAt } = asked;
    const command = { type: "discuss", question, asker, said, network, heardAt, to, ...given } as const;
    const outcome = await this.#deps.ladders.ask(ladder, { command, by: asker?.person ?? chatter, key });
    if ("refusal" in outcome) return outcome;
    const event = outcome.entry.events.at(-1)!;
    return { reply: event.type === "answered" ? event.reply : "", replayed: outcome.replayed };
  }

  /** CH7: what cannot be handled is recorded, and answered, so that it never comes again. */
  async #giveUp(message: Message): Promise<Heard> {
    const { key } = message;
    const recorded = await this.#record(message, key);
    if (!("asked" in recorded)) return recorded;
    // The directory has heard it before. What the ladder has answered under its key is the reply, or that nothing came of it.
    const heard = await this.#discuss(recorded.asked, key, { isBroken: true });
    if (!isFault(heard)) return heard;
    if (heard.refusal.code !== "log.damaged") return { refusal: passing(heard.refusal) };
    // A ladder that cannot be read any more cannot remember it either.
    const broken = await this.#record(message, brokenKey(key));
    return "asked" in broken ? heard : broken;
  }

  async #record({ by, key: _, ...said }: Message, key: string): Promise<Heard | { readonly asked: Asked }> {
    const command: Hear = { type: "hear", ...said, isBroken: true };
    const outcome = await this.#deps.directory.ask(command, by, key);
    if ("refusal" in outcome) return { refusal: passing(outcome.refusal) };
    const event = outcome.entry.events.at(-1)!;
    if (event.type !== "answered") return { asked: askedIn(outcome.entry) };
    return { reply: event.reply, replayed: outcome.replayed };
  }

  /** Looked up before the message is heard: the directory cannot see what ladders there are. */
  async #ladderFor(message: Message): Promise<LadderMeant | { readonly refusal: Refusal } | undefined> {
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

  /**
   * The ladder of a group, or of all who have none, is there as soon as anyone wants it. Anyone who has its id can look at it:
   * it does not tell what a group is called.
   */
  async #make(id: string, title: string): Promise<LadderMeant | { readonly refusal: Refusal }> {
    const command = newLadderCommand({ title, duels: true }, chatter);
    const outcome = await this.#deps.ladders.ask(id, { command, by: chatter });
    const isMade = !("refusal" in outcome) || outcome.refusal.code === "ladder.exists";
    return isMade ? { id, takesDuels: true, admits: true } : outcome;
  }
}

function askedIn({ events, version }: Entry<DirectoryEvent>): Asked {
  return { ...(events.at(-1) as Asked), heardAt: version };
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

/** Where it is recorded that a ladder could not answer: under the key itself stands the question. */
function brokenKey(key: string): string {
  return `${key} broken`;
}

/** By a fault it could not even be recorded: taken for done, it would be lost without a word. It has to come again. */
function passing(refusal: Refusal): Refusal {
  const isOurs = refusal.code === "server.fault" || refusal.code === "log.damaged";
  return isOurs ? { ...refusal, retryable: true } : refusal;
}

/** Not to be heard by waiting. */
function isFault(heard: Heard): heard is { readonly refusal: Refusal } {
  return "refusal" in heard && !heard.refusal.retryable;
}

const fault: Refusal = { code: "server.fault", message: "This message could not be handled." };

function titleOf(given: string): string {
  const title = given
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .toWellFormed();
  return title === "" ? shownName(undefined, "group") : title.slice(0, titleLengthMax).toWellFormed();
}
