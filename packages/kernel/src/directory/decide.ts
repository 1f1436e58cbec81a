import type { Decision } from "../decider.ts";
import { duelLimits } from "../duel/limits.ts";
import type { Millis } from "../values.ts";
import type { Challenge, DirectoryCommand, Link, Move, Pass, TakeName } from "./commands.ts";
import { challenge, drop, dropped, throwIn } from "./dueling.ts";
import type { DirectoryEvent } from "./events.ts";
import { directoryLimits } from "./limits.ts";
import { receive } from "./messages.ts";
import { quit, takeName } from "./naming.ts";
import { NoticeBudget } from "./notices.ts";
import { conversationNotFound, nicknameMissing, nobodyCalled, nothingRecalled } from "./refusals.ts";
import {
  addressOf,
  type ConversationNumber,
  type Directory,
  inboxOf,
  newDirectory,
  ownConversation,
  personCalled,
} from "./state.ts";

type DirectoryDecision = Decision<DirectoryEvent>;

/** The directory always exists; it starts empty. */
export function decide(
  known: Directory | undefined,
  command: DirectoryCommand,
  now: Millis,
): DirectoryDecision {
  const directory = known ?? newDirectory();
  switch (command.type) {
    case "hear":
      return receive(directory, command, now);
    case "take-name":
      return takeName(directory, webPerson(directory, command), command.nickname, now);
    case "quit":
      return quit(directory, command.person, ownConversation(directory, command.person), now);
    case "challenge":
      return challengeCalled(directory, command, now);
    case "throw":
      return command.obstacle ? { refusal: command.obstacle } : throwIn(directory, command, now);
    case "drop":
      return drop(directory, command, now);
    case "pass":
      return pass(directory, command, now);
    case "move":
      return move(directory, command);
    case "link":
      return link(directory, command);
    case "recall":
      return { refusal: nothingRecalled };
    case "tick":
      return { events: [...lapses(directory, now), ...forgetting(directory, now)] };
  }
}

function webPerson({ people }: Directory, { person, network }: TakeName) {
  const known = people.get(person);
  const from = network === undefined ? {} : { network };
  return { person, home: known?.home ?? inboxOf(person), account: known?.account ?? null, ...from };
}

function challengeCalled(
  directory: Directory,
  { person, opponent: name, hand, ladder, network, obstacle }: Challenge,
  now: Millis,
): DirectoryDecision {
  if (obstacle) return { refusal: obstacle };
  if (!directory.people.has(person)) return { refusal: nicknameMissing };
  const opponent = personCalled(directory, name);
  if (opponent === undefined) return { refusal: nobodyCalled(name) };
  return challenge(directory, { person, opponent, hand, ladder, network }, now);
}

function pass(directory: Directory, { from, notices }: Pass, now: Millis): DirectoryDecision {
  const received = directory.receivedUpTo.get(from) ?? 0;
  const fresh = notices.filter(({ version }) => version > received);
  const last = fresh.at(-1);
  if (!last) return { refusal: { code: "delivery.repeated", message: "This was already passed on." } };
  const budget = new NoticeBudget(directory, now);
  const told = fresh
    .filter(({ tell, by }) => budget.allows({ to: tell, by }))
    .map(({ tell: person, text, by }) => ({ person, text, ...(by !== undefined && { by }) }));
  return { events: [{ type: "passed", from, version: last.version, notices: told }] };
}

function move({ places, people }: Directory, { channel, from, to }: Move): DirectoryDecision {
  const conversation = places.get(addressOf(channel, from));
  if (conversation === undefined) return { refusal: conversationNotFound };
  const moved: DirectoryEvent = { type: "moved", conversation, place: to };
  // The person may have written there before we learned of the move. That conversation then continues as this one.
  const anew = places.get(addressOf(channel, to));
  if (anew === undefined || anew === conversation) return { events: [moved] };
  const home = `${channel}/${conversation}`;
  const homed: DirectoryEvent[] = [];
  for (const [person, known] of people)
    if (known.home === `${channel}/${anew}`) homed.push({ type: "homed", person, home });
  return { events: [{ type: "conversation-forgotten", conversation: anew }, moved, ...homed] };
}

function link({ conversations }: Directory, { conversation, ladder }: Link): DirectoryDecision {
  const known = conversations.get(conversation);
  // In a conversation between two, the ladder belongs to the person.
  if (!known || known.title === null) return { refusal: conversationNotFound };
  return { events: [{ type: "linked", conversation, ladder }] };
}

/** All duels have the same timeout, so the oldest come first. */
function lapses(directory: Directory, now: Millis): DirectoryEvent[] {
  const events: DirectoryEvent[] = [];
  const budget = new NoticeBudget(directory, now);
  for (const duel of directory.duels.allOpen) {
    if (duel.lapsesAt > now || events.length >= duelLimits.lapsesMax) break;
    events.push(dropped(directory, duel, { reason: "lapsed", by: null }, budget));
  }
  return events;
}

function forgetting({ forgetting: times }: Directory, now: Millis): DirectoryEvent[] {
  const due = times.due(now, directoryLimits.forgottenMax) as ConversationNumber[];
  // A time that was moved twice within a millisecond is listed twice, but nothing is forgotten twice.
  return Array.from(new Set(due), (conversation) => ({ type: "conversation-forgotten", conversation }));
}
