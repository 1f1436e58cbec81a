import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationEvent, DirectoryEvent } from "@openseat/kernel";
import { decodeEntry, type Entry } from "@openseat/server";

/** The chat data in a log. */
export type ChatHistory = {
  readonly duelsOpened: number;
  readonly duelsEnded: number;
  /** Received messages, without duplicates. */
  readonly received: number;
  /** Second entries for a message that already had one. */
  readonly receivedTwice: number;
  /** Replies by message id, for messages that the directory answers itself. */
  readonly replies: ReadonlyMap<string, string>;
  /** Lines in people's conversations, sent or received. */
  readonly lines: number;
};

/** Reads the chat data of a stopped server with plain SQL. */
export function readChat(folder: string): ChatHistory {
  const database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  const keys = new Set<string>();
  const replies = new Map<string, string>();
  let receivedTwice = 0;
  const counts = { "duel-opened": 0, "duel-ended": 0 };
  let lines = 0;
  try {
    for (const { command, key, events } of entriesOf<DirectoryEvent>(database, "directory")) {
      for (const event of events) {
        if (event.type === "duel-opened" || event.type === "duel-ended") counts[event.type]++;
        if (event.type === "answered") replies.set(key!.slice(key!.lastIndexOf(" ") + 1), event.reply);
      }
      if (command !== "hear") continue;
      if (keys.has(key!)) receivedTwice++;
      keys.add(key!);
    }
    // Lines for one person in the same commit are delivered as one message.
    for (const { events } of entriesOf<ConversationEvent>(database, "conversation"))
      for (const event of events) for (const { text } of event.lines) lines += text.split("\n").length;
  } finally {
    database.close();
  }
  const { "duel-opened": duelsOpened, "duel-ended": duelsEnded } = counts;
  return { duelsOpened, duelsEnded, received: keys.size, receivedTwice, replies, lines };
}

function* entriesOf<Event>(database: DatabaseSync, kind: string): Iterable<Entry<Event>> {
  const batches = database
    .prepare(
      "SELECT lines FROM batches JOIN streams ON stream = number WHERE kind = ? ORDER BY stream, first",
    )
    .iterate(kind);
  for (const { lines } of batches)
    for (const line of (lines as string).split("\n")) yield decodeEntry<Event>(line);
}
