import { otherSeat, withAt } from "../duel/duel.ts";
import { assert, type Millis } from "../values.ts";
import type { DirectoryEvent, DuelDropped, DuelEnded, Forgotten, Named, Thrown } from "./events.ts";
import { noteUse, startOfHour } from "./eviction/idleness.ts";
import { directoryLimits } from "./limits.ts";
import { answeredBy, countNotice, noticesIn, resetPair } from "./notices.ts";
import { addressOf, type ConversationNumber, type Directory, newDirectory } from "./state.ts";

/** Applies events. The asserts catch a log that another version or a bug has made inconsistent. */
export function evolve(known: Directory | undefined, event: DirectoryEvent, at: Millis): Directory {
  const directory = known ?? newDirectory();
  for (const notice of noticesIn(event)) countNotice(directory, notice, at);
  for (const notice of answeredBy(event)) resetPair(directory, notice);
  switch (event.type) {
    case "named":
      name(directory, event, at);
      break;
    case "homed":
    case "registered":
      settle(directory, event);
      break;
    case "forgotten":
      forget(directory, event);
      break;
    case "duel-opened":
      directory.duels.add({
        number: event.duel,
        players: event.players,
        hands: [null, null],
        ladders: [null, null],
        openedAt: at,
        lapsesAt: event.lapsesAt,
        ...(event.network !== undefined && { network: event.network }),
      });
      break;
    case "thrown":
      throwIn(directory, event);
      break;
    case "duel-ended":
    case "duel-dropped":
      if (event.type === "duel-ended") notePlayed(directory, event);
      directory.duels.finish({
        number: event.duel,
        players: event.players,
        names: event.names,
        at,
        end: endOf(event),
      });
      break;
    case "met":
    case "moved":
    case "linked":
    case "kept":
    case "unsubscribed":
    case "resubscribed":
    case "conversation-forgotten":
      converse(directory, event);
      break;
    case "passed":
      markReceived(directory, event.from, event.version);
      break;
    case "answered":
    case "asked":
      // Nothing to remember: the key of the entry has it.
      break;
    default:
      // Crash on an unknown event: skipping one from a newer server could give two people the same name.
      assert(false, "an event of an unknown type");
  }
  noteUse(directory, event, at);
  return directory;
}

function name(
  directory: Directory,
  { person, nickname, fold, was, home, account, network }: Named,
  at: Millis,
): void {
  const { people, nicknames, accounts } = directory;
  const before = people.get(person);
  assert((before?.nickname ?? null) === was, "a person's previous nickname is not the recorded one");
  if (before) nicknames.delete(before.fold);
  assert(!nicknames.has(fold), "two people have one nickname");
  nicknames.set(fold, person);
  const { ladders = [], namedAt = at, hasPlayed = false } = before ?? {};
  const usedAt = startOfHour(at);
  const from = before ? before.network : network;
  people.set(person, {
    ...{ nickname, fold, account, home, ladders, namedAt, usedAt, hasPlayed },
    ...(from !== undefined && { network: from }),
  });
  if (account === null || accounts.has(account)) return;
  accounts.set(account, person);
  directory.peopleMet++;
}

function settle(
  { people }: Directory,
  event: Extract<DirectoryEvent, { readonly type: "homed" | "registered" }>,
): void {
  const person = people.get(event.person);
  assert(person !== undefined, "an event about a person without a nickname");
  if (event.type === "homed") {
    people.set(event.person, { ...person, home: event.home });
    return;
  }
  const others = person.ladders.filter((ladder) => ladder !== event.ladder);
  const ladders = [...others, event.ladder].slice(-directoryLimits.ladderNamesMax);
  people.set(event.person, { ...person, ladders });
}

