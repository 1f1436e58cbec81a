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
 * The directory and the bytes of the columns, one after the other, cut into parts. A part is copied out only when
 * it is about to be written: the columns stay as they are meanwhile (see `Saved`), so the room need not stop.
 */
export function* encodeSnapshot(saved: Saved): Generator<Uint8Array> {
  let part = new Uint8Array(partBytesMax);
  let filled = 0;
  for (const bytes of chunksOf(saved)) {
    for (let taken = 0; taken < bytes.length; ) {
      const piece = bytes.subarray(taken, taken + partBytesMax - filled);
      part.set(piece, filled);
      taken += piece.length;
      filled += piece.length;
      if (filled < partBytesMax) continue;
      yield part;
      part = new Uint8Array(partBytesMax);
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}

function* chunksOf({ head, columns }: Saved): Generator<Uint8Array> {
  const named = Object.entries(columns);
  const directory: Directory = {
    format: 1,
    head,
    columns: named.map(([name, column]) => ({ name, type: typeOf(column), length: column.length })),
  };
  const text = new TextEncoder().encode(JSON.stringify(directory));
  yield new Uint8Array(Uint32Array.of(text.length).buffer);
  yield text;
  for (const [, column] of named) yield new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

export function decodeSnapshot(parts: readonly Uint8Array[]): Saved {
  const take = reader(parts);
  const [directoryLength] = new Uint32Array(take(4).buffer);
  const directory = JSON.parse(new TextDecoder().decode(take(directoryLength))) as Directory;
  if (directory.format !== 1) throw new Error(`a snapshot of format ${String(directory.format)}`);
  const columns: Record<string, Column> = {};
  for (const { name, type, length } of directory.columns) {
    const Column = columnTypes[type];
    columns[name] = new Column(take(length * Column.BYTES_PER_ELEMENT).buffer);
  }
  return { head: directory.head, columns };
}

/** Takes so many bytes, as a buffer of their own, from parts that end wherever they end. */
function reader(parts: readonly Uint8Array[]): (length: number) => Uint8Array<ArrayBuffer> {
  let index = 0;
  let offset = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      const part = parts[index];
      if (!part) throw new Error("a snapshot with parts missing");
      const piece = part.subarray(offset, offset + length - filled);
      bytes.set(piece, filled);
      filled += piece.length;
      offset += piece.length;
      if (offset === part.length) {
        index++;
        offset = 0;
      }
    }
    return bytes;
  };
}

function typeOf(column: Column): ColumnType {
  if (column instanceof Uint8Array) return "u8";
  return column instanceof Uint32Array ? "u32" : "f64";
}
