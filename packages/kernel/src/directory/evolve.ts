import { otherSeat, withAt } from "../duel/duel.ts";
import { assert, type Millis } from "../values.ts";
import { addressOf, type Conversation, type Directory, directoryLimits, newDirectory } from "./directory.ts";
import type { DirectoryEvent, DuelDropped, DuelEnded, Forgotten, Named, Thrown } from "./events.ts";
import { folded } from "./nicknames.ts";

/** Takes what was decided as true. The asserts catch a log that another version or a fault has made inconsistent. */
export function evolve(known: Directory | undefined, event: DirectoryEvent, at: Millis): Directory {
  const directory = known ?? newDirectory();
  switch (event.type) {
    case "named":
      name(directory, event);
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
      });
      break;
    case "thrown":
      throwIn(directory, event);
      break;
    case "duel-ended":
    case "duel-dropped":
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
    case "conversation-forgotten":
      converse(directory, event);
      break;
    case "passed":
      hearOut(directory, event.from, event.version);
      break;
    case "answered":
    case "asked":
      // The key of the entry is what remembers it.
      break;
    default:
      // Skipped, it would leave a name with two people: it was written by a newer server, or is no event at all.
      assert(false, "an event of a kind that this server does not know");
  }
  return directory;
}

function name(directory: Directory, { person, nickname, was, home, account }: Named): void {
  const { people, nicknames, accounts } = directory;
  const before = people.get(person);
  assert((before?.nickname ?? null) === was, "someone had another name than was thought");
  if (was !== null) nicknames.delete(folded(was));
  const fold = folded(nickname);
  assert(!nicknames.has(fold), "two people have one nickname");
  nicknames.set(fold, person);
  people.set(person, { nickname, account, home, ladders: before?.ladders ?? [] });
  if (account === null || accounts.has(account)) return;
  accounts.set(account, person);
  directory.peopleMet++;
}

function settle(
  { people }: Directory,
  event: Extract<DirectoryEvent, { readonly type: "homed" | "registered" }>,
): void {
  const person = people.get(event.person);
  assert(person !== undefined, "something was noted of somebody who has no name");
  if (event.type === "homed") {
    people.set(event.person, { ...person, home: event.home });
    return;
  }
  const others = person.ladders.filter((ladder) => ladder !== event.ladder);
  const ladders = [...others, event.ladder].slice(-directoryLimits.ladderNamesMax);
  people.set(event.person, { ...person, ladders });
}

function forget(directory: Directory, { person, conversation, forgetAt }: Forgotten): void {
  const { people, nicknames, accounts, conversations, forgetting } = directory;
  const known = people.get(person);
  assert(known !== undefined, "somebody was forgotten who was not known");
  people.delete(person);
  nicknames.delete(folded(known.nickname));
  if (known.account !== null) accounts.delete(known.account);
  if (conversation === null) return;
  conversations.set(conversation, { ...conversations.get(conversation)!, forgetAt });
  forgetting.set(conversation, forgetAt);
}

function throwIn({ duels }: Directory, { duel: number, by, hand, ladder }: Thrown): void {
  const duel = duels.getOpen(number);
  assert(duel !== undefined, "a throw in a duel that is not open");
  assert(duel.hands[by] === null, "someone threw twice");
  assert(duel.hands[otherSeat(by)] === null, "both had thrown, and the duel went on");
  duels.update({
    ...duel,
    hands: withAt(duel.hands, by, hand),
    ladders: withAt(duel.ladders, by, ladder),
  });
}

/** The latest last: those that have been silent longest are forgotten first. */
function hearOut({ heard }: Directory, from: string, version: number): void {
  heard.delete(from);
  heard.set(from, version);
  if (heard.size > directoryLimits.sourcesMax) heard.delete(heard.keys().next().value!);
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
    { readonly type: "met" | "moved" | "linked" | "kept" | "conversation-forgotten" }
  >,
): void {
  const { conversations, places, forgetting } = directory;
  const { conversation: number } = event;
  if (event.type === "met") {
    const { channel, place, title } = event;
    assert(number === directory.conversationsMet + 1, "a conversation out of order");
    directory.conversationsMet = number;
    conversations.set(number, { channel, place, title, ladder: null, forgetAt: null });
    places.set(addressOf(channel, place), number);
    return;
  }
  const known = conversations.get(number);
  assert(known !== undefined, "something happened in a conversation that nobody has begun");
  if (event.type === "conversation-forgotten") {
    conversations.delete(number);
    forgetting.delete(number);
    places.delete(addressOf(known.channel, known.place));
    return;
  }
  conversations.set(number, changed(known, event));
  if (event.type === "kept") forgetting.delete(number);
  if (event.type !== "moved") return;
  places.delete(addressOf(known.channel, known.place));
  places.set(addressOf(known.channel, event.place), number);
}

function changed(
  known: Conversation,
  event: Extract<DirectoryEvent, { readonly type: "moved" | "linked" | "kept" }>,
): Conversation {
  if (event.type === "moved") return { ...known, place: event.place };
  return event.type === "linked" ? { ...known, ladder: event.ladder } : { ...known, forgetAt: null };
}
