import { assert } from "../values.ts";
import { grown } from "./columns.ts";
import { readUtf8, UTF8_BYTES_MAX, writeUtf8 } from "./utf8.ts";

/**
 * The maximum length of a text in bytes. `text` passes each character as a function argument, and their number is
 * limited.
 */
const TEXT_LENGTH_MAX = 1024;

/** Texts at which the index is split into shards. Most rooms are small, so a small table has one. */
const SHARD_AT = 1024;
const SHARDS = 256;

/** Slots of a new shard. */
const SLOTS_MIN = 16;

/**
 * Short texts without control characters, each stored once and numbered 0, 1, 2… in the order in which they were
 * added. The index is split into shards that grow one at a time: a `Map` of a million texts would block everybody
 * while it rehashes all of them.
 */
export class TextTable {
  #bytes = new Uint8Array(0); // all texts as UTF-8, one after the other; the space after the last is scratch
  #ends = new Uint32Array(0); // where each text ends and the next begins
  #size = 0;
  #shards = [new Uint32Array(2 * SLOTS_MIN)]; // open addressing: pairs of hash and number + 1, or of zeros
  #filled = new Uint32Array(1); // used pairs in each shard
  /**
   * The last text that was looked up and not found. It is still in the scratch space, and most such texts are added
   * right afterwards.
   */
  #missed: { text: string; end: number; hash: number } | undefined;

