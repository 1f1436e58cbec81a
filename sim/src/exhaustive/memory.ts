import type { Decider, Saved } from "@openseat/kernel";
import { decodeSnapshot, type Entry, encodeSnapshot } from "@openseat/server";

/** As much of a decider as it takes to bring a state back. */
type Rules<State, Event> = Pick<Decider<State, never, Event>, "evolve" | "snapshots">;

/** LG5: the log alone is enough. */
export function fromLog<State, Event>(
  { evolve }: Rules<State, Event>,
  entries: readonly Entry<Event>[],
): State | undefined {
  let state: State | undefined;
  for (const { events, at, version } of entries)
    for (const event of events) state = evolve(state, event, at, version);
  return state;
}

/** LG5: so is a snapshot that was turned into bytes and back. */
export class Snapshot<State> {
  readonly #rules: Rules<State, never>;
  readonly #deps: readonly Uint8Array[];

  constructor(rules: Rules<State, never>, state: State) {
    this.#rules = rules;
    this.#deps = [...encodeSnapshot(rules.snapshots.save(state))];
  }

  restore(): State {
    return this.#rules.snapshots.restore(decodeSnapshot(this.#deps));
  }
}

/** Everything that a state holds: two states with the same text are equal. */
export function fingerprint({ head, columns, lists }: Saved): string {
  const texts = Object.entries(columns).map(([name, { buffer, byteOffset, byteLength }]) => {
    return `${name} ${Buffer.from(buffer, byteOffset, byteLength).toString("latin1")}`;
  });
  return [JSON.stringify(head), ...texts, JSON.stringify(lists ?? null)].join("\n");
}

/** An entry as it is read back. It is frozen, because rules that change what was written would make histories differ. */
export function readBack<Event>(entry: Entry<Event>): Entry<Event> {
  return JSON.parse(JSON.stringify(entry), (_, value) => Object.freeze(value)) as Entry<Event>;
}
