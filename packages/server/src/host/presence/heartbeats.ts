import type { StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import { kindOf } from "../streams.ts";
import type { Hold, Holds } from "./holds.ts";

/** A ticket, or a function that finds it in the state, which may include entries that are not durable yet. */
export type TicketSource<State> = number | ((state: State) => number | undefined);

interface HeartbeatDeps extends HostContext {
  readonly holds: Holds;
  readonly keepsLeases: () => boolean;
}

export class Heartbeats {
  readonly #deps: HeartbeatDeps;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
  }

  note<State>(stream: StreamName, ticketSource: TicketSource<State>): void {
    const { membership, cache, deciders } = this.#deps;
    const mailbox = cache.get(stream);
    const mayBeNeeded = mailbox ? mailbox.presence.mayBeNeeded : deciders[kindOf(stream)]?.presence;
    if (!mayBeNeeded) return;
    this.#noteHeartbeat(stream, mailbox, ticketSource);
    // The ticket may be in another node's entry that is not in memory here yet.
    if (typeof ticketSource === "function")
      membership.afterOthers(stream, () => this.#noteHeartbeat(stream, cache.get(stream), ticketSource));
  }

  #noteHeartbeat<State>(
    stream: StreamName,
    mailbox: AnyMailbox | undefined,
    ticketSource: TicketSource<State>,
  ): void {
    const { membership, keepsLeases } = this.#deps;
    const ticket = typeof ticketSource === "number" ? ticketSource : mailbox?.ticketOf(ticketSource);
    if (ticket === undefined) return;
    if (keepsLeases()) mailbox?.presence.noteHeartbeat(ticket);
    else membership.noteHeartbeat(stream, ticket);
  }

  hold(stream: StreamName, ticket: number): Hold {
    // LN11: otherwise a place that is away would come back only at the end of a span.
    this.note(stream, ticket);
    return this.#deps.holds.hold(stream, ticket, () => this.note(stream, ticket));
  }
}
