import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationEvent, DirectoryEvent } from "@openseat/kernel";
import { decodeEntry, type Entry } from "@openseat/server";

/** What is in a log about those who chat. */
export type ChatHistory = {
  readonly duelsOpened: number;
  readonly duelsEnded: number;
  /** Messages that were heard, each counted once. */
  readonly heard: number;
  /** Entries of messages that had one already. */
  readonly heardTwice: number;
  /** By the id of the message, of those that the directory answers by itself. */
  readonly replies: ReadonlyMap<string, string>;
  /** Lines that people find in their conversations, said by them or to them. */
  readonly lines: number;
};

/** What the log of a server that has stopped says about chat, read with plain SQL. */
export function readChat(folder: string): ChatHistory {
  const database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  const keys = new Set<string>();
  const replies = new Map<string, string>();
  let heardTwice = 0;
  const counts = { "duel-opened": 0, "duel-ended": 0 };
  let lines = 0;
  try {
    for (const { command, key, events } of entriesOf<DirectoryEvent>(database, "directory")) {
      for (const event of events) {
        if (event.type === "duel-opened" || event.type === "duel-ended") counts[event.type]++;
        if (event.type === "answered") replies.set(key!.slice(key!.lastIndexOf(" ") + 1), event.reply);
      }
      if (command !== "hear") continue;
      if (keys.has(key!)) heardTwice++;
      keys.add(key!);
    }
    // What comes to one person together is told in one message, a line each.
    for (const { events } of entriesOf<ConversationEvent>(database, "conversation"))
      for (const event of events) for (const { text } of event.lines) lines += text.split("\n").length;
  } finally {
    database.close();
  }
  const { "duel-opened": duelsOpened, "duel-ended": duelsEnded } = counts;
  return { duelsOpened, duelsEnded, heard: keys.size, heardTwice, replies, lines };
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
