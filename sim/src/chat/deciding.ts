import { isDeepStrictEqual } from "node:util";
import type { Both, DirectoryCommand, DirectoryEvent, Hand } from "@openseat/kernel";
import { limits, oldestOfHeaviest } from "../limits.ts";
import { type Obstacle, obstacle } from "../specification.ts";
import { budgetIn } from "./budget.ts";
import {
  conversationAt,
  type Directory,
  type Duel,
  duelLastsMs,
  firstEvicted,
  forgetAfterMs,
  hasPage,
  isRemembered,
  isSameName,
  namesOf,
  nicknameFrom,
  openBetween,
  openDuels,
  type Person,
  personCalled,
  personKnown,
  seatOf,
  winnerOf,
  withAt,
} from "./directory.ts";

/**
 * The effect of a command according to the specification. Events are compared with those in the log as plain
 * objects.
 */
export type Decided = { readonly events: readonly object[] } | { readonly refusal: Obstacle };

const refuse = (code: string): Decided => ({ refusal: obstacle({ code }) });

/** The effect of an API command, at the directory's time. */
export function decided(directory: Directory, command: DirectoryCommand): Decided {
  switch (command.type) {
    case "take-name": {
      const { person, nickname } = command;
      const { home, account } = personKnown(directory, person) ?? newcomer(person);
      return named(directory, { person, home, account }, nickname);
    }
    case "quit":
      return quit(directory, command.person, null);
    case "challenge": {
      const { person, opponent: name, hand, ladder } = command;
      if (!personKnown(directory, person)) return refuse("nickname.missing");
      const opponent = personCalled(directory, name);
      if (!opponent) return refuse("nickname.unknown");
      return challenge(directory, { person, opponent: opponent.person, hand, ladder });
    }
    case "throw":
      return ofDuel(directory, command, (duel) => thrown(directory, duel, command));
    case "drop":
      return ofDuel(directory, command, (duel) => withdrawn(directory, duel, command.person));
    case "move":
      return moved(directory, command);
    case "link":
      return linked(directory, command);
    case "tick":
      return { events: lapsed(directory) };
    case "recall":
      return refuse("delivery.not-found");
    // Messages are deduplicated by message id, deliveries by their source version.
    case "hear":
    case "pass":
      return { events: [] };
  }
}

function newcomer(person: string): Pick<Person, "home" | "account"> {
  return { home: `conversation/${person}`, account: null };
}

/** NM1–NM3. */
export function named(
  directory: Directory,
  who: Pick<Person, "person" | "home" | "account">,
  typed: string,
): Decided {
  const nickname = nicknameFrom(typed);
  if (nickname === undefined) return refuse("nickname.invalid");
  const was = personKnown(directory, who.person)?.nickname ?? null;
  const isTaken = directory.people.some(
    ({ person, nickname: other }) => person !== who.person && isSameName(other, nickname),
  );
  if (was === nickname) return { refusal: obstacle({ code: "nickname.same", data: { nickname } }) };
  if (isTaken) return refuse("nickname.taken");
  const event = { type: "named", ...who, nickname, was };
  if (was !== null || directory.people.length < limits.people) return { events: [event] };
  const evicted = firstEvicted(directory);
  const eviction = evicted ? quit(directory, evicted.person, null) : refuse("directory.full");
  return "refusal" in eviction ? eviction : { events: [event, ...eviction.events] };
}

/** CH5. */
export function quit(directory: Directory, person: string, conversation: number | null): Decided {
  const known = personKnown(directory, person);
  if (!known) return refuse("nickname.missing");
  const mayNotify = budgetIn(directory);
  const drops = openDuels(directory, person).map((duel) =>
    dropped(directory, duel, { reason: "gone", by: seatOf(duel, person) }, mayNotify),
  );
  const { ladders } = known;
  const forgetAt = directory.at + forgetAfterMs;
  return { events: [...drops, { type: "forgotten", person, ladders, conversation, forgetAt }] };
}

interface Challenge {
  readonly person: string;
  readonly opponent: string;
  readonly hand: Hand | null;
  readonly ladder: string | null;
}

