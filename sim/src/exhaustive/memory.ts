import type { Decider, Saved } from "@openseat/kernel";
import { decodeSnapshot, type Entry, encodeSnapshot } from "@openseat/server";

/** The parts of a decider that restore a state. */
type Rules<State, Event> = Pick<Decider<State, never, Event>, "evolve" | "snapshots">;

/** LG5: the state can be rebuilt from the log alone. */
export function fromLog<State, Event>(
  { evolve }: Rules<State, Event>,
  entries: readonly Entry<Event>[],
): State | undefined {
  let state: State | undefined;
  for (const { events, at, version } of entries)
    for (const event of events) state = evolve(state, event, at, version);
  return state;
}

/** LG5: the state can be rebuilt from a serialized snapshot. */
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

/** Everything that a state contains: states with the same text are equal. */
export function fingerprint({ head, columns, lists }: Saved): string {
  const texts = Object.entries(columns).map(([name, { buffer, byteOffset, byteLength }]) => {
    return `${name} ${Buffer.from(buffer, byteOffset, byteLength).toString("latin1")}`;
  });
  return [JSON.stringify(head), ...texts, JSON.stringify(lists ?? null)].join("\n");
}

/** An entry as it is read back. It is frozen, because rules that change stored entries would corrupt histories. */
export function readBack<Event>(entry: Entry<Event>): Entry<Event> {
  const copy: Entry<Event> = JSON.parse(JSON.stringify(entry));
  freeze(copy);
  return copy;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) freeze(inner);
  Object.freeze(value);
}
