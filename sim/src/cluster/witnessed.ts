import type { Append, AppendingLog } from "@openseat/server";
import type { Witness } from "../sim-log.ts";

/** The store, with an observer that sees each write before any node does. */
export function witnessed(store: AppendingLog, witness: Witness): AppendingLog {
  const append = async (appends: readonly Append[]) => {
    const outcomes = await store.append(appends);
    for (const [index, each] of appends.entries())
      if (outcomes[index] === "appended") await witness.written(each);
      else witness.conflicted(each);
    return outcomes;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "append") return append;
      const found = Reflect.get(target, name);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
}
