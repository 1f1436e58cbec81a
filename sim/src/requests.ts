import type {
  ArenaCommand,
  ArenaEvent,
  ConversationEvent,
  DirectoryCommand,
  DirectoryEvent,
  GameCommand,
  GameEvent,
  LadderCommand,
  LadderEvent,
  QueueCommand,
  QueueEvent,
  Refusal,
} from "@openseat/kernel";
import type { Entry, Listed, MatchQuery, StoredMatch, StreamName } from "@openseat/server";
import { keyOf, type Message } from "./chat/message.ts";
import type { Glance } from "./specification.ts";

const kinds = ["game", "queue", "arena", "ladder", "directory", "conversation"] as const;
export type Kind = (typeof kinds)[number];
export type Command = GameCommand | QueueCommand | ArenaCommand | LadderCommand | DirectoryCommand;
export type Event = GameEvent | QueueEvent | ArenaEvent | LadderEvent | DirectoryEvent | ConversationEvent;

/** Sends a command. */
export interface Ask {
  readonly type: "ask";
  readonly stream: StreamName;
  readonly by: string;
  readonly key: string | undefined;
  readonly command: Command;
}

/**
 * Reads a room as the person sees it: with everything that keeps them from joining a game (GM5), or their place in
 * a queue.
 */
export interface Look extends Glance {
  readonly type: "look";
  readonly stream: StreamName;
}

interface List {
  readonly type: "list";
  readonly kind: Kind;
}

/** MT4: reads the finished matches of an arena, or one of them with all moves. */
export interface Recall {
  readonly type: "recall";
  readonly stream: StreamName;
  readonly match: number | undefined;
}

/** LD11: reads a page of a ladder's matches. */
export interface Browse {
  readonly type: "browse";
  readonly stream: StreamName;
  readonly query: Omit<MatchQuery, "stream">;
}

/** CH1: delivers a message, for the first time or again. */
export interface Say {
  readonly type: "say";
  readonly message: Message;
}

/** Gives a group a new address. */
export interface Move {
  readonly type: "move";
  readonly from: string;
  readonly to: string;
  readonly id: string;
}

/** CH7: resends or discards the newest dead letter. */
type Settle = { readonly type: "resend" } | { readonly type: "discard" };

/** Messages, and commands about them. */
export type Talking = Say | Move | Settle;

export type Request = Ask | Look | List | Recall | Browse | Talking;

export function isTalking(request: Request): request is Talking {
  return ["say", "move", "resend", "discard"].includes(request.type);
}

export type Answer =
  | {
      readonly type: "done";
      readonly entry: Entry<Event>;
      readonly terms: unknown;
      readonly replayed: boolean;
    }
  | { readonly type: "refused"; readonly refusal: Refusal }
  | { readonly type: "seen"; readonly version: number; readonly view: { readonly status: string } | null }
  | { readonly type: "listed"; readonly rooms: readonly Listed[] }
  | { readonly type: "recalled"; readonly data: unknown }
  | { readonly type: "browsed"; readonly records: readonly StoredMatch[] }
  | { readonly type: "replied"; readonly reply: string };

/** Whether streams of this kind exist; messages to other kinds go to people. */
export function isKind(kind: string): kind is Kind {
  return kinds.includes(kind as Kind);
}

export function kindOf(stream: StreamName): Kind {
  return stream.slice(0, stream.indexOf("/")) as Kind;
}

export function idOf(stream: StreamName): string {
  return stream.slice(stream.indexOf("/") + 1);
}

/** The place that the request is about: the request counts as its heartbeat (LS1). */
export function ticketIn(request: Request): number | undefined {
  if (request.type === "look") return request.ticket;
  if (request.type !== "ask") return undefined;
  return "ticket" in request.command ? request.command.ticket : undefined;
}

export function inWords(request: Request): string {
  if (request.type === "list") return `list of ${request.kind}s`;
  if (request.type === "recall")
    return `match ${request.match ?? "after match"} of ${request.stream} is read`;
  if (request.type === "say")
    return `message ${keyOf(request.message)} "${request.message.text.slice(0, 40)}"`;
  if (request.type === "move") return `a group moves from ${request.from} to ${request.to}`;
  if (request.type === "resend" || request.type === "discard")
    return `${request.type} the newest dead letter`;
  if (request.type === "browse") return `matches of ${request.stream} ${JSON.stringify(request.query)}`;
  const ticket = ticketIn(request);
  const place = ticket === undefined ? "" : ` place ${ticket}`;
  if (request.type === "look") return `${request.by} looks at ${request.stream}${place}`;
  const { by, stream, key, command } = request;
  const what = "move" in command ? ` ${command.move}` : "";
  const turn = "turn" in command && command.turn !== undefined ? ` turn ${command.turn}` : "";
  const match = "match" in command ? ` in match ${command.match}${turn}` : "";
  return `${by} ${command.type}${what} ${stream}${match}${place}${key === undefined ? "" : ` key ${key}`}`;
}

export function answerInWords(answer: Answer): string {
  switch (answer.type) {
    case "done":
      return `${answer.replayed ? "replayed" : "done"} v${answer.entry.version}`;
    case "refused":
      return `refused ${answer.refusal.code}`;
    case "seen":
      return `seen v${answer.version} ${answer.view?.status ?? "nothing"}`;
    case "listed":
      return `listed ${answer.rooms.length}`;
    case "recalled":
      return "recalled";
    case "replied":
      return `replied "${answer.reply.slice(0, 60)}"`;
    case "browsed":
      return `browsed ${answer.records.length}`;
  }
}
