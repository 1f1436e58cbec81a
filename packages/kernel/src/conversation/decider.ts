import type { Decider, Decision, Saved } from "../decider.ts";
import { assert, type Millis } from "../values.ts";
import { conversationLimits } from "./limits.ts";
import { type Conversation, type Line, newConversation } from "./state.ts";

/** A delivery from another stream, in order. */
type Receive = {
  readonly type: "receive";
  readonly from: string;
  readonly messages: readonly {
    readonly version: number;
    /** The message that this answers; undefined for a notice. */
    readonly said?: string;
    readonly text: string;
  }[];
};

function save({ lines, count, receivedUpTo }: Conversation): Saved {
  return { head: { shape, lines: [...lines], count, heard: [...receivedUpTo] }, columns: {} };
}

function restore({ head }: Saved): Conversation {
  const given = head as unknown as {
    readonly shape: number;
    readonly lines: Line[];
    readonly count: number;
    readonly heard: [string, number][];
  };
  assert(given.shape === shape, "a snapshot of a conversation of an unknown shape");
  return { lines: [...given.lines], count: given.count, receivedUpTo: new Map(given.heard) };
}
export type ConversationCommand = Receive | { readonly type: "tick" };

export type ConversationEvent = {
  readonly type: "said";
  readonly from: string;
  readonly version: number;
  readonly lines: readonly Pick<Line, "by" | "text">[];
};

/** The conversation decider for the host, for people with a token. */
export const conversationDecider: Decider<Conversation, ConversationCommand, ConversationEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },
  nextDue: () => undefined,
  keys: { fingerprint: ({ type }) => type },
  snapshots: { save, restore },

  inbox: {
    // An answer of a ladder must not appear before messages that were answered earlier.
    isOrdered: true,
    receive: (from, deliveries) => ({
      type: "receive",
      from,
      messages: deliveries.map(({ version, body }) => ({ ...body, version }) as Receive["messages"][number]),
    }),
  },

  listing: ({ count }) => ({ status: "OPEN", summary: { lines: count } }),
};

const shape = 1;

function decide(known: Conversation | undefined, command: ConversationCommand): Decision<ConversationEvent> {
  if (command.type === "tick") return { events: [] };
  const { from, messages } = command;
  const received = known?.receivedUpTo.get(from) ?? 0;
  const fresh = messages.filter(({ version }) => version > received);
  const last = fresh.at(-1);
  if (!last) return { refusal: { code: "delivery.repeated", message: "This was already delivered." } };
  const lines = fresh.flatMap(({ said, text }) => {
    const told = { by: "openseat", text } as const;
    return said === undefined ? [told] : [{ by: "you", text: said } as const, told];
  });
  return { events: [{ type: "said", from, version: last.version, lines }] };
}

function evolve(known: Conversation | undefined, event: ConversationEvent, at: Millis): Conversation {
  const conversation = known ?? newConversation();
  const { lines, receivedUpTo } = conversation;
  for (const line of event.lines) lines.push({ number: ++conversation.count, ...line, at });
  lines.splice(0, lines.length - conversationLimits.linesMax);
  // Most recent last, so that the streams silent for longest are forgotten first.
  receivedUpTo.delete(event.from);
  receivedUpTo.set(event.from, event.version);
  if (receivedUpTo.size > conversationLimits.sourcesMax)
    receivedUpTo.delete(receivedUpTo.keys().next().value!);
  return conversation;
}
