import { hash } from "node:crypto";

/** Numbers per slot: the two halves of a fingerprint, and the value, which is never 0. */
const STRIDE = 3;
const SLOTS_MIN = 16;
/** At this size the table is split into shards that grow one at a time: growing everything at once would stall the server. */
const SHARD_AT = 1024;
const SHARDS = 256;

/** Maps texts to numbers and keeps only 64 bits of each text. Callers must verify that a number belongs to their text. */
export class Fingerprints {
  /** Empty at first: most of the streams in memory, such as conversations, never see a key. */
  #shards: Shard[] = [];
  #size = 0;

  get(text: string): number {
    if (this.#size === 0) return 0;
    const { high, low } = fingerprint(text);
    return this.#shard(high).get(high, low);
  }

  set(text: string, value: number): void {
    const { high, low } = fingerprint(text);
    this.#add(high, low, value);
  }

  save(): Uint32Array {
    const saved = new Uint32Array(this.#size * STRIDE);
    let filled = 0;
    for (const shard of this.#shards) {
      shard.each((high, low, value) => {
        saved[filled++] = high;
        saved[filled++] = low;
        saved[filled++] = value;
      });
    }
    return saved;
  }

  static restore(saved: Uint32Array): Fingerprints {
    const table = new Fingerprints();
    for (let at = 0; at < saved.length; at += STRIDE) table.#add(saved[at], saved[at + 1], saved[at + 2]);
    return table;
  }

  #add(high: number, low: number, value: number): void {
    if (this.#shards.length === 0) this.#shards.push(new Shard());
    if (this.#shard(high).set(high, low, value)) this.#size++;
    if (this.#size === SHARD_AT && this.#shards.length === 1) this.#cut();
  }

  #cut(): void {
    const [whole] = this.#shards;
    this.#shards = Array.from({ length: SHARDS }, () => new Shard());
    whole.each((high, low, value) => this.#shard(high).set(high, low, value));
  }

  #shard(high: number): Shard {
    return this.#shards.length === 1 ? this.#shards[0] : this.#shards[high >>> 24];
  }
}

/** A hash table with open addressing. A slot with value 0 is free. */
class Shard {
  #slots = new Uint32Array(SLOTS_MIN * STRIDE);
  #taken = 0;

  get(high: number, low: number): number {
    return this.#slots[this.#slotOf(high, low) + 2];
  }

  set(high: number, low: number, value: number): boolean {
    const slot = this.#slotOf(high, low);
    const isNew = this.#slots[slot + 2] === 0;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    this.#slots[slot + 2] = value;
    if (isNew && ++this.#taken * STRIDE * 4 > this.#slots.length * 3) this.#grow();
    return isNew;
  }

  each(visit: (high: number, low: number, value: number) => void): void {
    const slots = this.#slots;
    for (let slot = 0; slot < slots.length; slot += STRIDE)
      if (slots[slot + 2] !== 0) visit(slots[slot], slots[slot + 1], slots[slot + 2]);
  }

  #slotOf(high: number, low: number): number {
    const slots = this.#slots;
    const count = slots.length / STRIDE;
    let number = low & (count - 1);
    for (;;) {
      const slot = number * STRIDE;
      if (slots[slot + 2] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
      number = (number + 1) & (count - 1);
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    this.#taken = 0;
    for (let slot = 0; slot < old.length; slot += STRIDE)
      if (old[slot + 2] !== 0) this.set(old[slot], old[slot + 1], old[slot + 2]);
  }
}

/** The last fingerprint. Most keys are looked up and stored right after. */
const last = { text: "", high: 0, low: 0 };

function fingerprint(text: string): { readonly high: number; readonly low: number } {
  if (last.text !== text) {
    // Pass text, because creating a buffer costs more than the hash.
    const digest = hash("sha256", text, "latin1");
    last.text = text;
    last.high = numberAt(digest, 0);
    last.low = numberAt(digest, 4);
  }
  return last;
}

function numberAt(bytes: string, at: number): number {
  const [first, second, third] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1), bytes.charCodeAt(at + 2)];
  return (first | (second << 8) | (third << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}
