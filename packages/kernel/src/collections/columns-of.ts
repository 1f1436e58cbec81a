import type { Column } from "../decider.ts";
import { grown } from "./columns.ts";

/** Columns by name. */
export type ColumnKinds = Readonly<
  Record<string, Uint8ArrayConstructor | Uint32ArrayConstructor | Float64ArrayConstructor>
>;
export type ColumnsOf<Kinds extends ColumnKinds> = {
  -readonly [Name in keyof Kinds]: ReturnType<Kinds[Name]["from"]>;
};

export function newColumns<Kinds extends ColumnKinds>(kinds: Kinds): ColumnsOf<Kinds> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, Kind]) => [name, new Kind(16)]),
  ) as ColumnsOf<Kinds>;
}

/** Columns with this capacity. */
export function growColumns(columns: Record<string, Column>, rows: number): void {
  for (const name in columns) columns[name] = grown(columns[name], rows);
}

/** The first rows of each column, as copies, because the originals change while they are written. */
export function copiedColumns(
  columns: Readonly<Record<string, Column>>,
  rows: number,
): Record<string, Column> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.slice(0, rows)]));
}

/** Only the columns with these names. */
export function pickedColumns<Kinds extends ColumnKinds>(
  kinds: Kinds,
  columns: Readonly<Record<string, Column>>,
): ColumnsOf<Kinds> {
  return Object.fromEntries(Object.keys(kinds).map((name) => [name, columns[name]])) as ColumnsOf<Kinds>;
}
