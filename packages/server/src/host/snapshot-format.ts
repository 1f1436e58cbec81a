import type { Column, Saved } from "@openseat/kernel";

/** Small enough that writing one part holds up an append by little. */
const partBytesMax = 1 << 20;

const columnTypes = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const;
type ColumnType = keyof typeof columnTypes;

interface Directory {
  readonly format: 1;
  readonly head: Saved["head"];
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly length: number }[];
}

/**
 * A first part that tells what follows, then the bytes of the columns. Parts are copied out one at a time as they
 * are written: the columns stay as they are meanwhile (see `Saved`), so the room need not stop.
 */
export function* encodeSnapshot({ head, columns }: Saved): Generator<Uint8Array> {
  const directory: Directory = {
    format: 1,
    head,
    columns: Object.entries(columns).map(([name, column]) => ({
      name,
      type: typeOf(column),
      length: column.length,
    })),
  };
  yield new TextEncoder().encode(JSON.stringify(directory));
  for (const column of Object.values(columns)) {
    for (let start = 0; start < column.byteLength; start += partBytesMax) {
      const length = Math.min(partBytesMax, column.byteLength - start);
      yield new Uint8Array(column.buffer, column.byteOffset + start, length).slice();
    }
  }
}

export function decodeSnapshot([first, ...rest]: readonly Uint8Array[]): Saved {
  const directory = JSON.parse(new TextDecoder().decode(first)) as Directory;
  if (directory.format !== 1) throw new Error(`a snapshot of format ${String(directory.format)}`);
  const columns: Record<string, Column> = {};
  for (const { name, type, length } of directory.columns) {
    const column = new columnTypes[type](length);
    const bytes = new Uint8Array(column.buffer);
    for (let start = 0; start < bytes.length; ) {
      const part = rest.shift();
      if (!part || start + part.length > bytes.length) throw new Error("a snapshot with parts missing");
      bytes.set(part, start);
      start += part.length;
    }
    columns[name] = column;
  }
  return { head: directory.head, columns };
}

function typeOf(column: Column): ColumnType {
  if (column instanceof Uint8Array) return "u8";
  return column instanceof Uint32Array ? "u32" : "f64";
}