/** CH4. */
export function challenge(directory: Directory, { person, opponent, hand, ladder }: Challenge): Decided {
  if (person === opponent) return refuse("duel.self");
  const open = openBetween(directory, person, opponent);
  if (open && hand === null) return refuse("duel.exists");
  if (open) return thrown(directory, open, { person, hand: hand!, ladder });
  const own = openDuels(directory).filter(({ players }) => players[0] === person);
  if (own.length >= limits.duelsOfOne) return refuse("duel.too-many");
  const mayNotify = budgetIn(directory);
  const crowded = crowdedBy(directory, opponent);
  const why = { reason: "crowded", by: null, cause: person } as const;
  const off = crowded ? [dropped(directory, crowded, why, mayNotify)] : [];
  const players: Both<string> = [person, opponent];
  const common = { duel: directory.duels.length + 1, players, names: namesOf(directory, players) };
  const tells = mayNotify(person, opponent) ? [1] : [];
  const opened = { type: "duel-opened", ...common, tells, lapsesAt: directory.at + duelLastsMs };
  const first = hand === null ? [] : [{ type: "thrown", ...common, by: 0, hand, ladder }];
  return { events: [...off, opened, ...first] };
}

/** LM6: the oldest challenge or duel of the person who opened most of them. */
function crowdedBy(directory: Directory, opponent: string): Duel | undefined {
  const open = openDuels(directory);
  const challenges = open.filter(({ players }) => players[1] === opponent);
  const unanswered = challenges.filter(({ hands }) => hands[1] === null);
  const opener = ({ players }: Duel) => players[0];
  if (challenges.length >= limits.challenges)
    return oldestOfHeaviest(unanswered.length > 0 ? unanswered : challenges, opener, open);
  return open.length >= limits.duels ? oldestOfHeaviest(open, opener) : undefined;
}

function thrown(
  directory: Directory,
  duel: Duel,
  { person, hand, ladder }: { person: string; hand: Hand; ladder: string | null },
): Decided {
  const by = seatOf(duel, person);
  const { number, players, hands, ladders } = duel;
  if (hands[by] !== null) return refuse("duel.thrown");
  const common = { duel: number, players, names: namesOf(directory, players), by };
  const both = withAt<Hand | null>(hands, by, hand);
  if (both.includes(null)) {
    // The challenged person is notified a second time if they have not answered.
    const isNotified = by === 0 && budgetIn(directory)(players[0], players[1]);
    return { events: [{ type: "thrown", ...common, hand, ladder, ...(isNotified && { tells: [1] }) }] };
  }
  const wanted = withAt(ladders, by, ladder);
  const counts = wanted[0] === wanted[1] ? wanted[0] : null;
  const result = { hands: both, winner: winnerOf(both as Both<Hand>), ladder: counts };
  return { events: [{ type: "duel-ended", ...common, ...result }] };
}

function ofDuel(
  directory: Directory,
  { person, duel: number }: { person: string; duel: number },
  act: (duel: Duel) => Decided,
): Decided {
  const duel = directory.duels[number - 1];
  if (!duel?.players.includes(person)) return refuse("duel.not-found");
  if (duel.end === null) return act(duel);
  return refuse(isRemembered(directory, duel) ? "duel.over" : "duel.not-found");
}

/** CH4: notify the opener, players who have thrown and players with a page, but not the person who dropped it. */
function dropped(
  directory: Directory,
  { number, players, hands }: Duel,
  why: { readonly reason: string; readonly by: 0 | 1 | null; readonly cause?: string },
  mayNotify: (by: string | undefined, to: string) => boolean,
): object {
  const by = why.by === null ? why.cause : players[why.by];
  const tells = ([0, 1] as const).filter((seat) => {
    const to = players[seat];
    const cares = seat === 0 || hands[1] !== null || hasPage(directory, to);
    return to !== by && cares && mayNotify(by, to);
  });
  return { type: "duel-dropped", duel: number, players, names: namesOf(directory, players), tells, ...why };
}

/** CH4: a player withdraws from a duel. */
export function withdrawn(directory: Directory, duel: Duel, person: string): Decided {
  const by = seatOf(duel, person);
  const reason = by === 0 ? "withdrawn" : "declined";
  return { events: [dropped(directory, duel, { reason, by }, budgetIn(directory))] };
}

/** People whose notices go to the new conversation are notified in the continued one. */
function moved(
  directory: Directory,
  { channel, from, to }: { channel: string; from: string; to: string },
): Decided {
  const known = conversationAt(directory, channel, from);
  if (!known) return refuse("conversation.not-found");
  const move = { type: "moved", conversation: known.number, place: to };
  const target = conversationAt(directory, channel, to);
  if (!target || target === known) return { events: [move] };
  const homed = directory.people
    .filter(({ home }) => home === `${channel}/${target.number}`)
    .map(({ person }) => ({ type: "homed", person, home: `${channel}/${known.number}` }));
  return { events: [{ type: "conversation-forgotten", conversation: target.number }, move, ...homed] };
}

