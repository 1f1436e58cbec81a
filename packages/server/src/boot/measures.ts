import type { Clock } from "../clock.ts";
import type { Host } from "../host/host.ts";
import type { DamagedRooms } from "../integrity/damaged-rooms.ts";
import type { Metrics } from "../transport/http/metrics.ts";
import { aheadOfWall } from "./clock-watch.ts";
import type { Readiness } from "./readiness.ts";

interface Measured {
  readonly clock: Clock;
  readonly host: Host;
  readonly readiness: Pick<Readiness, "failure">;
  readonly damaged: DamagedRooms;
}

/** Metrics of the clock (CK4), deliveries, other nodes and damage (LG9): name, help text and how to read the value. */
const measures: Readonly<Record<string, readonly [help: string, read: (from: Measured) => number]>> = {
  openseat_clock_seconds: [
    "The server's time in seconds since 1970. Ends, rates and deadlines of rooms follow it.",
    ({ clock }) => clock.now() / 1000,
  ],
  openseat_clock_ahead_seconds: [
    "How far the server's time is ahead of the system clock after that was set back.",
    ({ clock }) => aheadOfWall(clock) / 1000,
  ],
  openseat_rooms_in_memory: ["Rooms held in memory.", ({ host }) => host.residentStreams],
  openseat_deliveries_total: [
    "Effects delivered from one room to another, such as match results to a ladder.",
    ({ host }) => host.deliveries.arrived,
  ],
  openseat_deliveries_refused_total: [
    "Effects between rooms that were refused permanently. They stay in the outbox.",
    ({ host }) => host.deliveries.refused,
  ],
  openseat_deliveries_held: [
    "Delivery queues, to one room or one chat, that wait to retry a failed delivery.",
    ({ host }) => host.deliveries.held,
  ],
  openseat_messages_sent_total: ["Messages sent to chats.", ({ host }) => host.deliveries.sent],
  openseat_messages_set_aside_total: [
    "Messages that could not be sent. Operators can see them and send them again.",
    ({ host }) => host.deliveries.setAside,
  ],
  openseat_nodes: [
    "Nodes on the same log with a recent heartbeat, including this one.",
    ({ host }) => host.nodes,
  ],
  openseat_leader: [
    "1 on the leader, which delivers, fetches messages and expires silent places for all nodes; 0 on the others.",
    ({ host }) => Number(host.isLeader),
  ],
  openseat_database_up: [
    "1 while the log can be used; 0 for five seconds after a failure.",
    ({ readiness }) => Number(readiness.failure === undefined),
  ],
  openseat_commits_total: [
    "Commits. Each decides and appends all waiting commands.",
    ({ host }) => host.commits.count,
  ],
  openseat_commit_seconds_total: [
    "Duration of all commits, including waits for other nodes and the disk.",
    ({ host }) => host.commits.seconds,
  ],
  openseat_conflicts_total: [
    "Decisions repeated because another node had appended entries meanwhile.",
    ({ host }) => host.commits.conflicts,
  ],
  openseat_log_forks_total: [
    "Rooms dropped from memory because the log went back, such as after a failover that lost entries.",
    ({ host }) => host.forks,
  ],
  openseat_damaged_rooms: [
    "Rooms with a damaged log, found by the check after the start or when they were loaded.",
    ({ damaged }) => damaged.rooms,
  ],
  openseat_damaged_snapshots: [
    "Rooms with a damaged snapshot, found by the check after the start. They still work.",
    ({ damaged }) => damaged.snapshots,
  ],
};

export function measureHost(metrics: Metrics, from: Measured): void {
  for (const [name, [help, read]] of Object.entries(measures))
    metrics[name.endsWith("_total") ? "count" : "gauge"](name, help, () => read(from));
}
