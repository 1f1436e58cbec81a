import { createHash } from "node:crypto";
import type { Column, Saved } from "@openseat/kernel";

/** Small enough that writing one part holds up an append by little. */
const partBytesMax = 1 << 20;

const digestBytes = 32;

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
  for (const bytes of withDigest(chunksOf(saved))) {
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

/** The digest of all that went before comes last: a flipped byte in a column would otherwise be taken for truth. */
function* withDigest(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  const digest = createHash("sha256");
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += partBytesMax) {
      const piece = chunk.subarray(start, start + partBytesMax);
      digest.update(piece);
      yield piece;
    }
  }
  yield digest.digest();
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
  assertDigest(parts);
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

function assertDigest(parts: readonly Uint8Array[]): void {
  const digest = createHash("sha256");
  let left = parts.reduce((sum, { length }) => sum + length, -digestBytes);
  const stored: number[] = [];
  for (const part of parts) {
    const covered = part.subarray(0, Math.max(0, left));
    digest.update(covered);
    stored.push(...part.subarray(covered.length));
    left -= part.length;
  }
  if (!digest.digest().equals(Uint8Array.from(stored))) throw new Error("a snapshot whose digest is another");
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