/** Only groups have a ladder. */
function linked(
  { conversations }: Directory,
  { conversation, ladder }: { conversation: number; ladder: string },
): Decided {
  const isGroup = conversations.some(({ number, title }) => number === conversation && title !== null);
  return isGroup ? { events: [{ type: "linked", conversation, ladder }] } : refuse("conversation.not-found");
}

function lapsed(directory: Directory): object[] {
  const { at, conversations } = directory;
  const late = openDuels(directory).filter(({ lapsesAt }) => lapsesAt <= at);
  const leaving = conversations.filter(({ forgetAt }) => forgetAt !== null && forgetAt <= at);
  leaving.sort((a, b) => a.forgetAt! - b.forgetAt! || a.number - b.number);
  return [
    ...late.map((duel) => dropped(directory, duel, { reason: "lapsed", by: null }, budgetIn(directory))),
    ...leaving.map(({ number: conversation }) => ({ type: "conversation-forgotten", conversation })),
  ];
}

/** The command named by an entry; undefined for messages and deliveries. */
export function commandIn({ command, by }: { command: string; by: string }): DirectoryCommand | undefined {
  const [word] = command.split(" ", 1);
  const rest = command.slice(word.length + 1);
  const person = by;
  const given = () => JSON.parse(rest);
  switch (word) {
    case "take-name":
      return { type: word, person, nickname: rest } as DirectoryCommand;
    case "quit":
      return { type: word, person: rest } as DirectoryCommand;
    case "challenge": {
      const [opponent, hand, ladder] = given();
      return { type: word, person, opponent, hand, ladder } as DirectoryCommand;
    }
    case "throw": {
      const [duel, hand, ladder] = given();
      return { type: word, person, duel, hand, ladder } as DirectoryCommand;
    }
    case "drop":
      return { type: word, person, duel: Number(rest) } as DirectoryCommand;
    case "move": {
      const [channel, from, to] = given();
      return { type: word, channel, from, to };
    }
    case "link": {
      const [conversation, ladder] = given();
      return { type: word, conversation, ladder };
    }
    case "tick":
      return { type: word };
    default:
      return undefined;
  }
}

/** The command's text in an entry. */
export function wordsOf(command: DirectoryCommand): string {
  switch (command.type) {
    case "take-name":
      return `take-name ${command.nickname}`;
    case "quit":
      return `quit ${command.person}`;
    case "challenge":
      return `challenge ${JSON.stringify([command.opponent, command.hand, command.ladder])}`;
    case "throw":
      return `throw ${JSON.stringify([command.duel, command.hand, command.ladder])}`;
    case "drop":
      return `drop ${command.duel}`;
    case "move":
      return `move ${JSON.stringify([command.channel, command.from, command.to])}`;
    case "link":
      return `link ${JSON.stringify([command.conversation, command.ladder])}`;
    default:
      return command.type;
  }
}

/** Whether both lists of events are equal, apart from the normalized form of names. */
export function areSame(recorded: readonly DirectoryEvent[], expected: readonly object[]): boolean {
  const plain = recorded.map((event) => {
    if (event.type !== "named") return event;
    const { fold: _, ...named } = event;
    return named;
  });
  return isDeepStrictEqual(plain, expected);
}

/** LM6: whether a person was evicted, or a notice was dropped because of its rate. */
function isAboutRoom(events: readonly object[]): boolean {
  const types = events.map((event) => (event as { type: string }).type);
  if (types.includes("named") && types.includes("forgotten")) return true;
  if (types.includes("met") && types.includes("conversation-forgotten")) return true;
  return events.some((event) => {
    const { type, reason, tells } = event as { type: string; reason?: string; tells?: readonly number[] };
    return reason === "crowded" || (type === "duel-opened" && tells?.length === 0);
  });
}

/** The rule that is broken when the log has other events than expected. */
export function ruleFor(expected: readonly object[], recorded: readonly DirectoryEvent[]): string {
  const has = (events: readonly object[], type: RegExp) =>
    events.some((event) => type.test((event as { type: string }).type));
  if (isAboutRoom(expected) || isAboutRoom(recorded)) return "LM6";
  const isNamed = has(expected, /^named$/);
  if (isNamed !== has(recorded, /^named$/)) return isNamed ? "NM3" : "NM1";
  if (isNamed) return "NM3";
  if (has([...expected, ...recorded], /^forgotten$/)) return "CH5";
  if (has([...expected, ...recorded], /^(duel-|thrown)/)) return "CH4";
  if (has([...expected, ...recorded], /^(met|moved|homed|kept|conversation)/)) return "CH6";
  return "CH2";
}
