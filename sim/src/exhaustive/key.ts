import { hash } from "node:crypto";
import { type Millis, type Saved, TextTable } from "@openseat/kernel";

/** One place, read from the columns of a saved state. */
export interface Row {
  readonly ticket: number;
  /** People are numbered by arrival, so that worlds which differ only in names are equal. */
  readonly person: number;
  readonly isLive: boolean;
  readonly state: number;
}

/** In the roster's columns, states from this number on are final. */
const liveStates = 3;

/** Every place, by ticket. A small world forgets none. */
export function rowsIn({ columns }: Saved): readonly Row[] {
  return [...columns.state].map((state, row) => ({
    ticket: row + 1,
    person: columns.personOf[row],
    isLive: state < liveStates,
    state,
  }));
}

/** The number of each person, by name. */
export function numbersIn({ columns }: Saved): ReadonlyMap<string, number> {
  const table = TextTable.restore({
    bytes: columns.personBytes as Uint8Array,
    ends: columns.personEnds as Uint32Array,
  });
  return new Map([...columns.personEnds.keys()].map((number) => [table.text(number), number]));
}

/** The age, capped where a higher one makes no difference. */
export function ageOf(at: number, now: Millis, most: number): number {
  return Math.min(now - at, most);
}

export function keyOf(dueInMs: number | undefined, essence: unknown): string {
  return hash("sha256", JSON.stringify([dueInMs ?? null, essence]), "base64");
}
