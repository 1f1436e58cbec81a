import type { Clock } from "../clock.ts";
import type { Host } from "../host/host.ts";
import type { DamagedRooms } from "../integrity/damaged-rooms.ts";
import type { Metrics } from "../transport/http/metrics.ts";
import { aheadOfWall } from "./clock-watch.ts";

/** CK4: the server's time, and how it differs from the wall clock's. */
export function measureClock(metrics: Metrics, clock: Clock): void {
  metrics.gauge(
    "openseat_clock_seconds",
    "The server's time, in seconds since 1970: ends, rates and deadlines of rooms go by it.",
    () => clock.now() / 1000,
  );
  metrics.gauge(
    "openseat_clock_ahead_seconds",
    "By how much the server's time is ahead of the clock, because that was set back.",
    () => aheadOfWall(clock) / 1000,
  );
}

/** What becomes of that which rooms cause elsewhere. */
export function measureDeliveries(metrics: Metrics, counts: Host["deliveries"]): void {
  metrics.count(
    "openseat_deliveries_total",
    "What rooms caused in others that has arrived there, as results at their ladder.",
    () => counts.arrived,
  );
  metrics.count(
    "openseat_deliveries_refused_total",
    "What rooms caused in others and was refused there for good; it is kept in the outbox.",
    () => counts.refused,
  );
  metrics.gauge(
    "openseat_deliveries_held",
    "Lanes, from one room to another or to one chat, in which something could not be delivered and is tried again.",
    () => counts.held,
  );
  metrics.count("openseat_messages_sent_total", "Messages that were sent to chats.", () => counts.sent);
  metrics.count(
    "openseat_messages_set_aside_total",
    "Messages that could not be sent; operators can see them and send them again.",
    () => counts.setAside,
  );
}

/** How this node stands among the others; by itself, it is the only one and does everything. */
export function measureSharing(
  metrics: Metrics,
  host: Pick<Host, "nodes" | "isCaretaker" | "commits" | "forks">,
  isLogThere: () => boolean,
): void {
  metrics.gauge(
    "openseat_nodes",
    "Nodes on the same log that were heard of lately, with this one.",
    () => host.nodes,
  );
  metrics.gauge(
    "openseat_caretaker",
    "1 on the one node that delivers, fetches messages and ends what is silent for all; 0 on the others.",
    () => Number(host.isCaretaker),
  );
  metrics.gauge(
    "openseat_database_up",
    "1 while the log can be used, wherever it is; 0 in the five seconds after it could not.",
    () => Number(isLogThere()),
  );
  metrics.count(
    "openseat_turns_total",
    "Turns that were taken: what waited was decided, and appended in one go.",
    () => host.commits.count,
  );
  metrics.count(
    "openseat_turn_seconds_total",
    "How long they took in all, with the wait for other nodes and for the disk.",
    () => host.commits.seconds,
  );
  metrics.count(
    "openseat_conflicts_total",
    "Decisions that had to be made anew, because something else had been written meanwhile.",
    () => host.commits.conflicts,
  );
  metrics.count(
    "openseat_log_forks_total",
    "Rooms in memory that were dropped because the log went back, as after a failover that lost entries.",
    () => host.forks,
  );
}

/** LG9: what was found damaged. */
export function measureDamage(metrics: Metrics, damaged: DamagedRooms): void {
  metrics.gauge(
    "openseat_damaged_rooms",
    "Rooms whose log was found damaged since the start: by the check after it, or when they were needed.",
    () => damaged.rooms,
  );
  metrics.gauge(
    "openseat_damaged_snapshots",
    "Rooms whose snapshot was found damaged by the check after the start; they work.",
    () => damaged.snapshots,
  );
}
