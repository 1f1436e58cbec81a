import { dayShown } from "../ui/words.ts";
import type { Talk } from "./talk.ts";

/** One bubble of the conversation. */
export interface Entry {
  readonly key: string;
  readonly by: "you" | "openseat";
  readonly text: string;
  readonly at: string;
  /** Set while the message has not been confirmed by the server. */
  readonly sending?: { readonly id: string; readonly isFailed: boolean; readonly why: string };
}

/** Consecutive messages of one side, shown under one time. */
export interface Group {
  readonly by: Entry["by"];
  readonly entries: readonly Entry[];
}

export interface Day {
  readonly name: string;
  readonly groups: readonly Group[];
}

/** Messages closer together than this share one time. */
const togetherMs = 300_000;

export function entriesOf({ lines = [], outgoing }: Talk): Entry[] {
  const entries: Entry[] = lines.map((line) => ({ key: String(line.number), ...line }));
  for (const { id, text, at, state, word } of outgoing) {
    const entry = { key: id, by: "you", text, at } as const;
    if (state === "answered") entries.push(entry, { key: `${id} answer`, by: "openseat", text: word, at });
    else entries.push({ ...entry, sending: { id, isFailed: state === "failed", why: word } });
  }
  return entries;
}

/** Groups entries by day and by speaker. */
export function daysOf(entries: readonly Entry[], nowMs: number): Day[] {
  const days: { name: string; groups: { by: Entry["by"]; entries: Entry[] }[] }[] = [];
  for (const entry of entries) {
    const name = dayNamed(entry.at, nowMs);
    if (days.at(-1)?.name !== name) days.push({ name, groups: [] });
    const { groups } = days.at(-1)!;
    const group = groups.at(-1);
    const last = group?.entries.at(-1);
    const isTogether = last !== undefined && Date.parse(entry.at) - Date.parse(last.at) < togetherMs;
    if (group?.by === entry.by && isTogether) group.entries.push(entry);
    else groups.push({ by: entry.by, entries: [entry] });
  }
  return days;
}

function dayNamed(at: string, nowMs: number): string {
  const day = dayShown(at);
  const now = new Date(nowMs);
  if (day === dayShown(now.toISOString())) return "Today";
  // Use the calendar, because some days have 23 hours.
  now.setDate(now.getDate() - 1);
  return day === dayShown(now.toISOString()) ? "Yesterday" : day;
}

/** "14:05", in the reader's time zone. */
export function timeShown(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Characters of right-to-left scripts, such as Hebrew and Arabic. */
const rtl = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
/** A word with such characters, without the punctuation around it. */
const rtlWord = `[\\p{L}\\p{M}\\p{N}_-]*${rtl}[\\p{L}\\p{M}\\p{N}_-]*`;
const rtlWords = new RegExp(`(${rtlWord}(?: +${rtlWord})*)`, "u");

/**
 * Splits a line of Openseat around right-to-left names; every second part is such a name. Unisolated, the name would
 * pull the number behind it to the other side.
 */
export function runsOf(line: string): string[] {
  return line.split(rtlWords);
}

export interface Suggestion {
  readonly text: string;
  /** Whether it can be sent as it is. Otherwise it is filled in for the reader to complete. */
  readonly isWhole: boolean;
}

/** Commands to suggest. `undo` is only filled in, so that a slip of the finger does not take back a match. */
export const suggestions: readonly Suggestion[] = [
  { text: "help", isWhole: true },
  { text: "nick ", isWhole: false },
  { text: "throw rock @", isWhole: false },
  { text: "games", isWhole: true },
  { text: "register", isWhole: true },
  { text: "match @", isWhole: false },
  { text: "rating", isWhole: true },
  { text: "top", isWhole: true },
  { text: "history", isWhole: true },
  { text: "undo", isWhole: false },
];

/** Within this distance of the end, the reader has not scrolled away. */
const endSlack = 48;

/** Whether the reader is at the end, so that the view should follow new messages. */
export function isAtEnd({
  scrollTop,
  clientHeight,
  scrollHeight,
}: Pick<Element, "scrollTop" | "clientHeight" | "scrollHeight">): boolean {
  return scrollHeight - clientHeight - scrollTop <= endSlack;
}
