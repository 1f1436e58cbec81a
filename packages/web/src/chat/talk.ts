import type { ConversationLine } from "@openseat/client";

/** A message from this page, until the conversation has it. */
interface Outgoing {
  /** Under which it may be said again: it takes effect once. */
  readonly id: string;
  readonly text: string;
  readonly at: string;
  /** The last line that was there when it was said: its own comes later. */
  readonly after: number;
  readonly state: "sending" | "answered" | "failed";
  /** What was answered, or why it was not sent. */
  readonly word: string;
}

/** What a page knows of a conversation. */
export interface Talk {
  /** Undefined until it is known. */
  readonly lines: readonly ConversationLine[] | undefined;
  readonly outgoing: readonly Outgoing[];
  /** What a screen reader is to say. By the number it is said again when it is the same. */
  readonly said: { readonly text: string; readonly number: number };
}

export type TalkNews =
  /** All that is shown of it, as it came live; or as it was asked for, which may be older. */
  | { readonly type: "live" | "looked"; readonly lines: readonly ConversationLine[] }
  /** For the first time, or again under the same id. */
  | { readonly type: "saying"; readonly id: string; readonly text: string; readonly at: string }
  | { readonly type: "answered" | "failed"; readonly id: string; readonly word: string };

export const noTalk: Talk = { lines: undefined, outgoing: [], said: { text: "", number: 0 } };

/** As much of a message as a conversation keeps. */
const keptLength = 500;

export function talkAfter(talk: Talk, news: TalkNews): Talk {
  switch (news.type) {
    case "looked":
      return talk.lines === undefined ? heard(talk, news.lines) : talk;
    case "live":
      return heard(talk, news.lines);
    case "saying":
      return { ...talk, outgoing: saying(talk, news) };
    case "answered":
    case "failed":
      return settled(talk, news);
  }
}

function saying(
  { lines, outgoing }: Talk,
  { id, text, at }: Extract<TalkNews, { readonly type: "saying" }>,
): readonly Outgoing[] {
  const isAgain = outgoing.some((message) => message.id === id);
  const state = "sending" as const;
  if (isAgain)
    return outgoing.map((message) => (message.id === id ? { ...message, state, word: "" } : message));
  return [...outgoing, { id, text, at, after: lastOf(lines), state, word: "" }];
}

function settled(
  talk: Talk,
  { type, id, word }: Extract<TalkNews, { readonly type: "answered" | "failed" }>,
): Talk {
  // The conversation has it already, and its answer.
  if (!talk.outgoing.some((message) => message.id === id)) return talk;
  const outgoing = talk.outgoing.map((message) =>
    message.id === id ? { ...message, state: type, word } : message,
  );
  return { ...talk, outgoing, said: after(talk, type === "answered" ? word : "That was not sent.") };
}

function heard(talk: Talk, lines: readonly ConversationLine[]): Talk {
  const arrived = arrivedOf(talk.outgoing, lines);
  const outgoing = talk.outgoing.filter((message) => !arrived.includes(message));
  return { lines, outgoing, said: after(talk, newWords(talk.lines, lines, arrived)) };
}

/** Those that the conversation has: each is the first of its words that came after it was said. */
function arrivedOf(outgoing: readonly Outgoing[], lines: readonly ConversationLine[]): Outgoing[] {
  const taken = new Set<number>();
  return outgoing.filter(({ text, after: last }) => {
    const kept = keptOf(text);
    const line = lines.find(
      ({ number, by, text: said }) => by === "you" && number > last && said === kept && !taken.has(number),
    );
    if (line) taken.add(line.number);
    return line !== undefined;
  });
}

/** As the server keeps it: not with half of a character at its end. */
function keptOf(text: string): string {
  return text
    .slice(0, keptLength)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
}

/** What Openseat has said since, but for the answers that were said when they came. */
function newWords(
  before: Talk["lines"],
  lines: readonly ConversationLine[],
  arrived: readonly Outgoing[],
): string {
  if (before === undefined) return "";
  const known = arrived.filter(({ state }) => state === "answered").map(({ word }) => word);
  const words = lines.flatMap(({ number, by, text }) => {
    if (by === "you" || number <= lastOf(before)) return [];
    const place = known.indexOf(text);
    if (place >= 0) known.splice(place, 1);
    return place >= 0 ? [] : [text];
  });
  return words.join("\n");
}

function after({ said }: Talk, text: string): Talk["said"] {
  return text === "" ? said : { text, number: said.number + 1 };
}

function lastOf(lines: Talk["lines"]): number {
  return lines?.at(-1)?.number ?? 0;
}
