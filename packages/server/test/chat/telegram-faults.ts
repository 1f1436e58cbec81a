import type { Json } from "../support/http.ts";

/** What happens to a call instead of a plain response. */
export type Mishap =
  /** It takes effect, but the response is lost. */
  | "drop"
  /** It does not even take effect. */
  | "lost"
  /** It gets no response. */
  | "silence"
  | "none"
  | { readonly status: number; readonly description: string; readonly parameters?: Json }
  | { readonly slowMs: number }
  /** It gets this response and does not take effect. */
  | { readonly raw: string };

/** The frequency of each, in percent of calls. */
export interface Rates {
  readonly drop: number;
  readonly lost: number;
  /** 429, with `retry_after`. */
  readonly limited: number;
  /** 500. */
  readonly broken: number;
  readonly slow: number;
  /** Updates arrive again although they were confirmed. */
  readonly repeat: number;
  /** A malformed update is inserted before a message. */
  readonly malformed: number;
}

export const tooMany = (seconds: number): Mishap => ({
  status: 429,
  description: `Too Many Requests: retry after ${seconds}`,
  parameters: { retry_after: seconds },
});
export const broken: Mishap = { status: 500, description: "Internal Server Error" };

const chat = { id: 5, type: "private" };
const from = { id: 5, is_bot: false };
/** Updates in an unexpected format, each with a readable id. */
export const misshapen: readonly Json[] = [
  { message: null },
  { message: "hello" },
  { message: [] },
  { message: {} },
  { message: { chat: null, from, text: "a" } },
  { message: { chat: { type: "private" }, from, text: "a" } },
  { message: { chat: { ...chat, id: "5" }, from, text: "a" } },
  { message: { chat: { ...chat, id: 1e300 }, from, text: "a" } },
  { message: { chat: { ...chat, type: 7 }, from, text: "a" } },
  { message: { chat: { ...chat, type: "nowhere" }, from, text: "a" } },
  { message: { chat: { id: -5, type: "group" }, from, text: "/a" } },
  { message: { chat: { id: -5, type: "group", title: null }, from, text: "/a" } },
  { message: { chat, text: "a" } },
  { message: { chat, from: null, text: "a" } },
  { message: { chat, from: { is_bot: false }, text: "a" } },
  { message: { chat, from: { id: 5 }, text: "a" } },
  { message: { chat, from: { id: 5.5, is_bot: false }, text: "a" } },
  { message: { chat, from, text: null } },
  { message: { chat, from, text: { toString: 1 } } },
  { message: { chat, from, caption: 7 } },
  { message: { chat, from, migrate_to_chat_id: "-100" } },
];

export interface Faults {
  mishap(): Mishap;
  happens(what: keyof Rates): boolean;
  one<T>(list: readonly T[]): T;
  /** A few, in their order. */
  some<T>(list: readonly T[]): T[];
}

const none: Rates = { drop: 0, lost: 0, limited: 0, broken: 0, slow: 0, repeat: 0, malformed: 0 };

/** The same choices for the same seed. */
export function faultsBySeed(seed: number, given: Partial<Rates>): Faults {
  const rates = { ...none, ...given };
  const random = randomOf(seed);
  const happens = (what: keyof Rates) => random() * 100 < rates[what];
  return {
    happens,
    mishap() {
      if (happens("drop")) return "drop";
      if (happens("lost")) return "lost";
      if (happens("limited")) return tooMany(1);
      if (happens("broken")) return broken;
      return happens("slow") ? { slowMs: Math.floor(random() * 50) } : "none";
    },
    one: (list) => list[Math.floor(random() * list.length)],
    some: (list) => list.filter(() => random() < 0.2),
  };
}

export function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