  /** A table with these texts. The arrays still belong to the caller. */
  static restore({ bytes, ends }: { bytes: Uint8Array; ends: Uint32Array }): TextTable {
    const table = new TextTable();
    table.#bytes = new Uint8Array(bytes.length + TEXT_LENGTH_MAX); // scratch for the first `find`
    table.#bytes.set(bytes);
    table.#ends = ends.slice();
    for (let start = 0; table.#size < ends.length; start = table.#end) {
      const end = ends[table.#size];
      assert(start <= end && end <= bytes.length, "a saved text has a negative length or is truncated");
      const hash = halfSipHash(bytes, start, end);
      assert(table.#search(start, end, hash) < 0, "a text was saved twice");
      table.#size++;
      table.#index(hash, table.#size - 1);
    }
    assert(table.#end === bytes.length, "bytes were saved that belong to no text");
    return table;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes allocated for the table. */
  get bytes(): number {
    const fixed = this.#bytes.byteLength + this.#ends.byteLength;
    return this.#shards.reduce((sum, shard) => sum + shard.byteLength, fixed);
  }

  /** Adds the text if necessary, and returns its number. */
  add(text: string): number {
    const known = this.find(text);
    if (known >= 0) return known;
    assert(this.#missed?.text === text, "a text that is too long or has control characters");
    const { end, hash } = this.#missed;
    assert(end <= 0xffffffff, "more text than four bytes can address");
    this.#missed = undefined;
    const number = this.#size++;
    this.#ends = grown(this.#ends, this.#size);
    this.#ends[number] = end;
    this.#index(hash, number);
    return number;
  }

  /** The number of the text, or -1. */
  find(text: string): number {
    if (this.#missed?.text === text) return -1;
    this.#missed = undefined;
    const start = this.#end;
    const end = this.#write(text);
    if (end < 0) return -1;
    const hash = halfSipHash(this.#bytes, start, end);
    const number = this.#search(start, end, hash);
    if (number < 0) this.#missed = { text, end, hash };
    return number;
  }

  text(number: number): string {
    assert(number >= 0 && number < this.#size, "a text that was never added");
    const start = this.#start(number);
    const codes = new Array<number>(this.#ends[number] - start);
    let all = 0;
    for (let i = 0; i < codes.length; i++) {
      codes[i] = this.#bytes[start + i];
      all |= codes[i];
    }
    if (all > 0x7f) return readUtf8(this.#bytes, start, this.#ends[number]);
    return String.fromCharCode.apply(null, codes);
  }

  /** Views, not copies: added texts do not move, and a longer table uses another buffer. */
  save(): { bytes: Uint8Array; ends: Uint32Array } {
    return { bytes: this.#bytes.subarray(0, this.#end), ends: this.#ends.subarray(0, this.#size) };
  }

  get #end(): number {
    return this.#start(this.#size);
  }

  #start(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }

  /** Writes the text to the scratch space and returns its end; -1 for a text that cannot be stored. */
  #write(text: string): number {
    const start = this.#end;
    const { length } = text;
    if (length > TEXT_LENGTH_MAX) return -1;
    this.#bytes = grown(this.#bytes, start + length);
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      // Fast path: most texts are ASCII.
      if (code < 0x20 || code > 0x7e) return this.#writeWide(text);
      bytes[start + i] = code;
    }
    return start + length;
  }

  #writeWide(text: string): number {
    const start = this.#end;
    this.#bytes = grown(this.#bytes, start + UTF8_BYTES_MAX * text.length);
    const end = writeUtf8(text, this.#bytes, start);
    return end - start > TEXT_LENGTH_MAX ? -1 : end;
  }

  /** The number of the text from `start` to `end`, or -1. */
  #search(start: number, end: number, hash: number): number {
    const shard = this.#shards[this.#shardOf(hash)];
    const mask = shard.length - 1;
    for (let slot = (2 * hash) & mask; shard[slot + 1] !== 0; slot = (slot + 2) & mask) {
      if (shard[slot] === hash && this.#same(shard[slot + 1] - 1, start, end)) return shard[slot + 1] - 1;
    }
    return -1;
  }

  #same(number: number, start: number, end: number): boolean {
    const bytes = this.#bytes;
    let at = this.#start(number);
    if (this.#ends[number] - at !== end - start) return false;
    for (let i = start; i < end; i++) if (bytes[at++] !== bytes[i]) return false;
    return true;
  }

  /** Adds a text to the index. */
  #index(hash: number, number: number): void {
    this.#enter(hash, number + 1);
    if (this.#size !== SHARD_AT) return;
    const [whole] = this.#shards;
    this.#shards = Array.from({ length: SHARDS }, () => new Uint32Array(2 * SLOTS_MIN));
    this.#filled = new Uint32Array(SHARDS);
    this.#enterAll(whole);
  }

  #enter(hash: number, entry: number): void {
    const which = this.#shardOf(hash);
    if (this.#filled[which] * 8 >= this.#shards[which].length * 3) this.#grow(which);
    this.#filled[which]++;
    const shard = this.#shards[which];
    const mask = shard.length - 1;
    let slot = (2 * hash) & mask;
    while (shard[slot + 1] !== 0) slot = (slot + 2) & mask;
    shard[slot] = hash;
    shard[slot + 1] = entry;
  }

  #enterAll(old: Uint32Array): void {
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot + 1] !== 0) this.#enter(old[slot], old[slot + 1]);
    }
  }

  #grow(which: number): void {
    const old = this.#shards[which];
    this.#shards[which] = new Uint32Array(2 * old.length);
    this.#filled[which] = 0;
    this.#enterAll(old);
  }

  /** By the highest bits, because the lowest ones choose the slot. */
  #shardOf(hash: number): number {
    return (hash >>> 24) & (this.#shards.length - 1);
  }
}

/** HalfSipHash-1-3 of some bytes, with a key of zeros. It also spreads texts that differ in only a digit or two. */
function halfSipHash(bytes: Uint8Array, start: number, end: number): number {
  let v0 = 0;
  let v1 = 0;
  let v2 = 0x6c796765;
  let v3 = 0x74656462;
  const last = start + ((end - start) & ~3); // the last word holds the remaining bytes and the length
  for (let at = start; at <= last + 12; at += 4) {
    let word = 0; // zero for the three finishing rounds
    if (at < last) word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    else if (at === last) {
      word = (end - start) << 24;
      for (let i = at; i < end; i++) word |= bytes[i] << (8 * (i - at));
    }
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
    if (at === last) v2 ^= 0xff;
  }
  return (v1 ^ v3) >>> 0;
}
