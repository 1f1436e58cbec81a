import type { Millis } from "@openseat/kernel";
import {
  type Append,
  type AppendingLog,
  type Clock,
  type ClusterState,
  type CommitOutcome,
  type Head,
  type Log,
  MemoryCluster,
  type Outgoing,
  type Sharing,
  type StoredBatch,
  type StoreNetwork,
  type StreamAdvanced,
  type StreamName,
} from "@openseat/server";
import type { Parts } from "../src/parts.ts";
import { altered, CarelessStore, type Sabotage } from "./sabotage.ts";

/** Several nodes on one store, with altered sharing. */
function sharedBy(
  alter: (sharing: Sharing, at: { readonly name: string }) => Partial<Sharing>,
): Parts["cluster"] {
  return committedBy((log, { name }) => ({
    join: (roles) =>
      log.join({
        owner: roles.owner,
        node: (sharing) => roles.node({ ...sharing, ...alter(sharing, { name }) }),
      }),
  }));
}

/** Several nodes on one store, with altered logs. */
function committedBy(
  alter: (
    log: Log,
    at: { readonly name: string; readonly store: AppendingLog; readonly passage: StoreNetwork },
  ) => Partial<Log>,
): Parts["cluster"] {
  return (store, passage) => {
    const cluster = new MemoryCluster(store, passage);
    const node = (name: string): Log => {
      const log = cluster.node(name);
      return { ...log, ...alter(log, { name, store, passage }) };
    };
    return { node, crash: (name) => cluster.crash(name), cut: (name) => cluster.cut(name) };
  };
}

/** A correct commit, except that it takes no locks. */
const withoutLocks = committedBy((_, { name, store, passage }) => ({
  async commit(wanted, decide) {
    await passage.pass(name, "commit");
    const tails = await Promise.all(
      wanted.map(({ stream, after }) => store.read(stream, after, Number.MAX_SAFE_INTEGER)),
    );
    await passage.pass(name, "commit: its tails");
    const appends = decide(tails);
    await passage.pass(name, "commit: its commit");
    const outcomes: CommitOutcome[] = [];
    for (const append of appends) {
      const [outcome] = append ? await store.append([append]) : ["appended"];
      outcomes.push(outcome === "conflict" ? "conflict" : "committed");
    }
    await passage.pass(name, "commit: its answer");
    return outcomes;
  },
}));

/** When asked for stream versions, each node answers only from what it has read or written itself. */
const askingNobody: Parts["cluster"] = (store, passage) => {
  const cluster = new MemoryCluster(store, passage);
  const node = (name: string): Log => {
    const log = cluster.node(name);
    const known = new Map<StreamName, Head>();
    const note = (stream: StreamName, batches: readonly StoredBatch[]) => {
      const last = batches.at(-1);
      if (last) known.set(stream, { version: last.first + last.lines.length - 1, hash: last.hash });
      return batches;
    };
    return {
      ...log,
      async head(stream) {
        const head = await log.head(stream);
        if (head) known.set(stream, head);
        return head;
      },
      read: async (stream, after, limit) => [...note(stream, await log.read(stream, after, limit))],
      heads: async (streams) => streams.map((stream) => known.get(stream)),
      commit: (wanted, decide) =>
        log.commit(wanted, (tails) => {
          for (const [index, tail] of tails.entries())
            if (typeof tail !== "string") note(wanted[index].stream, tail);
          const appends = decide(tails);
          for (const append of appends)
            if (append)
              known.set(append.stream, { version: append.after + append.lines.length, hash: append.hash });
          return appends;
        }),
    };
  };
  return { node, crash: (name) => cluster.crash(name), cut: (name) => cluster.cut(name) };
};

/** The same node heartbeats with changed contents. */
function heartbeatsWith(
  change: (state: ClusterState, name: string) => Partial<ClusterState>,
): Parts["cluster"] {
  return sharedBy((sharing, { name }) => ({
    async heartbeat(presence) {
      const state = await sharing.heartbeat(presence);
      return { ...state, ...change(state, name) };
    },
  }));
}

/** Writes the decisions of a lost commit. */
function writtenAllTheSame({ commit }: Log, store: AppendingLog): Log["commit"] {
  return async (wanted, decide) => {
    let appends: readonly (Append | undefined)[] = [];
    try {
      return await commit(wanted, (tails) => {
        appends = decide(tails);
        return appends;
      });
    } catch (error) {
      await store.append(appends.filter((append) => append !== undefined));
      throw error;
    }
  };
}

/** Delivers only messages with a higher number than all seen before. */
function onlyUpwards(log: Log): Log {
  let last = 0;
  return altered(log, {
    async outbox(after, limit) {
      if (after === 0) last = 0;
      const found = await log.outbox(after, limit);
      const higher: Outgoing[] = found.filter(({ number }) => number > last);
      last = Math.max(last, ...found.map(({ number }) => number));
      return higher;
    },
  });
}

