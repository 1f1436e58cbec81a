import type { Decider, Saved } from "../decider.ts";
import { Duels, type SavedDuels } from "../duel/duels.ts";
import { assert, earliest, type PersonId } from "../values.ts";
import type { DirectoryCommand, Pass } from "./commands.ts";
import { decide } from "./decide.ts";
import { effects } from "./effects.ts";
import type { DirectoryEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import {
  assembled,
  type Conversation,
  type ConversationNumber,
  type Directory,
  type Notices,
  type Person,
} from "./state.ts";

/** The directory decider for the host. */
export const directoryDecider: Decider<Directory, DirectoryCommand, DirectoryEvent> = {
  decide,
  evolve,
  effects,
  tick: { type: "tick" },
  keys: { fingerprint, areKept: true },
  snapshots: { save, restore },

  nextDue({ duels, forgetting, conversations }) {
    forgetting.tidy(conversations.size);
    return earliest(duels.allOpen.next().value?.lapsesAt, forgetting.next);
  },

  inbox: {
    receive: (from, deliveries) => ({
      type: "pass",
      from,
      notices: deliveries.map(({ version, body }) => ({ ...body, version }) as Pass["notices"][number]),
    }),
  },

  listing: ({ people, duels }) => ({
    status: "OPEN",
    summary: { people: people.size, openDuels: duels.openCount },
  }),
};

function fingerprint(command: DirectoryCommand): string {
  switch (command.type) {
    // CH1: a message is identified by its id alone. Delivered again, it is the same message.
    case "hear":
    case "recall":
      return "hear";
    case "quit":
      return `quit ${command.person}`;
    case "take-name":
      return `take-name ${command.nickname}`;
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

function save(directory: Directory): Saved {
  const { people, conversations, duels, receivedUpTo, notices, sent, peopleMet, conversationsMet } =
    directory;
  const { last, open, finished } = duels.save();
  const head: Head = { shape, peopleMet, conversationsMet, lastDuel: last, sentInHour: sent.hour };
  const lists: Lists = {
    people: [...people],
    conversations: [...conversations],
    openDuels: open,
    finishedDuels: finished,
    heard: [...receivedUpTo],
    notices: [...notices],
    sentBySender: [...sent.bySender],
  };
  return { head: { ...head }, columns: {}, lists: { ...lists } };
}

/** The shape of snapshots. A snapshot of another shape is not restored; the state is rebuilt from the log. */
const shape = 3;

interface Head extends Pick<Directory, "peopleMet" | "conversationsMet"> {
  readonly shape: number;
  readonly lastDuel: number;
  readonly sentInHour: number;
}

interface Lists {
  readonly people: readonly (readonly [PersonId, Person])[];
  readonly conversations: readonly (readonly [ConversationNumber, Conversation])[];
  readonly openDuels: SavedDuels["open"];
  readonly finishedDuels: SavedDuels["finished"];
  readonly heard: readonly (readonly [string, number])[];
  readonly notices: readonly (readonly [PersonId, Notices])[];
  readonly sentBySender: readonly (readonly [string, readonly PersonId[]])[];
}

function restore({ head, lists }: Saved): Directory {
  const { peopleMet, conversationsMet, lastDuel, sentInHour, ...given } = head as unknown as Head;
  assert(given.shape === shape, "a snapshot of the directory of an unknown shape");
  const saved = lists as unknown as Lists;
  return assembled({
    people: new Map(saved.people),
    conversations: new Map(saved.conversations),
    duels: Duels.restore({ last: lastDuel, open: saved.openDuels, finished: saved.finishedDuels }),
    receivedUpTo: new Map(saved.heard),
    notices: new Map(saved.notices),
    sent: { hour: sentInHour, bySender: new Map(saved.sentBySender) },
    peopleMet,
    conversationsMet,
  });
}