function forget(directory: Directory, { person, conversation, forgetAt }: Forgotten): void {
  const { people, nicknames, accounts, notices } = directory;
  const known = people.get(person);
  assert(known !== undefined, "an unknown person was forgotten");
  people.delete(person);
  notices.delete(person);
  nicknames.delete(known.fold);
  if (known.account !== null) accounts.delete(known.account);
  if (conversation !== null) forgetLater(directory, conversation, forgetAt);
}

function forgetLater(
  { conversations, forgetting }: Directory,
  number: ConversationNumber,
  forgetAt: Millis | null,
): void {
  conversations.set(number, { ...conversations.get(number)!, forgetAt });
  if (forgetAt !== null) forgetting.add(number, forgetAt);
}

function throwIn({ duels }: Directory, { duel: number, by, hand, ladder }: Thrown): void {
  const duel = duels.getOpen(number);
  assert(duel !== undefined, "a throw in a duel that is not open");
  assert(duel.hands[by] === null, "someone threw twice");
  assert(duel.hands[otherSeat(by)] === null, "a throw in a duel with both throws");
  duels.update({
    ...duel,
    hands: withAt(duel.hands, by, hand),
    ladders: withAt(duel.ladders, by, ladder),
  });
}

/** Most recent last, so that the streams silent for longest are forgotten first. */
function markReceived({ receivedUpTo }: Directory, from: string, version: number): void {
  receivedUpTo.delete(from);
  receivedUpTo.set(from, version);
  if (receivedUpTo.size > directoryLimits.sourcesMax) receivedUpTo.delete(receivedUpTo.keys().next().value!);
}

/**
 * A rated duel makes both people players of the ladder, which then has to learn of new nicknames. It becomes their
 * default ladder only if they have no other.
 */
function notePlayed({ people }: Directory, { players, ladder }: DuelEnded): void {
  for (const player of players) {
    const person = people.get(player);
    if (!person) continue;
    const isNew = ladder !== null && !person.ladders.includes(ladder);
    const ladders = isNew
      ? [ladder, ...person.ladders.slice(1 - directoryLimits.ladderNamesMax)]
      : person.ladders;
    people.set(player, { ...person, ladders, hasPlayed: true });
  }
}

function endOf(event: DuelEnded | DuelDropped) {
  if (event.type === "duel-dropped") return { dropped: event.reason };
  const { hands, winner, ladder } = event;
  return { hands, winner, ladder };
}

function converse(
  directory: Directory,
  event: Extract<
    DirectoryEvent,
    {
      readonly type:
        | "met"
        | "moved"
        | "linked"
        | "kept"
        | "unsubscribed"
        | "resubscribed"
        | "conversation-forgotten";
    }
  >,
): void {
  const { conversations, places } = directory;
  const { conversation: number } = event;
  if (event.type === "met") {
    const { channel, place, title, forgetAt } = event;
    assert(number === directory.conversationsMet + 1, "a conversation out of order");
    directory.conversationsMet = number;
    conversations.set(number, { channel, place, title, ladder: null, forgetAt: null });
    places.set(addressOf(channel, place), number);
    forgetLater(directory, number, forgetAt);
    return;
  }
  const known = conversations.get(number);
  assert(known !== undefined, "an event in a conversation that does not exist");
  if (event.type === "conversation-forgotten") {
    conversations.delete(number);
    places.delete(addressOf(known.channel, known.place));
    return;
  }
  if (event.type === "kept") {
    forgetLater(directory, number, event.forgetAt);
    return;
  }
  if (event.type === "unsubscribed") {
    conversations.set(number, { ...known, forgetAt: null, stopped: true });
    return;
  }
  if (event.type === "resubscribed") {
    const { stopped: _, ...resumed } = known;
    conversations.set(number, resumed);
    forgetLater(directory, number, event.forgetAt);
    return;
  }
  if (event.type === "linked") {
    conversations.set(number, { ...known, ladder: event.ladder });
    return;
  }
  conversations.set(number, { ...known, place: event.place });
  places.delete(addressOf(known.channel, known.place));
  places.set(addressOf(known.channel, event.place), number);
}
