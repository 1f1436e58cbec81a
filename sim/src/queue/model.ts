import { isDeepStrictEqual } from "node:util";
import type { Millis, PlaceState, QueueCounts, QueueEvent } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import { isLive } from "../specification.ts";
import { admit, checkNobodyAdmissible } from "./admission.ts";
import { bucketAt, bucketUnder } from "./bucket.ts";
import { checkPlacing, intoLine, outOfLine, settle } from "./placing.ts";
import {
  countsIn,
  livePlacesOf,
  movePlace,
  newQueue,
  operator,
  overdueIn,
  type Queue,
  type QueuedPlace,
  setAway,
} from "./queue.ts";

const clock = "@clock";

/** The event types that each command may write in one entry. Any of them may admit people. */
const outcomesAllowed: Record<string, RegExp> = {
  create: /^created$/,
  enter: /^entered( admitted)?$/,
  leave: /^left( admitted)?$/,
  claim: /^claimed$/,
  complete: /^completed( admitted)?$/,
  terminate: /^expired( admitted)?$/,
  "take-along": /^taken-along$/,
  configure: /^configured( admitted)?$/,
  pause: /^configured$/,
  resume: /^configured( admitted)?$/,
  end: /^ended$/,
  expire: /^expired( admitted)?$/,
  away: /^away( admitted)?$/,
  back: /^back( admitted)?$/,
  tick: /^(admitted|expired( expired)?( admitted)?)$/,
};

/** Applies one entry to the queue. Throws `RuleBroken` when the rules do not allow that entry. */
export function foldQueue(before: Queue | undefined, entry: Entry<QueueEvent>): Queue {
  must(
    before === undefined || entry.at >= before.at,
    "RM5",
    `time went back from ${before?.at} to ${entry.at}`,
  );
  const command = entry.command.split(" ", 1)[0];
  const outcome = entry.events.map(({ type }) => type).join(" ");
  must(outcomesAllowed[command]?.test(outcome) ?? false, "RM5", `a ${command} resulted in "${outcome}"`);
  const byClock = ["tick", "expire", "away", "back"].includes(command);
  must(byClock === (entry.by === clock), "AU3", `a ${command} by ${entry.by}`);
  must(!before?.ended, "RM8", `a ${command} in a queue that has ended`);
  let queue = before && upToTime(before, entry.at);
  // Work that is due before an entry needs an entry of its own first.
  if (queue && command !== "tick") checkNothingDue(queue, `while a ${command} was decided`);
  for (const event of entry.events) queue = foldEvent(queue, event, entry, command);
  must(queue !== undefined, "RM5", "an entry without events");
  checkNothingDue(queue, `after a ${command}`);
  return queue;
}

function upToTime(queue: Queue, at: Millis): Queue {
  return settle({ ...queue, at, bucket: bucketAt(queue.bucket, at) });
}

function checkNothingDue(queue: Queue, when: string): void {
  const [late] = overdueIn(queue);
  must(
    late === undefined,
    late?.state === "active" ? "AD8" : "AD6",
    `ticket ${late?.ticket} is ${late?.state} past its time, ${when}`,
  );
  checkNobodyAdmissible(queue, when);
}

function foldEvent(
  before: Queue | undefined,
  event: QueueEvent,
  entry: Entry<QueueEvent>,
  command: string,
): Queue {
  if (event.type === "created") {
    must(before === undefined, "RM5", "a queue was created twice");
    const { settings, lanes, placesPerAddressMax, creator } = event;
    must(settings.seats >= 1 && settings.seats <= 1_000_000, "RM1", `a queue with ${settings.seats} seats`);
    must(creator === entry.by, "AU3", `${entry.by} created a queue as ${creator}`);
    return newQueue({ lanes, placesPerAddressMax, creator, createdAt: entry.at }, settings);
  }
  must(before !== undefined, "RM5", `${event.type} in a queue that was never created`);
  const queue = apply(before, event, entry, command);
  const expected = countsIn(queue);
  must(queue.line.length === expected.waiting, "LN7", "the waiting places differ from the line");
  for (const [count, number] of Object.entries(expected))
    must(
      event[count as keyof QueueCounts] === number,
      "RM6",
      `${event[count as keyof QueueCounts]} ${count} according to the entry, but it is ${number}`,
    );
  return queue;
}

