import { isDeepStrictEqual } from "node:util";
import type { Listing, Millis, QueueCommand, QueueEvent } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { type Glance, isLive, type Obstacle, obstacle, type Specification } from "../specification.ts";
import { nextTokenAt } from "./bucket.ts";
import { foldQueue } from "./model.ts";
import { countsIn, inLine, inState, livePlacesOf, operator, type Queue, type QueuedPlace } from "./queue.ts";
import type { PlaceView, QueueView } from "./view.ts";

const refusalRules: Readonly<Record<string, string>> = {
  "key.reused": "ID2",
  "place.exists": "RM3",
  "lane.unknown": "LN2",
  "line.full": "LN8",
  "limit.address": "LN10",
  "queue.paused": "AD5",
  "queue.running": "AD5",
  "room.ended": "RM8",
};

export const queueSpecification: Specification<Queue, QueueCommand, QueueEvent> = {
  fold: foldQueue,
  due: dueOf,
  dueRule: "AD4",
  listing: listingOf,
  refusal: refusalOf,
  refusalByClock: () => undefined,
  refusalRule: (code) => refusalRules[code] ?? "RM4",
  asksTheSame,
  view: viewOfQueue,
  viewRule: "LN5",
};

/**
 * The earliest time at which an admission or session expires, or the front of the line gets a token for a free
 * seat.
 */
function dueOf(queue: Queue): Millis | undefined {
  const times = [...inState(queue, "admitted"), ...inState(queue, "active")].map(({ until }) => until!);
  const taken = times.length;
  const isOpen = !queue.paused && queue.line.length > 0 && taken < queue.settings.seats;
  const due = isOpen ? [...times, nextTokenAt(queue.bucket)] : times;
  return due.length > 0 ? (Math.min(...due) as Millis) : undefined;
}

function listingOf(queue: Queue): Listing {
  const { terms, settings, line } = queue;
  const { lanes, placesPerAddressMax, createdAt } = terms;
  const counts = countsIn(queue);
  // A lease is needed while anyone must send heartbeats.
  const leased = line.length > 0 || (counts.active > 0 && settings.sessionTimeoutMs !== null);
  return {
    status: statusIn(queue),
    summary: { ...settings, lanes, placesPerAddressMax, createdAt, ...counts, leased },
  };
}

const statusIn = ({ paused, ended }: Queue) => (ended ? "ENDED" : paused ? "PAUSED" : "OPEN");

function refusalOf(queue: Queue | undefined, _by: string, command: QueueCommand): Obstacle | undefined {
  if (command.type === "create") return queue && obstacle({ code: "room.exists" });
  if (!queue) return obstacle({ code: "room.not-found" });
  if (queue.ended && !("ticket" in command)) return obstacle({ code: "room.ended" });
  switch (command.type) {
    case "enter":
      return obstacleToEntering(queue, command);
    case "leave":
    case "terminate":
      return obstacleToMoving(queue, command, ["waiting", "admitted", "active"]);
    case "claim":
      return obstacleToMoving(queue, command, ["admitted"]);
    case "complete":
      return obstacleToMoving(queue, command, ["active"]);
    case "pause":
      return queue.paused ? obstacle({ code: "queue.paused" }) : undefined;
    case "resume":
      return queue.paused ? undefined : obstacle({ code: "queue.running" });
    default:
      return undefined;
  }
}

function obstacleToEntering(
  queue: Queue,
  { person, lane, address }: QueueCommand & { type: "enter" },
): Obstacle | undefined {
  const { lanes, placesPerAddressMax } = queue.terms;
  const live = livePlaceOf(queue, person);
  if (live) return obstacle({ code: "place.exists", data: { ticket: live.ticket } });
  if (lane >= lanes.length) return obstacle({ code: "lane.unknown", data: { lane } });
  if (queue.line.length >= queue.settings.lineLengthMax) return obstacle({ code: "line.full" });
  const isCrowded = livePlacesOf(queue, address) >= (placesPerAddressMax ?? Infinity);
  return isCrowded ? obstacle({ code: "limit.address" }) : undefined;
}

function livePlaceOf(queue: Queue, person: string): QueuedPlace | undefined {
  return queue.places.find((place) => place.person === person && isLive(place));
}

function obstacleToMoving(
  queue: Queue,
  { ticket, person }: { readonly ticket: number; readonly person: string | undefined },
  states: readonly string[],
): Obstacle | undefined {
  const place = queue.places[ticket - 1];
  if (!place || (person !== undefined && place.person !== person))
    return obstacle({ code: "place.not-found" });
  const { state } = place;
  if (states.includes(state)) return undefined;
  return isLive(place)
    ? obstacle({ code: "place.unready", data: { status: state } })
    : obstacle({ code: "place.over", data: { reason: place.reason, endedAt: place.changedAt } });
}

function asksTheSame(command: QueueCommand, { events: [first], command: words }: Entry<QueueEvent>): boolean {
  switch (command.type) {
    case "create": {
      const { settings, lanes, placesPerAddressMax } = command;
      return (
        first.type === "created" &&
        isDeepStrictEqual(
          [settings, lanes, placesPerAddressMax],
          [first.settings, first.lanes, first.placesPerAddressMax],
        )
      );
    }
    case "configure":
      return words === `configure ${JSON.stringify(command.changes)}`;
    case "enter": {
      if (first.type !== "entered") return false;
      const { person, lane, metadata } = command;
      return person === first.person && lane === first.lane && metadata === first.metadata;
    }
    case "leave":
      return first.type === "left" && first.ticket === command.ticket;
    case "claim":
      return first.type === "claimed" && first.ticket === command.ticket;
    case "complete":
      return first.type === "completed" && first.ticket === command.ticket;
    case "terminate":
      return first.type === "expired" && first.reason === "terminated" && first.tickets[0] === command.ticket;
    case "pause":
    case "resume":
    case "end":
      return words === command.type;
    default:
      return false;
  }
}

/** The queue as the person sees it. */
function viewOfQueue(queue: Queue, glance: Glance): QueueView {
  const over = (state: "completed" | "expired" | "left") => inState(queue, state).length;
  return {
    terms: queue.terms,
    settings: queue.settings,
    status: statusIn(queue),
    counts: countsIn(queue),
    over: { completed: over("completed"), expired: over("expired"), left: over("left") },
    entered: queue.places.length,
    away: inLine(queue, true).length,
    lastAdmittedAt: queue.lastAdmittedAt,
    line: queue.line,
    mine: mineIn(queue, glance),
  };
}

function mineIn(queue: Queue, { by, ticket }: Glance): QueueView["mine"] {
  if (ticket === undefined) {
    const live = livePlaceOf(queue, by);
    return live ? viewOfPlace(queue, live) : null;
  }
  const place = queue.places[ticket - 1];
  const isTheirs = place && (place.person === by || by === operator);
  return isTheirs ? viewOfPlace(queue, place) : obstacle({ code: "place.not-found" });
}

function viewOfPlace(queue: Queue, place: QueuedPlace): PlaceView {
  const { ticket, person, state, lane, enteredAt, changedAt, enteredPosition, away, until, entry } = place;
  // LN5: one more than the number of people ahead.
  const position = queue.line.indexOf(ticket) + 1;
  return { ticket, person, state, lane, enteredAt, changedAt, position, enteredPosition, away, until, entry };
}
