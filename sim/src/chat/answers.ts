import {
  type DirectoryCommand,
  type DirectoryEvent,
  type Directory as DirectoryRoom,
  duelsOf,
  type PersonId,
  personCalled as personCalledIn,
} from "@openseat/kernel";
import type { Glance, Specification } from "../specification.ts";
import { decided, wordsOf } from "./deciding.ts";
import {
  type Conversation,
  type Directory,
  type Duel,
  emptyDirectory,
  hourOf,
  type Notices,
  openDuels,
  type Person,
  shownDuels,
} from "./directory.ts";
import { dueOf, foldDirectory } from "./model.ts";

/** Everything about a directory, and the viewer's duels, in the form used for comparison. */
interface DirectoryView {
  readonly status: string;
  readonly people: readonly Person[];
  /** The person that each name leads to. */
  readonly called: readonly (readonly [string, string | undefined])[];
  readonly conversations: readonly Conversation[];
  readonly sources: readonly (readonly [string, number])[];
  readonly notices: readonly (readonly [string, Notices])[];
  /** Notices sent in the current hour, by sender and recipient. */
  readonly sent: readonly string[];
  readonly open: readonly object[];
  /** Newest first. */
  readonly finished: readonly object[];
}

const by =
  <T>(of: (each: T) => string | number) =>
  (one: T, other: T) =>
    of(one) < of(other) ? -1 : 1;

/** The view according to the server. */
export function viewOfDirectoryRoom(room: DirectoryRoom, glance: Glance): DirectoryView {
  const { open, finished } = duelsOf(room, glance.by as PersonId);
  const people = Array.from(room.people, ([person, { fold: _, usedAt, ...known }]) => ({
    ...{ person, ...known, usedAt: hourOf(usedAt) },
  }));
  return {
    status: "OPEN",
    people: people.sort(by(({ person }) => person)),
    called: people.map(({ nickname }) => [nickname, personCalledIn(room, nickname)]),
    conversations: Array.from(room.conversations, ([number, known]) => ({
      ...{ number, ...known },
      stopped: known.stopped === true,
    })).sort(by(({ number }) => number)),
    sources: [...room.receivedUpTo].sort(by(([from]) => from)),
    notices: [...room.notices].sort(by(([person]) => person)),
    sent: Array.from(room.sent.bySender, ([sender, recipients]) => recipients.map((to) => `${sender} ${to}`))
      .flat()
      .sort(),
    open: open.map(({ duel }) => duel),
    finished: finished.map(({ duel }) => duel),
  };
}

function viewOfDirectory(directory: Directory, glance: Glance): DirectoryView {
  const people = directory.people.toSorted(by(({ person }) => person));
  const over = directory.duels.filter(({ players, end }) => end !== null && players.includes(glance.by));
  return {
    status: "OPEN",
    people,
    called: people.map(({ nickname, person }) => [nickname, person]),
    conversations: directory.conversations.toSorted(by(({ number }) => number)),
    sources: [...directory.sources].sort(by(([from]) => from)),
    notices: [...directory.notices].sort(by(([person]) => person)),
    sent: directory.sent.notices.map((each) => `${each.by} ${each.to}`).sort(),
    open: openDuels(directory, glance.by)
      .map(({ end: _, ...duel }) => duel)
      .reverse(),
    finished: over
      .sort(by(({ end }) => -end!.nth))
      .slice(0, shownDuels)
      .map(finishedView),
  };
}

function finishedView({ number, players, hands, end }: Duel): object {
  const { at, names, winner, ladder, dropped } = end!;
  return { number, players, names, at, end: dropped === undefined ? { hands, winner, ladder } : { dropped } };
}

const refusalRules: Readonly<Record<string, string>> = {
  "nickname.invalid": "NM2",
  "nickname.taken": "NM1",
  "nickname.same": "NM3",
  "nickname.missing": "CH5",
  "nickname.unknown": "NM1",
  "conversation.not-found": "CH6",
  "directory.full": "LM6",
  "duel.too-many": "LM6",
};

export const directorySpecification: Specification<Directory, DirectoryCommand, DirectoryEvent> = {
  fold: foldDirectory,
  due: dueOf,
  dueRule: "CH4",
  listing: (directory) => ({
    status: "OPEN",
    summary: { people: directory.people.length, openDuels: openDuels(directory).length },
  }),
  refusal(directory, _, command) {
    const outcome = decided(directory ?? emptyDirectory, command);
    return "refusal" in outcome ? outcome.refusal : undefined;
  },
  refusalByClock: () => undefined,
  refusalRule: (code) => refusalRules[code] ?? "CH4",
  asksTheSame: (command, entry) => entry.command === wordsOf(command),
  keepsKeysBy: "CH1",
  view: viewOfDirectory,
  viewRule: "NM1",
};
