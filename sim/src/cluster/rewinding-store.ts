import { type AppendingLog, MemoryLog, type StreamName } from "@openseat/server";

/** Methods that change a store. A standby receives the changes later. */
const changing: ReadonlySet<PropertyKey> = new Set<keyof AppendingLog>([
  ...(["append", "delivered", "undeliverable", "discard", "resend", "saveSnapshot"] as const),
]);

type Change = (store: AppendingLog) => unknown;

export interface RewindingStore extends AppendingLog {
  /**
   * CL6: a standby takes over without the latest `changes` changes. Resolves with the current versions of all
   * streams.
   */
  goBack(changes: number): Promise<ReadonlyMap<StreamName, number>>;
}

/** A store with an asynchronous standby. */
export function rewindingStore(): RewindingStore {
  let inner = new MemoryLog();
  let journal: Change[] = [];
  const streams = new Set<StreamName>();
  const goBack: RewindingStore["goBack"] = async (changes) => {
    journal = journal.slice(0, Math.max(0, journal.length - changes));
    inner = new MemoryLog();
    for (const change of journal) await change(inner);
    const heads = await Promise.all(
      Array.from(streams, async (stream) => [stream, (await inner.head(stream))?.version ?? 0] as const),
    );
    return new Map(heads);
  };
  return new Proxy({} as RewindingStore, {
    get(_, name) {
      if (name === "goBack") return goBack;
      const found = Reflect.get(inner, name);
      if (typeof found !== "function") return found;
      if (!changing.has(name)) return found.bind(inner);
      return (...given: unknown[]) => {
        const args = given.map(lasting);
        const change: Change = (store) => Reflect.get(store, name).apply(store, args);
        if (name === "append")
          for (const { stream } of args[0] as { stream: StreamName }[]) streams.add(stream);
        journal.push(change);
        return change(inner);
      };
    },
  });
}

/** Parts of a snapshot can be read only once. */
function lasting(value: unknown): unknown {
  const { parts } = (value ?? {}) as { parts?: Iterable<Uint8Array> };
  return parts ? { ...(value as object), parts: [...parts] } : value;
}
