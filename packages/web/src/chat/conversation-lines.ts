import { dayShown } from "../ui/words.ts";
import type { Talk } from "./talk.ts";

/** A bubble. */
export interface Entry {
  readonly key: string;
  readonly by: "you" | "openseat";
  readonly text: string;
  readonly at: string;
  /** Of one that the server may not have yet. */
  readonly sending?: { readonly id: string; readonly isFailed: boolean; readonly why: string };
}

/** What one has said at one time. */
export interface Group {
  readonly by: Entry["by"];
  readonly entries: readonly Entry[];
}

export interface Day {
  readonly name: string;
  readonly groups: readonly Group[];
}

/** Said so soon after each other, one time does for all. */
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

/** By day, and by who speaks. */
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
  // By the calendar: some days have 23 hours.
  now.setDate(now.getDate() - 1);
  return day === dayShown(now.toISOString()) ? "Yesterday" : day;
}

/** "14:05", where the reader is. */
export function timeShown(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Hebrew, Arabic and others: what is written from right to left. */
const turned = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
/** Without the marks around it, which are of the sentence. */
const turnedWord = `[\\p{L}\\p{M}\\p{N}_-]*${turned}[\\p{L}\\p{M}\\p{N}_-]*`;
const turnedWords = new RegExp(`(${turnedWord}(?: +${turnedWord})*)`, "u");

/**
 * A line of Openseat's, cut where a name in it runs from right to left: every other part is such a one. Shown as it is,
 * the name would take the number behind it along.
 */
export function runsOf(line: string): string[] {
  return line.split(turnedWords);
}

export interface Suggestion {
  readonly text: string;
  /** Whether it is all there is to say; else it is for the reader to go on. */
  readonly isWhole: boolean;
}

/** What one can say. To take back a match is not for a slip of the finger. */
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

/** So near, nobody has scrolled away from it. */
const endSlack = 48;

/** Whether somebody reads the end of what can be scrolled: then they go on reading there. */
export function isAtEnd({
  scrollTop,
  clientHeight,
  scrollHeight,
}: Pick<Element, "scrollTop" | "clientHeight" | "scrollHeight">): boolean {
  return scrollHeight - clientHeight - scrollTop <= endSlack;
}
