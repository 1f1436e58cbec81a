import { createHash } from "node:crypto";
import type { Column, Saved } from "@openseat/kernel";

/** Larger writes would delay appends. */
const partBytesMax = 1 << 20;
/** Most rooms fit. A megabyte for each snapshot of a small room would keep the garbage collector busy. */
const partBytesMin = 4_096;

const digestBytes = 32;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const columnTypes = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const;
type ColumnType = keyof typeof columnTypes;

interface Directory {
  readonly format: 1;
  readonly head: Saved["head"];
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly length: number }[];
  readonly lists?: readonly string[];
}

/** Encoding a whole list at once would stall the server. */
const itemsAtOnce = 500;

/**
 * Yields the directory, the bytes of the columns and the texts of the lists, split into parts, followed by a digest that
 * detects flipped bits. Each part is created just before it is written, so the room can go on: columns and lists do not change
 * meanwhile (see `Saved`).
 */
export function* encodeSnapshot(saved: Saved): Generator<Uint8Array> {
  const digest = createHash("sha256");
  let part = new Uint8Array(partBytesMin);
  let filled = 0;
  for (const bytes of chunksOf(saved)) {
    for (let taken = 0; taken < bytes.length; ) {
      const piece = bytes.subarray(taken, taken + partBytesMax - filled);
      part = withRoomFor(filled + piece.length, part);
      part.set(piece, filled);
      taken += piece.length;
      filled += piece.length;
      if (filled < partBytesMax) continue;
      digest.update(part);
      yield part;
      part = new Uint8Array(partBytesMin);
      filled = 0;
    }
  }
  const rest = part.subarray(0, filled);
  const end = new Uint8Array(filled + digestBytes);
  end.set(rest);
  end.set(digest.update(rest).digest(), filled);
  yield end.subarray(0, partBytesMax);
  if (end.length > partBytesMax) yield end.subarray(partBytesMax);
}

function withRoomFor(bytes: number, part: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes <= part.length) return part;
  const larger = new Uint8Array(Math.min(partBytesMax, Math.max(bytes, 2 * part.length)));
  larger.set(part);
  return larger;
}

function* chunksOf({ head, columns, lists }: Saved): Generator<Uint8Array> {
  const named = Object.entries(columns);
  const directory: Directory = {
    format: 1,
    head,
    columns: named.map(([name, column]) => ({ name, type: typeOf(column), length: column.length })),
    ...(lists && { lists: Object.keys(lists) }),
  };
  yield* textOf(directory);
  for (const [, column] of named) yield new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  for (const list of Object.values(lists ?? {})) {
    for (let start = 0; start < list.length; start += itemsAtOnce)
      yield* textOf(list.slice(start, start + itemsAtOnce));
    yield lengthOf(0);
  }
}

function* textOf(value: unknown): Generator<Uint8Array> {
  const text = encoder.encode(JSON.stringify(value));
  yield lengthOf(text.length);
  yield text;
}

function lengthOf(length: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(length).buffer);
}

export function decodeSnapshot(parts: readonly Uint8Array[]): Saved {
  assertDigest(parts);
  const take = reader(parts);
  const takeText = (): unknown => {
    const [length] = new Uint32Array(take(4).buffer);
    return length === 0 ? undefined : JSON.parse(decoder.decode(take(length)));
  };
  const directory = takeText() as Directory;
  if (directory.format !== 1) throw new Error(`a snapshot of format ${String(directory.format)}`);
  const columns: Record<string, Column> = {};
  for (const { name, type, length } of directory.columns) {
    const Column = columnTypes[type];
    columns[name] = new Column(take(length * Column.BYTES_PER_ELEMENT).buffer);
  }
  const lists: Record<string, unknown[]> = {};
  for (const name of directory.lists ?? []) {
    lists[name] = [];
    for (let items = takeText(); items; items = takeText()) lists[name].push(...(items as unknown[]));
  }
  return { head: directory.head, columns, ...(directory.lists && { lists }) };
}

function assertDigest(parts: readonly Uint8Array[]): void {
  const digest = new SnapshotDigest();
  for (const part of parts) digest.add(part);
  if (!digest.isRight()) throw new Error("a snapshot with another digest");
}

/** Checks the digest at the end of a snapshot. Parts are added one by one, so they need not all be in memory. */
export class SnapshotDigest {
  readonly #digest = createHash("sha256");
  /** The last bytes so far, which may be part of the digest. */
  #last: Uint8Array = new Uint8Array();

  add(part: Uint8Array): void {
    const isShort = part.length < digestBytes;
    const bytes = isShort ? Buffer.concat([this.#last, part]) : part;
    if (!isShort) this.#digest.update(this.#last);
    const covered = Math.max(0, bytes.length - digestBytes);
    this.#digest.update(bytes.subarray(0, covered));
    this.#last = bytes.slice(covered);
  }

  /** Can be called only once. */
  isRight(): boolean {
    return this.#digest.digest().equals(this.#last);
  }
}

/** Reads bytes across the boundaries of parts, each time into a new buffer. */
function reader(parts: readonly Uint8Array[]): (length: number) => Uint8Array<ArrayBuffer> {
  let index = 0;
  let offset = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      const part = parts[index];
      if (!part) throw new Error("a snapshot with missing parts");
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
