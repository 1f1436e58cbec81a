import type { StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import type { AnyMailbox } from "../stream/mailbox.ts";
import { kindOf } from "../streams.ts";
import type { Hold, Holds } from "./holds.ts";

/** A ticket, or how to find it in the state, which may hold what is not durable yet. */
export type Whose<State> = number | ((state: State) => number | undefined);

interface HeartbeatDeps extends HostContext {
  readonly holds: Holds;
  readonly keepsLeases: () => boolean;
}

export class Heartbeats {
  readonly #deps: HeartbeatDeps;

  constructor(parts: HeartbeatDeps) {
    this.#deps = parts;
  }

  heard<State>(stream: StreamName, whose: Whose<State>): void {
    const { membership, cache, deciders } = this.#deps;
    const mailbox = cache.get(stream);
    const mayBeNeeded = mailbox ? mailbox.presence.mayBeNeeded : deciders[kindOf(stream)]?.presence;
    if (!mayBeNeeded) return;
    this.#hear(stream, mailbox, whose);
    // The ticket may be in an entry of another node that is not in memory here yet.
    if (typeof whose === "function")
      membership.afterOthers(stream, () => this.#hear(stream, cache.get(stream), whose));
  }

  #hear<State>(stream: StreamName, mailbox: AnyMailbox | undefined, whose: Whose<State>): void {
    const { membership, keepsLeases } = this.#deps;
    const ticket = typeof whose === "number" ? whose : mailbox?.ticketOf(whose);
    if (ticket === undefined) return;
    if (keepsLeases()) mailbox?.presence.heard(ticket);
    else membership.hear(stream, ticket);
  }

  hold(stream: StreamName, ticket: number): Hold {
    // LN11: otherwise a place that is away would be back only at the end of a span.
    this.heard(stream, ticket);
    return this.#deps.holds.hold(stream, ticket, () => this.heard(stream, ticket));
  }
}
