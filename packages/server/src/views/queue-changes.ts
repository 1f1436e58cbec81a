import type { QueueEvent, QueueTerms } from "@openseat/kernel";
import type { QueueChange } from "@openseat/protocol";
import type { Entry } from "../log/entry.ts";
import { queueAfter } from "./queue-views.ts";
import { iso } from "./times.ts";

interface Naming {
  readonly id: string;
  readonly terms: QueueTerms;
  /** The id of the position with this ticket. */
  readonly positionId: (ticket: number) => string;
}

/** FD5: what an entry means to services that watch the queue, in order. It is told from the entry alone, so it can be told again. */
export function queueChanges(naming: Naming, entry: Entry<QueueEvent>): QueueChange[] {
  return entry.events.flatMap((event) => changesOf(naming, event, entry));
}

function changesOf(
  { id, terms, positionId }: Naming,
  event: QueueEvent,
  entry: Entry<QueueEvent>,
): QueueChange[] {
  switch (event.type) {
    case "ended":
      return [{ type: "queue-ended" }];
    case "created":
    case "taken-along":
      return [];
    case "configured":
      return [{ type: "settings-changed", queue: queueAfter(id, terms, entry) }];
    case "entered": {
      const { type, ticket, person, lane, waiting, behind } = event;
      return [{ type, positionId: positionId(ticket), userId: person, lane, position: waiting - behind }];
    }
    case "admitted": {
      const claimBy = iso(event.claimBy);
      return event.tickets.map((ticket) => ({ type: "admitted", positionId: positionId(ticket), claimBy }));
    }
    case "claimed": {
      const { type, ticket, person, until } = event;
      return [{ type, positionId: positionId(ticket), userId: person, endTime: iso(until) }];
    }
    case "away":
    case "back": {
      const { type, tickets } = event;
      return tickets.map((ticket) => ({ type, positionId: positionId(ticket) }));
    }
    case "completed":
      return [{ type: "completed", positionId: positionId(event.ticket) }];
    case "left":
      return [{ type: "left", positionId: positionId(event.ticket), reason: event.reason }];
    case "expired": {
      const { type, tickets, reason } = event;
      return tickets.map((ticket) => ({ type, positionId: positionId(ticket), reason }));
    }
  }
}

const none = { waiting: 0, admitted: 0, active: 0, moved: 0 };

/** The counts that the entry left. */
export function countsAfter({ events }: Entry<QueueEvent>): typeof none {
  const last = events[events.length - 1];
  if (last.type === "created") return none;
  const { waiting, admitted, active, moved } = last;
  return { waiting, admitted, active, moved };
}
