import type { ConversationEvent, ConversationLine, Conversation as Kept, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import type { Specification } from "../specification.ts";

/** The conversation of a person with a token: every line sent and received. */
export interface Talk {
  readonly at: Millis;
  /** A conversation has no terms. */
  readonly terms: undefined;
  readonly lines: readonly ConversationLine[];
  /** The version received so far from each stream. */
  readonly sources: ReadonlyMap<string, number>;
}

/** Lines shown. */
const shownLines = 100;

function foldTalk(before: Talk | undefined, { at, by, events }: Entry<ConversationEvent>): Talk {
  must(before === undefined || at >= before.at, "RM5", `time went back from ${before?.at} to ${at}`);
  must(by === "@outbox", "AU3", `${by} wrote an entry to a conversation`);
  let talk: Talk = before ?? { at, terms: undefined, lines: [], sources: new Map() };
  for (const { from, version, lines } of events) {
    const received = talk.sources.get(from) ?? 0;
    must(version > received, "CH7", `${from} was received up to ${version} after ${received}`);
    const { length } = talk.lines;
    const added = lines.map((line, index) => ({ number: length + index + 1, ...line, at }));
    const sources = new Map([...talk.sources, [from, version] as const]);
    talk = { ...talk, at, lines: [...talk.lines, ...added], sources };
  }
  return talk;
}

interface TalkView {
  readonly status: string;
  readonly lines: readonly ConversationLine[];
  readonly sources: readonly (readonly [string, number])[];
}

const sorted = (sources: ReadonlyMap<string, number>) => [...sources].sort(([a], [b]) => (a < b ? -1 : 1));

/** The view according to the server. */
export function viewOfConversationRoom({ lines, receivedUpTo }: Kept): TalkView {
  return { status: "OPEN", lines: [...lines], sources: sorted(receivedUpTo) };
}

export const conversationSpecification: Specification<Talk, never, ConversationEvent> = {
  fold: foldTalk,
  due: () => undefined,
  dueRule: "CH7",
  listing: ({ lines }) => ({ status: "OPEN", summary: { lines: lines.length } }),
  refusal: () => undefined,
  refusalByClock: () => undefined,
  refusalRule: () => "CH7",
  asksTheSame: () => false,
  view: ({ lines, sources }): TalkView => ({
    ...{ status: "OPEN", lines: lines.slice(-shownLines), sources: sorted(sources) },
  }),
  viewRule: "CH7",
};
