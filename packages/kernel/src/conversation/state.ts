import type { Millis } from "../values.ts";

/** Something that was said: by the person whose conversation it is, or to them. */
export interface Line {
  /** 1, 2, 3… in this conversation. */
  readonly number: number;
  readonly by: "you" | "openseat";
  readonly text: string;
  readonly at: Millis;
}

/** What somebody with a token has said and was told, as far as it is shown. The log has all of it. */
export interface Conversation {
  readonly lines: Line[];
  /** How many there ever were. */
  count: number;
  /** The version up to which each stream has been heard: what it sends may come twice. */
  readonly heard: Map<string, number>;
}

export function newConversation(): Conversation {
  return { lines: [], count: 0, heard: new Map() };
}