function apply(
  queue: Queue,
  event: Exclude<QueueEvent, { type: "created" }>,
  entry: Entry<QueueEvent>,
  command: string,
): Queue {
  switch (event.type) {
    case "entered":
      return enter(queue, event, entry);
    case "admitted":
      return admit(queue, event.tickets, event.claimBy);
    case "claimed": {
      const { ticket, until } = event;
      checkOwn(queue, ticket, entry.by);
      must(until === queue.at + queue.settings.sessionDurationMs, "AD8", `a session until ${until}`);
      return movePlace(queue, ticket, "active", { until });
    }
    case "left": {
      const { ticket, reason } = event;
      checkOwn(queue, ticket, entry.by);
      const waited = queue.line.includes(ticket);
      must(waited === (reason === "cancelled"), "RM5", `a place was given up for the reason ${reason}`);
      return movePlace(waited ? outOfLine(queue, ticket) : queue, ticket, "left", { reason });
    }
    case "completed":
      checkOwn(queue, event.ticket, entry.by);
      return movePlace(queue, event.ticket, "completed", { reason: "completed" });
    case "taken-along":
      checkOwn(queue, event.ticket, entry.by);
      return queue;
    case "expired":
      return expire(queue, event, entry, command);
    case "away":
    case "back":
      must(event.tickets.length > 0, "RM5", `nobody is ${event.type}`);
      return setAway(queue, event.tickets, event.type === "away");
    case "configured":
      return configure(queue, event, entry, command);
    case "ended": {
      must(entry.by === operator, "AU2", `${entry.by} ended a queue`);
      const live = queue.places.filter(isLive);
      const after = live.reduce(
        (left, { ticket }) => movePlace(left, ticket, "expired", { reason: "room_ended" }),
        queue,
      );
      return { ...after, line: [], settled: 0, ended: true };
    }
  }
}

/** AD5: only the requested settings change. */
function configure(
  queue: Queue,
  { settings, paused }: QueueEvent & { type: "configured" },
  { by, command: words }: Entry<QueueEvent>,
  command: string,
): Queue {
  must(by === operator, "AU2", `a ${command} by ${by}`);
  const changes = command === "configure" ? JSON.parse(words.slice("configure ".length)) : {};
  const expected = { ...queue.settings, ...changes };
  must(isDeepStrictEqual(settings, expected), "AD5", `a ${command} set other settings`);
  const isPaused = command === "configure" ? queue.paused : command === "pause";
  must(paused === isPaused, "AD5", `a ${command} left a queue ${paused ? "paused" : "running"}`);
  must(command === "configure" || queue.paused !== paused, "AD5", `a ${command} for the second time`);
  return { ...queue, settings, paused, bucket: bucketUnder(queue.bucket, settings) };
}

function enter(queue: Queue, event: QueueEvent & { type: "entered" }, entry: Entry<QueueEvent>): Queue {
  const { ticket, person, lane, behind, address } = event;
  const { places, line, terms, settings, at } = queue;
  must(person === entry.by || entry.by === operator, "AU3", `${entry.by} entered as ${person}`);
  must(ticket === places.length + 1, "LN1", `ticket ${ticket} after ${places.length}`);
  must(!places.some((other) => other.person === person && isLive(other)), "RM3", `${person} has two places`);
  must(lane < terms.lanes.length, "LN2", `${person} is in lane ${lane}, which does not exist`);
  must(line.length < settings.lineLengthMax, "LN8", `a line of ${line.length} has grown`);
  const sharing = livePlacesOf(queue, address);
  must(sharing < (terms.placesPerAddressMax ?? Infinity), "LN10", `${sharing + 1} places of one address`);
  checkPlacing(queue, lane, behind);
  const place: QueuedPlace = {
    ticket,
    person,
    lane,
    state: "waiting",
    enteredAt: at,
    changedAt: at,
    enteredPosition: line.length + 1 - behind,
    away: false,
    until: null,
    reason: null,
    entry: entry.version,
    address,
  };
  return intoLine({ ...queue, places: [...places, place] }, ticket, behind);
}

/** The reasons with which each command may end places, apart from `left` and `completed` events. */
const reasonsAllowed: Record<string, readonly string[]> = {
  terminate: ["terminated"],
  expire: ["heartbeat_timeout", "session_timeout"],
  tick: ["claim_timeout", "session_timeout"],
};

const stateByReason: Record<string, PlaceState | undefined> = {
  heartbeat_timeout: "waiting",
  claim_timeout: "admitted",
  session_timeout: "active",
};

function expire(
  queue: Queue,
  { tickets, reason }: QueueEvent & { type: "expired" },
  { by }: Entry<QueueEvent>,
  command: string,
): Queue {
  must(reasonsAllowed[command].includes(reason), "RM5", `a ${command} ended places by ${reason}`);
  must(command !== "terminate" || by === operator, "AU2", `${by} terminated a place`);
  must(tickets.length > 0, "RM5", "an end without places");
  let after = queue;
  for (const ticket of tickets) {
    const place = queue.places[ticket - 1];
    const state = stateByReason[reason] ?? place?.state;
    must(place?.state === state, "RM4", `ticket ${ticket} is ${place?.state}, but ended by ${reason}`);
    const isOver = place.until !== null && place.until <= queue.at;
    must(command !== "tick" || isOver, "AD6", `ticket ${ticket} ended by ${reason} too early`);
    after = movePlace(state === "waiting" ? outOfLine(after, ticket) : after, ticket, "expired", { reason });
  }
  return after;
}

function checkOwn({ places }: Queue, ticket: number, by: string): void {
  const person = places[ticket - 1]?.person;
  must(person === by || by === operator, "AU3", `${by} acted on the place of ${person}`);
}
