import { understand } from "../chat/grammar.ts";
import type { Duel, DuelNumber, DuelSeat, FinishedDuel } from "../duel/duel.ts";
import { otherSeat, seatIn } from "../duel/duel.ts";
import type { PersonId } from "../values.ts";
import type { HandleMessage } from "./commands.ts";
import {
  addressOf,
  type Conversation,
  type ConversationNumber,
  type Directory,
  personCalled,
} from "./state.ts";

/** A duel, and the asker's seat. */
export interface DuelSeen {
  readonly duel: Duel | FinishedDuel;
  readonly seat: DuelSeat;
}

/** AU3: only for its two players. */
export function duelSeenBy(
  directory: Directory | undefined,
  person: PersonId,
  number: DuelNumber,
): DuelSeen | undefined {
  const duel = directory?.duels.get(number);
  const seat = duel && seatIn(duel, person);
  return duel === undefined || seat === undefined ? undefined : { duel, seat };
}

/** A person's duels: open ones, and the latest finished ones, newest first. */
export function duelsOf(
  directory: Directory | undefined,
  person: PersonId,
): { readonly open: DuelSeen[]; readonly finished: DuelSeen[] } {
  if (!directory) return { open: [], finished: [] };
  const seen = <D extends Duel | FinishedDuel>(duel: D) => ({ duel, seat: seatIn(duel, person)! });
  return {
    open: directory.duels.openOf(person).map(seen).reverse(),
    finished: directory.duels.finishedOf(person).map(seen),
  };
}

/** The opponent of a throw, as far as it is known. */
function rivalOf(directory: Directory, person: PersonId, at: string | undefined): PersonId | undefined {
  return at === undefined ? waitingFor(directory, person)[0] : personCalled(directory, at);
}

/** The people who wait for this person's throw. */
export function waitingFor({ duels }: Directory, person: PersonId): PersonId[] {
  return duels.openOf(person).flatMap((duel) => {
    const { players, hands } = duel;
    const seat = seatIn(duel, person)!;
    return hands[seat] === null ? [players[otherSeat(seat)]] : [];
  });
}

/** What is known about the sender of a message, and the ladder that it is about. */
export function ladderMeant(
  directory: Directory | undefined,
  {
    channel,
    speaker,
    place,
    title,
    text,
  }: Pick<HandleMessage, "channel" | "speaker" | "place" | "title" | "text">,
): {
  readonly person: PersonId | undefined;
  /** The opponent of a throw. */
  readonly rival: PersonId | undefined;
  /** Undefined when nothing determines it. */
  readonly ladder: string | undefined;
  /** As they typed it: it may not exist. */
  readonly isNamed: boolean;
} {
  const person =
    "person" in speaker ? speaker.person : directory?.accounts.get(addressOf(channel, speaker.sender));
  const saying = understand(text);
  if (saying.type === "register" && saying.ladder !== undefined)
    return { person, rival: undefined, ladder: saying.ladder, isNamed: true };
  const conversation = place === undefined ? undefined : directory?.places.get(addressOf(channel, place));
  const linked = conversation === undefined ? null : directory!.conversations.get(conversation)!.ladder;
  // In a group, the sender's own ladder does not apply.
  const isOwn = linked === null && title === undefined && person !== undefined;
  const ladder = linked ?? (isOwn ? directory?.people.get(person)?.ladders.at(-1) : undefined);
  const isThrow = saying.type === "throw" && directory !== undefined && person !== undefined;
  const rival = isThrow ? rivalOf(directory, person, saying.at) : undefined;
  return { person, rival, ladder, isNamed: false };
}

/** Groups, newest first, before the one with this number. */
export function groupsBefore(
  directory: Directory | undefined,
  before: number,
  limit: number,
): (readonly [ConversationNumber, Conversation])[] {
  const groups = [...(directory?.conversations ?? [])].filter(
    ([number, { title }]) => title !== null && number < before,
  );
  return groups.reverse().slice(0, limit);
}