/** Cached streams are checked with every heartbeat, at least every 5 seconds. */
const inMemoryMs = 6_000;

/** Ignores announcements for streams it has not used for so long that they are no longer cached. */
function ignoringUnknown(log: Log, clock: Clock): Log {
  const usedAt = new Map<StreamName, number>();
  const use = (streams: readonly StreamName[]) => {
    for (const stream of streams) usedAt.set(stream, clock.elapsed());
  };
  const isInMemory = ({ stream }: StreamAdvanced) =>
    clock.elapsed() - (usedAt.get(stream) ?? -Infinity) < inMemoryMs;
  const hearing = (sharing: Sharing): Sharing => ({
    ...sharing,
    listen: (onAdvanced) => sharing.listen((advanced) => onAdvanced(advanced?.filter(isInMemory))),
  });
  return altered(log, {
    join: (roles) => log.join({ owner: roles.owner, node: (sharing) => roles.node(hearing(sharing)) }),
    heads(streams) {
      use(streams);
      return log.heads(streams);
    },
    read(stream, after, limit) {
      use([stream]);
      return log.read(stream, after, limit);
    },
    commit(wanted, decide) {
      use(wanted.map(({ stream }) => stream));
      return log.commit(wanted, decide);
    },
  });
}

/** For nodes that share a store; a fault that needs a kind of room says so. */
export const clusterSabotages: readonly Sabotage[] = [
  {
    name: "commits without locks",
    rules: ["LG1"],
    parts: () => ({ cluster: withoutLocks }),
  },
  {
    name: "a store that appends without comparing versions, with commits without locks",
    rules: ["LG1", "LG3"],
    parts: () => ({ store: new CarelessStore(), cluster: withoutLocks }),
  },
  {
    name: "commits that do not read other nodes' entries",
    rules: ["LG1"],
    parts: () => ({
      cluster: committedBy((log) => ({
        commit: (wanted, decide) => log.commit(wanted, (tails) => decide(tails.map(() => []))),
      })),
    }),
  },
  {
    name: "a lost commit that is written anyway",
    rules: ["LG1", "LG3"],
    parts: () => ({
      cluster: committedBy((log, { store }) => ({ commit: writtenAllTheSame(log, store) })),
    }),
  },
  {
    name: "reads that do not check for other nodes' entries",
    rules: ["CL1"],
    parts: () => ({ cluster: askingNobody }),
  },
  {
    name: "nodes that never learn of other nodes' entries",
    rules: ["FD1"],
    parts: () => ({ cluster: sharedBy(() => ({ listen: () => {} })), doubt: () => {} }),
  },
  {
    name: "two leaders at the same time",
    rules: ["CL2"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ isLeader: true })) }),
  },
];

export const clusterQueueSabotages: readonly Sabotage[] = [
  {
    name: "heartbeats on other nodes that are never reported to the leader",
    rules: ["LS1", "LS2"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ heartbeats: [] })) }),
  },
  {
    name: "a leader that does not wait for the other nodes' heartbeats",
    rules: ["LS1", "LS2"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ others: new Map() })) }),
  },
  {
    name: "people who stay away because other nodes' heartbeats are never reported",
    rules: ["LN11"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ heartbeats: [] })) }),
  },
  {
    name: "a leader that marks people as away before it knows the other nodes' heartbeats",
    rules: ["LN11"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ others: new Map() })) }),
  },
  {
    name: "a dead leader that is never replaced",
    rules: ["LS1", "LS2"],
    parts: () => {
      let first: string | undefined;
      return {
        cluster: heartbeatsWith((_, name) => {
          first ??= name;
          return { isLeader: name === first };
        }),
      };
    },
  },
];

/** For games: there are so many that some are known to only one node. */
export const clusterGameSabotages: readonly Sabotage[] = [
  {
    name: "a leader that ignores announcements of rooms that are not in its memory",
    rules: ["LS2"],
    scenario: { rates: {}, nodes: 3, gamesAtOnce: 5, gameLeaseShare: 1, thinkMs: 100 },
    parts: () => {
      let clock: Clock;
      return {
        clock: (given) => {
          clock = given;
          return given;
        },
        wire: (log) => ignoringUnknown(log, clock),
      };
    },
  },
];

export const clusterArenaSabotages: readonly Sabotage[] = [
  {
    name: "clocks that restart although a node was always running",
    rules: ["CL2"],
    parts: () => ({ cluster: heartbeatsWith(({ at }) => ({ servedSince: at })) }),
  },
  {
    name: "nodes that are not told about a store outage",
    rules: ["AR9"],
    parts: () => ({ cluster: heartbeatsWith(() => ({ servedSince: 0 as Millis })) }),
  },
];

export const clusterChatSabotages: readonly Sabotage[] = [
  {
    name: "deliveries that skip numbers which appear late",
    rules: ["CH7", "LD12"],
    parts: () => ({ wire: onlyUpwards }),
  },
];
