import { isDeepStrictEqual } from "node:util";
import type { Both, DirectoryEvent, Hand, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import {
  type Conversation,
  type Directory,
  type Duel,
  duelLastsMs,
  type EventOf,
  emptyDirectory,
  endedDuels,
  forgetAfterMs,
  hourOf,
  isSameName,
  namesOf,
  nicknameFrom,
  openBetween,
  openDuels,
  type Person,
  personKnown,
  senderOf,
  winnerOf,
  withAt,
} from "./directory.ts";

/** When the directory next has work to do: an open duel expires, or a conversation is forgotten. */
export function dueOf(directory: Directory): Millis | undefined {
  const times = [
    ...openDuels(directory).map(({ lapsesAt }) => lapsesAt),
    ...directory.conversations.flatMap(({ forgetAt }) => forgetAt ?? []),
  ];
  return times.length > 0 ? (Math.min(...times) as Millis) : undefined;
}

/** Applies one entry to the directory. Throws `RuleBroken` when the rules do not allow that entry. */
export function foldDirectory(before: Directory | undefined, entry: Entry<DirectoryEvent>): Directory {
  const { at, by, command, events } = entry;
  must(before === undefined || at >= before.at, "RM5", `time went back from ${before?.at} to ${at}`);
  must((command === "tick") === (by === "@clock"), "AU3", `a ${command} by ${by}`);
  must((command === "pass") === (by === "@outbox"), "AU3", `a ${command} by ${by}`);
  const due = (before && dueOf(before)) ?? Number.POSITIVE_INFINITY;
  if (command === "tick") must(due <= at, "CH4", `due work was done ${due - at} ms early`);
  else must(due > at, "CH4", `a ${command} although other work was overdue by ${at - due} ms`);
  must(events.length > 0, "RM5", "an entry without events");
  let directory: Directory = { ...(before ?? emptyDirectory), at };
  for (const event of events) directory = used(apply(counting(directory, event), event), event);
  return directory;
}

/** Records the activity of the people who caused the event. */
function used(directory: Directory, event: DirectoryEvent): Directory {
  const person = doerOf(event);
  if (person === null || !personKnown(directory, person)) return directory;
  return withPerson(directory, person, { usedAt: hourOf(directory.at) });
}

function doerOf(event: DirectoryEvent): string | null {
  switch (event.type) {
    case "named":
    case "registered":
    case "answered":
    case "asked":
      return event.person;
    case "duel-opened":
      return event.players[0];
    case "thrown":
    case "duel-ended":
    case "duel-dropped":
      return event.by === null ? null : event.players[event.by];
    default:
      return null;
  }
}

const noticesMs = 3_600_000;

/** Counts unsolicited notices, which are limited per hour. */
function counting(directory: Directory, event: DirectoryEvent): Directory {
  let { notices, sent } = directory;
  const hour = hourOf(directory.at);
  for (const { to, by } of unsolicited(event)) {
    if (!personKnown(directory, to)) continue;
    const { since, count } = notices.get(to) ?? { since: directory.at, count: 0 };
    const isOver = directory.at - since > noticesMs;
    const counted = isOver ? { since: directory.at, count: 1 } : { since, count: count + 1 };
    notices = new Map([...notices, [to, counted]]);
    if (by === undefined) continue;
    const sentBefore = sent.hour === hour ? sent.notices : [];
    sent = { hour, notices: [...sentBefore, { by: senderOf(directory, by), to }] };
  }
  for (const answer of answersIn(event)) {
    const sender = senderOf(directory, answer.to);
    sent = { ...sent, notices: sent.notices.filter(({ by, to }) => by !== sender || to !== answer.by) };
  }
  return { ...directory, notices, sent };
}

/** Who answered whom, by a throw or by a ladder's report. Notices between them count as wanted. */
function answersIn(event: DirectoryEvent): readonly { readonly by: string; readonly to: string }[] {
  if (event.type === "passed")
    return event.notices.flatMap(({ person, by }) => (by === undefined ? [] : [{ by, to: person }]));
  if (event.type !== "thrown" && event.type !== "duel-ended") return [];
  return [{ by: event.players[event.by], to: event.players[1 - event.by] }];
}

/** Who is notified, and who caused it. deciding.ts checks the event itself. */
export function unsolicited(
  event: DirectoryEvent,
): readonly { readonly to: string; readonly by: string | undefined }[] {
  if (event.type === "passed") return event.notices.map(({ person, by }) => ({ to: person, by }));
  if (event.type !== "duel-opened" && event.type !== "duel-dropped" && event.type !== "thrown") return [];
  const seat = event.type === "duel-opened" ? 0 : event.by;
  const by = seat === null ? (event as EventOf<"duel-dropped">).cause : event.players[seat];
  return (event.tells ?? []).map((each) => ({ to: event.players[each], by }));
}

function apply(directory: Directory, event: DirectoryEvent): Directory {
  switch (event.type) {
    case "named":
      return name(directory, event);
    case "homed":
      return withPerson(directory, event.person, { home: event.home });
    case "registered":
      return register(directory, event);
    case "forgotten":
      return forget(directory, event);
    case "duel-opened":
      return open(directory, event);
    case "thrown":
      return throwIn(directory, event);
    case "duel-ended":
      return end(directory, event);
    case "duel-dropped":
      return drop(directory, event);
    case "met":
      return meet(directory, event);
    case "moved":
      return withConversation(directory, event.conversation, { place: event.place });
    case "linked":
      return withConversation(directory, event.conversation, { ladder: event.ladder });
    case "kept":
      return withConversation(directory, event.conversation, { forgetAt: event.forgetAt });
    case "unsubscribed":
      return withConversation(directory, event.conversation, { stopped: true, forgetAt: null });
    case "resubscribed":
      return withConversation(directory, event.conversation, { stopped: false, forgetAt: event.forgetAt });
    case "conversation-forgotten":
      return leave(directory, event);
    case "passed":
      return pass(directory, event);
    case "answered":
    case "asked":
      return directory;
  }
}

function withPerson(directory: Directory, id: string, changes: Partial<Person>): Directory {
  must(personKnown(directory, id) !== undefined, "NM1", `${id} has no nickname but has recorded activity`);
  const people = directory.people.map((each) => (each.person === id ? { ...each, ...changes } : each));
  return { ...directory, people };
}

function withConversation(directory: Directory, number: number, changes: Partial<Conversation>): Directory {
  const isKnown = directory.conversations.some((each) => each.number === number);
  must(isKnown, "CH6", `an event in conversation ${number}, which does not exist`);
  const conversations = directory.conversations.map((each) =>
    each.number === number ? { ...each, ...changes } : each,
  );
  return { ...directory, conversations };
}

function name(directory: Directory, event: EventOf<"named">): Directory {
  const { person, nickname, fold, was, home, account } = event;
  const known = personKnown(directory, person);
  const had = known?.nickname ?? null;
  must(had === was, "NM3", `${person} was called ${was} instead of ${had}`);
  must(isSameName(fold, nickname), "NM1", `${nickname} is compared as ${fold}`);
  must(nicknameFrom(nickname) === nickname, "NM2", `${person} is called ${nickname}`);
  const owner = directory.people.find((each) => isSameName(each.nickname, nickname));
  must(
    owner === undefined || owner === known,
    "NM1",
    `${owner?.person} and ${person} are called ${nickname}`,
  );
  if (known) return withPerson(directory, person, { nickname, home, account });
  const isMet = account !== null;
  must(!isMet || person === `chat_${directory.peopleMet + 1}`, "CH6", `${account} became ${person}`);
  const hour = hourOf(directory.at);
  return {
    ...directory,
    people: [
      ...directory.people,
      { person, nickname, account, home, ladders: [], namedAt: directory.at, usedAt: hour, hasPlayed: false },
    ],
    peopleMet: directory.peopleMet + Number(isMet),
  };
}

function register(directory: Directory, { person, ladder }: EventOf<"registered">): Directory {
  const others = (personKnown(directory, person)?.ladders ?? []).filter((each) => each !== ladder);
  return withPerson(directory, person, { ladders: [...others, ladder] });
}

/** CH5: only the matches they played are left. */
function forget(directory: Directory, event: EventOf<"forgotten">): Directory {
  const { person, ladders, conversation, forgetAt } = event;
  const known = personKnown(directory, person);
  must(known !== undefined, "CH5", `${person} was forgotten but was not known`);
  must(
    isDeepStrictEqual(ladders, known.ladders),
    "CH5",
    `${person} was on ${known.ladders}, not on ${ladders}`,
  );
  must(openDuels(directory, person).length === 0, "CH5", `${person} was forgotten with a duel open`);
  const notices = new Map([...directory.notices].filter(([each]) => each !== person));
  const after = { ...directory, notices, people: directory.people.filter((each) => each !== known) };
  if (conversation === null) return after;
  must(forgetAt === directory.at + forgetAfterMs, "CH5", `a conversation is forgotten at ${forgetAt}`);
  return withConversation(after, conversation, { forgetAt });
}

type OfDuel = EventOf<"duel-opened" | "thrown" | "duel-ended" | "duel-dropped">;

/** CH4: the open duel between these two people, under their current names. */
function openDuel(directory: Directory, { type, duel: number, players, names }: OfDuel): Duel {
  const duel = directory.duels[number - 1];
  must(duel !== undefined, "CH4", `${type} in duel ${number}, which was never opened`);
  must(duel.end === null, "CH4", `${type} in duel ${number}, which had ended`);
  const isSame = isDeepStrictEqual([...duel.players], [...players]);
  must(isSame, "CH4", `duel ${number} is between ${duel.players}, not ${players}`);
  checkNames(directory, players, names);
  return duel;
}

function checkNames(directory: Directory, players: Both<string>, names: Both<string>): void {
  const right = namesOf(directory, players);
  must(isDeepStrictEqual([...names], [...right]), "CH4", `${players} are called ${right}, not ${names}`);
}

function withDuel(directory: Directory, { number }: Duel, changes: Partial<Duel>): Directory {
  const duel = { ...directory.duels[number - 1], ...changes };
  return { ...directory, duels: directory.duels.with(number - 1, duel) };
}

function open(directory: Directory, event: EventOf<"duel-opened">): Directory {
  const { duel: number, players, names, lapsesAt } = event;
  const { duels, at } = directory;
  must(number === duels.length + 1, "CH4", `duel ${number} after ${duels.length}`);
  must(players[0] !== players[1], "CH4", `${players[0]} has a duel with themselves`);
  for (const person of players)
    must(personKnown(directory, person) !== undefined, "CH4", `${person} has a duel but no nickname`);
  const other = openBetween(directory, ...players);
  must(other === undefined, "CH4", `${players} have the duels ${other?.number} and ${number} at once`);
  checkNames(directory, players, names);
  must(lapsesAt === at + duelLastsMs, "CH4", `duel ${number} is open for ${lapsesAt - at} ms`);
  const nothing = { hands: [null, null], ladders: [null, null], end: null } as const;
  return { ...directory, duels: [...duels, { number, players, openedAt: at, lapsesAt, ...nothing }] };
}

function throwIn(directory: Directory, event: EventOf<"thrown">): Directory {
  const duel = openDuel(directory, event);
  const { by, hand, ladder } = event;
  const isFirst = duel.hands.every((each) => each === null);
  must(isFirst, "CH4", `a throw in duel ${duel.number} after ${duel.hands}, but the duel continues`);
  return withDuel(directory, duel, {
    hands: withAt<Hand | null>(duel.hands, by, hand),
    ladders: withAt(duel.ladders, by, ladder),
  });
}

function endingNow(directory: Directory): { at: Millis; nth: number } {
  return { at: directory.at, nth: endedDuels(directory) + 1 };
}

/** CH4: one result, which follows from both hands. */
function end(directory: Directory, event: EventOf<"duel-ended">): Directory {
  const duel = openDuel(directory, event);
  const { by, hands, winner, ladder, names } = event;
  const other = by === 0 ? 1 : 0;
  const isSecond = duel.hands[by] === null && duel.hands[other] === hands[other];
  must(isSecond, "CH4", `duel ${duel.number} had ${duel.hands} but ended with ${hands}`);
  must(winner === winnerOf(hands), "CH4", `seat ${winner} won duel ${duel.number} with ${hands}`);
  const mayCount = ladder === null || ladder === duel.ladders[other];
  must(
    mayCount,
    "CH4",
    `duel ${duel.number} counts on ${ladder}, which ${duel.players[other]} did not agree to`,
  );
  const after = withDuel(directory, duel, { hands, end: { ...endingNow(directory), names, winner, ladder } });
  return { ...after, people: after.people.map((each) => played(each, event)) };
}

/** Both become players of the ladder, which must receive their names. Their default ladder stays the same. */
function played(person: Person, { players, ladder }: EventOf<"duel-ended">): Person {
  if (!(players as Both<string>).includes(person.person)) return person;
  const isNew = ladder !== null && !person.ladders.includes(ladder);
  return { ...person, hasPlayed: true, ladders: isNew ? [ladder, ...person.ladders] : person.ladders };
}

function drop(directory: Directory, event: EventOf<"duel-dropped">): Directory {
  const duel = openDuel(directory, event);
  const { reason, by, names } = event;
  const isLapse = reason === "lapsed";
  must(
    (isLapse || reason === "crowded") === (by === null),
    "CH4",
    `duel ${duel.number} was ${reason} by ${by}`,
  );
  const early = duel.lapsesAt - directory.at;
  must(!isLapse || early <= 0, "CH4", `duel ${duel.number} expired ${early} ms early`);
  return withDuel(directory, duel, { end: { ...endingNow(directory), names, dropped: reason } });
}

function meet(directory: Directory, event: EventOf<"met">): Directory {
  const { conversation: number, channel, place, title, forgetAt } = event;
  const { conversations, conversationsMet } = directory;
  must(number === conversationsMet + 1, "CH6", `conversation ${number} after ${conversationsMet}`);
  const isNew = !conversations.some((each) => each.channel === channel && each.place === place);
  must(isNew, "CH6", `${channel} ${place} has two conversations`);
  const conversation = { number, channel, place, title, ladder: null, forgetAt, stopped: false };
  return { ...directory, conversations: [...conversations, conversation], conversationsMet: number };
}

function leave(directory: Directory, { conversation }: EventOf<"conversation-forgotten">): Directory {
  const conversations = directory.conversations.filter(({ number }) => number !== conversation);
  const isKnown = conversations.length < directory.conversations.length;
  must(isKnown, "CH5", `conversation ${conversation} was forgotten twice`);
  return { ...directory, conversations };
}

/** A ladder's notices are passed on once and in order: see post.ts. */
function pass(directory: Directory, { from, version }: EventOf<"passed">): Directory {
  const received = directory.sources.get(from) ?? 0;
  must(version > received, "CH7", `${from} was received up to ${version} after ${received}`);
  return { ...directory, sources: new Map([...directory.sources, [from, version]]) };
}
