import type { ConversationLine } from "@openseat/client";

/** A message that was sent from this page and is not in the conversation yet. */
interface Outgoing {
  /** A retry under the same id takes effect once. */
  readonly id: string;
  readonly text: string;
  readonly at: string;
  /** The last line when it was sent; its own line has a higher number. */
  readonly after: number;
  readonly state: "sending" | "answered" | "failed";
  /** The reply, or why it was not sent. */
  readonly word: string;
}

/** The state of a conversation on this page. */
export interface Talk {
  /** Undefined until it has loaded. */
  readonly lines: readonly ConversationLine[] | undefined;
  readonly outgoing: readonly Outgoing[];
  /** For screen readers. The number changes with each announcement, so that equal texts are read again. */
  readonly said: { readonly text: string; readonly number: number };
}

export type TalkNews =
  /** The whole conversation: pushed live, or fetched, which may be older. */
  | { readonly type: "live" | "fetched"; readonly lines: readonly ConversationLine[] }
  /** A message is sent, or sent again under the same id. */
  | { readonly type: "saying"; readonly id: string; readonly text: string; readonly at: string }
  | { readonly type: "answered" | "failed"; readonly id: string; readonly word: string };

export const noTalk: Talk = { lines: undefined, outgoing: [], said: { text: "", number: 0 } };

/** The conversation stores this much of a message. */
const keptLength = 500;

export function talkAfter(talk: Talk, news: TalkNews): Talk {
  switch (news.type) {
    case "fetched":
      return talk.lines === undefined ? received(talk, news.lines) : talk;
    case "live":
      return received(talk, news.lines);
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
  // The conversation already contains the message and its reply.
  if (!talk.outgoing.some((message) => message.id === id)) return talk;
  const outgoing = talk.outgoing.map((message) =>
    message.id === id ? { ...message, state: type, word } : message,
  );
  return { ...talk, outgoing, said: after(talk, type === "answered" ? word : "Your message was not sent.") };
}

function received(talk: Talk, lines: readonly ConversationLine[]): Talk {
  const arrived = arrivedOf(talk.outgoing, lines);
  const outgoing = talk.outgoing.filter((message) => !arrived.includes(message));
  return { lines, outgoing, said: after(talk, newWords(talk.lines, lines, arrived)) };
}

/** Outgoing messages that have arrived. Each matches the first later line with the same text. */
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

/** The text as the server stores it: shortened, but not in the middle of a character. */
function keptOf(text: string): string {
  return text
    .slice(0, keptLength)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
}

/** New lines of Openseat, without the replies that were announced when they arrived. */
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
