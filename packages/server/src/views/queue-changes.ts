import type { QueueEvent, QueueRoom, QueueTerms } from "@openseat/kernel";
import type { QueueChange } from "@openseat/protocol";
import type { Lens } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { countsIn, queueAfter, queueView } from "./queue-views.ts";
import { type ReadNow, sharedLens } from "./shared-lens.ts";
import { iso } from "./times.ts";

interface Naming {
  readonly id: string;
  readonly terms: QueueTerms;
  /** The id of the position with this ticket. */
  readonly positionId: (ticket: number) => string;
}

/** FD5: how services see a queue. A change is shown from its entry alone, so it can be shown again. */
export function queueLens(naming: Naming, read: ReadNow<QueueRoom>): Lens {
  const { id } = naming;
  return sharedLens<QueueRoom, QueueEvent>(
    read,
    (room) => ({ queue: queueView(id, room) }),
    (entry) => ({
      ...{ queue: id, at: iso(entry.at) },
      changes: entry.events.flatMap((event) => changesOf(naming, event, entry)),
      ...countsAfter(entry),
    }),
  );
}

function changesOf(
  { id, terms, positionId }: Naming,
  event: QueueEvent,
  entry: Entry<QueueEvent>,
): QueueChange[] {
  const { type } = event;
  switch (type) {
    case "ended":
      return [{ type: "queue-ended" }];
    case "created":
    case "taken-along":
      return [];
    case "configured":
      return [{ type: "settings-changed", queue: queueAfter(id, terms, entry) }];
    case "entered": {
      const { ticket, person, lane, waiting, behind } = event;
      return [{ type, positionId: positionId(ticket), userId: person, lane, position: waiting - behind }];
    }
    case "admitted": {
      const claimBy = iso(event.claimBy);
      return event.tickets.map((ticket) => ({ type, positionId: positionId(ticket), claimBy }));
    }
    case "claimed": {
      const { ticket, person, until } = event;
      return [{ type, positionId: positionId(ticket), userId: person, endTime: iso(until) }];
    }
    case "away":
    case "back":
      return event.tickets.map((ticket) => ({ type, positionId: positionId(ticket) }));
    case "completed":
      return [{ type, positionId: positionId(event.ticket) }];
    case "left":
      return [{ type, positionId: positionId(event.ticket), reason: event.reason }];
    case "expired": {
      const { reason } = event;
      return event.tickets.map((ticket) => ({ type, positionId: positionId(ticket), reason }));
    }
  }
}

function countsAfter({ events }: Entry<QueueEvent>) {
  const { waiting, admitted, active, moved } = countsIn(events[events.length - 1]);
  return { waiting, admitted, active, moved };
}
