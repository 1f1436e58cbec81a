import type { Millis } from "../values.ts";

/** One message, by the person or to them. */
export interface Line {
  /** 1, 2, 3… in this conversation. */
  readonly number: number;
  readonly by: "you" | "openseat";
  readonly text: string;
  readonly at: Millis;
}

/** The messages shown to a person with a token. The log has all messages. */
export interface Conversation {
  readonly lines: Line[];
  /** How many messages there have been. */
  count: number;
  /** By stream, the version up to which its deliveries were handled, because they may arrive twice. */
  readonly receivedUpTo: Map<string, number>;
}

export function newConversation(): Conversation {
  return { lines: [], count: 0, receivedUpTo: new Map() };
}
