import type { ConversationEvent, ConversationLine, Conversation as Kept, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import type { Specification } from "../specification.ts";

/** What somebody with a token has said and was told: all of it. */
export interface Talk {
  readonly at: Millis;
  /** It has none. */
  readonly terms: undefined;
  readonly lines: readonly ConversationLine[];
  /** The version up to which each stream has been heard. */
  readonly sources: ReadonlyMap<string, number>;
}

/** So many lines are shown. */
const shownLines = 100;

function foldTalk(before: Talk | undefined, { at, by, events }: Entry<ConversationEvent>): Talk {
  must(before === undefined || at >= before.at, "RM5", `time went back from ${before?.at} to ${at}`);
  must(by === "@outbox", "AU3", `${by} wrote into a conversation`);
  let talk: Talk = before ?? { at, terms: undefined, lines: [], sources: new Map() };
  for (const { from, version, lines } of events) {
    const heard = talk.sources.get(from) ?? 0;
    must(version > heard, "CH7", `${from} was heard up to ${version} after ${heard}`);
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

/** As the server sees it. */
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
