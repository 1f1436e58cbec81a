import { grown, SparseColumn } from "../collections/columns.ts";
import { TicketSet } from "../collections/ticket-set.ts";
import { assert, type TicketNumber } from "../values.ts";

/** Entries per node. Wide enough that a million people are four nodes deep, narrow enough to scan. */
const FAN = 64;

/** Node 0 is unused: it weighs nothing, and a zero in a column means "nowhere". */
const NONE = 0;

/** The leaf of a ticket that is known but not placed yet. */
const ANYWHERE = 0xffffffff;

/** A line with more room than this many times its people is rebuilt, unless it is small. */
const SPARE = 8;
const SLOTS_MIN = 16 * FAN;

/**
 * An order of tickets with ranks: a counted B-tree. A leaf holds tickets, an inner node holds nodes, and each node
 * knows its weight: the number of tickets under it, and how many of them are set aside. Nodes are indexes into a few
 * typed arrays, because an object per person would need ten times the memory and cause garbage collection pauses.
 */
export class Line {
  #slots = new Uint32Array(FAN); // FAN entries per node: tickets in a leaf, nodes in an inner node
  #used = new Uint8Array(1); // how many of them are used
  #weight = new Uint32Array(1);
  #aside = new Uint32Array(1); // how many of the weight are set aside
  #parent = new Uint32Array(1); // for a freed node, which is empty and weighs nothing: the node freed before it
  #nodes = 1;
  #freed = NONE; // the node freed last
  #root = NONE;
  #height = 0; // levels above the leaves
  #newest = 0;
  readonly #homes = new SparseColumn(); // the leaf of each waiting ticket
  readonly #setAside = new TicketSet();

  /** A line with these tickets in this order, some of them set aside. */
  static from(tickets: Uint32Array, aside: Uint32Array = new Uint32Array(0)): Line {
    const line = new Line();
    for (const ticket of tickets.slice().sort()) line.#register(ticket);
    line.#layOut(tickets);
    for (const ticket of aside) line.setAside(ticket as TicketNumber);
    return line;
  }

  get length(): number {
    return this.#weight[this.#root];
  }

  /** Bytes allocated for the line. */
  get bytes(): number {
    const columns = [this.#slots, this.#used, this.#weight, this.#aside, this.#parent];
    return columns.reduce((sum, column) => sum + column.byteLength, this.#homes.bytes);
  }

  /** Adds a ticket at the back. */
  push(ticket: TicketNumber): void {
    this.insert(ticket, 0);
  }

  /** Adds a ticket with exactly `behind` of the people present behind it: 0 is the back, `length` the very front. */
  insert(ticket: TicketNumber, behind: number): void {
    assert(
      Number.isInteger(behind) && behind >= 0 && behind <= this.length,
      "more people behind than in the line",
    );
    this.#register(ticket);
    this.#place(ticket, behind);
  }

  /** Removes a ticket from anywhere; false when it is not in the line. */
  remove(ticket: TicketNumber): boolean {
    const leaf = this.#homes.get(ticket);
    if (leaf === NONE) return false;
    this.takeBack(ticket);
    this.#homes.set(ticket, NONE);
    this.#takeOut(ticket, leaf);
    this.#giveBack();
    return true;
  }

  /** Moves a ticket behind those for which `isAhead` is true. All of these must come before all others. */
  move(ticket: TicketNumber, isAhead: (other: TicketNumber) => boolean): void {
    const leaf = this.#homes.get(ticket);
    assert(leaf !== NONE, "a ticket was moved that is not in the line");
    assert(!this.#setAside.has(ticket), "a ticket was moved that is set aside");
    this.#takeOut(ticket, leaf);
    this.#place(ticket, this.length - this.count(isAhead));
    this.#giveBack();
  }

  /** How many tickets `isAhead` is true for. All of these must come before all others. */
  count(isAhead: (ticket: TicketNumber) => boolean): number {
    const slots = this.#slots;
    let node = this.#root;
    let ahead = 0;
    for (let level = this.#height; ; level--) {
      let low = node * FAN;
      let high = low + this.#used[node];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isAhead(this.#firstUnder(slots[middle], level))) low = middle + 1;
        else high = middle;
      }
      if (level === 0) return ahead + low - node * FAN;
      if (low === node * FAN) return ahead;
      for (let slot = node * FAN; slot < low - 1; slot++) ahead += this.#weight[slots[slot]];
      node = slots[low - 1];
    }
  }

  #firstUnder(entry: number, level: number): TicketNumber {
    let first = entry;
    for (let down = level; down > 0; down--) first = this.#slots[first * FAN];
    return first as TicketNumber;
  }

  has(ticket: TicketNumber): boolean {
    return this.#homes.get(ticket) !== NONE;
  }

  /** One more than the number of people ahead; 0 when not in the line. */
  rank(ticket: TicketNumber): number {
    let node = this.#homes.get(ticket);
    if (node === NONE) return 0;
    const slots = this.#slots;
    const weight = this.#weight;
    let rank = this.#slotOf(ticket, node) - node * FAN + 1;
    for (let up = this.#parent[node]; up !== NONE; up = this.#parent[node]) {
      for (let slot = up * FAN; slots[slot] !== node; slot++) rank += weight[slots[slot]];
      node = up;
    }
    return rank;
  }

  front(): TicketNumber | undefined {
    return this.at(1);
  }

  /** The ticket with this rank: 1 is the front. */
  at(rank: number): TicketNumber | undefined {
    if (!(Number.isInteger(rank) && rank >= 1 && rank <= this.length)) return undefined;
    return this.#slots[this.#spotOf(rank).slot] as TicketNumber;
  }

  /** At most `max` tickets behind the first `ahead`, in order. */
  slice(ahead: number, limit: number): TicketNumber[] {
    const found: TicketNumber[] = [];
    const last = Math.min(ahead + limit, this.length);
    for (let rank = ahead + 1; rank <= last; ) {
      const { slot, end } = this.#spotOf(rank);
      for (let next = slot; next < end && rank <= last; next++, rank++)
        found.push(this.#slots[next] as TicketNumber);
    }
    return found;
  }

  /** Makes `presentAt` skip this ticket. It keeps its rank. False when it was already aside, or is not in the line. */
  setAside(ticket: TicketNumber): boolean {
    const leaf = this.#homes.get(ticket);
    if (leaf === NONE || !this.#setAside.add(ticket)) return false;
    for (let node = leaf; node !== NONE; node = this.#parent[node]) this.#aside[node]++;
    return true;
  }

  /** False when it was not aside. */
  takeBack(ticket: TicketNumber): boolean {
    if (!this.#setAside.delete(ticket)) return false;
    for (let node = this.#homes.get(ticket); node !== NONE; node = this.#parent[node]) this.#aside[node]--;
    return true;
  }

  isAside(ticket: TicketNumber): boolean {
    return this.#setAside.has(ticket);
  }

  get asideCount(): number {
    return this.#setAside.size;
  }

  /** The tickets that are set aside, in ticket order. */
  asideToArray(): Uint32Array {
    return this.#setAside.toArray();
  }

  /** The nth ticket from the front that is not set aside. */
  presentAt(number: number): TicketNumber | undefined {
    if (this.asideCount === 0) return this.at(number);
    const slots = this.#slots;
    let node = this.#root;
    let ahead = number - 1;
    if (ahead >= this.#presentUnder(node)) return undefined;
    for (let level = this.#height; level > 0; level--) {
      let slot = node * FAN;
      for (node = slots[slot]; ahead >= this.#presentUnder(node); node = slots[++slot])
        ahead -= this.#presentUnder(node);
    }
    for (let slot = node * FAN; ; slot++) {
      const ticket = slots[slot] as TicketNumber;
      if (!this.#setAside.has(ticket) && ahead-- === 0) return ticket;
    }
  }

  #presentUnder(node: number): number {
    return this.#weight[node] - this.#aside[node];
  }

  /** The position of the ticket with this rank, and the end of its leaf. */
  #spotOf(rank: number): { slot: number; end: number } {
    const slots = this.#slots;
    const weight = this.#weight;
    let node = this.#root;
    let ahead = rank - 1;
    for (let level = this.#height; level > 0; level--) {
      let slot = node * FAN;
      for (node = slots[slot]; ahead >= weight[node]; node = slots[++slot]) ahead -= weight[node];
    }
    return { slot: node * FAN + ahead, end: node * FAN + this.#used[node] };
  }

  /** Front to back, as the line was at the call: the caller may change it while iterating. */
  [Symbol.iterator](): Iterator<TicketNumber> {
    return this.toArray().values() as Iterator<number> as Iterator<TicketNumber>;
  }

  /** A copy, front to back. */
  toArray(): Uint32Array {
    return this.#copied(false);
  }

  /** A copy without tickets that are set aside, front to back. */
  presentToArray(): Uint32Array {
    return this.#copied(this.asideCount > 0);
  }

  #copied(onlyPresent: boolean): Uint32Array {
    const tickets = new Uint32Array(onlyPresent ? this.length - this.asideCount : this.length);
    let filled = 0;
    const walk = (node: number, level: number): void => {
      // Skip whole nodes: otherwise every ticket of a crowd that has gone away would be scanned to find the few
      // present.
      if (onlyPresent && this.#presentUnder(node) === 0) return;
      const entries = this.#slots.subarray(node * FAN, node * FAN + this.#used[node]);
      if (level > 0) for (const child of entries) walk(child, level - 1);
      else if (onlyPresent) {
        for (const ticket of entries) if (!this.#setAside.has(ticket)) tickets[filled++] = ticket;
      } else {
        tickets.set(entries, filled);
        filled += entries.length;
      }
    };
    walk(this.#root, this.#height);
    return tickets;
  }

  /** Space of removed and moved tickets is not reused until the line is rebuilt. */
  #giveBack(): void {
    if (this.#slots.length <= Math.max(SLOTS_MIN, SPARE * this.length)) return;
    this.#homes.sweep();
    this.#layOut(this.toArray());
  }

  #takeOut(ticket: number, leaf: number): void {
    for (let node = leaf; node !== NONE; node = this.#parent[node]) this.#weight[node]--;
    this.#drop(leaf, this.#slotOf(ticket, leaf));
  }

  #register(ticket: number): void {
    assert(ticket > this.#newest && ticket >>> 0 === ticket, "a ticket not newer than those before it");
    this.#newest = ticket;
    this.#homes.add(ticket, ANYWHERE);
  }

  /** Descends to a leaf and splits each full node on the way, so that the parent always has room for the new half. */
  #place(ticket: number, behind: number): void {
    if (this.#root === NONE) this.#root = this.#newNode();
    else if (this.#used[this.#root] === FAN) this.#raise();
    let node = this.#root;
    let after = behind;
    this.#weight[node]++;
    for (let level = this.#height - 1; level >= 0; level--) {
      const slots = this.#slots;
      const weight = this.#weight;
      const up = node;
      let slot = up * FAN + this.#used[up] - 1;
      for (node = slots[slot]; after > weight[node]; node = slots[--slot]) after -= weight[node];
      if (this.#used[node] === FAN) {
        const right = this.#split(node, level, behind === 0);
        this.#put(up, slot + 1, right, level + 1);
        if (after <= this.#weight[right]) node = right;
        else after -= this.#weight[right];
      }
      this.#weight[node]++;
    }
    this.#put(node, node * FAN + this.#used[node] - after, ticket, 0);
  }

  #put(node: number, slot: number, entry: number, level: number): void {
    this.#slots.copyWithin(slot + 1, slot, node * FAN + this.#used[node]++);
    this.#slots[slot] = entry;
    this.#adopt(node, entry, level);
  }

  /** Moves the last half of a node to a new one, which the caller then inserts to its right. */
  #split(node: number, level: number, atBack: boolean): number {
    // At the back, keep the node full, because newcomers go behind it: splitting it in half would leave it half empty
    // for good.
    const keep = atBack ? FAN - 1 : FAN / 2;
    const right = this.#nodeOf(this.#slots.slice(node * FAN + keep, node * FAN + FAN), level);
    this.#used[node] = keep;
    this.#weight[node] -= this.#weight[right];
    this.#aside[node] -= this.#aside[right];
    return right;
  }

  #adopt(node: number, entry: number, level: number): void {
    if (level === 0) this.#homes.set(entry, node);
    else this.#parent[entry] = node;
  }

  /** Removes an entry from a node, and the node from the tree when it becomes empty. */
  #drop(node: number, slot: number): void {
    this.#slots.copyWithin(slot, slot + 1, node * FAN + this.#used[node]--);
    if (this.#used[node] > 0) return;
    const up = this.#parent[node];
    this.#parent[node] = this.#freed;
    this.#freed = node;
    if (up !== NONE) this.#drop(up, this.#slotOf(node, up));
    else this.#root = this.#height = 0;
  }

  /** Puts a new root above the root. */
  #raise(): void {
    this.#root = this.#nodeOf(Uint32Array.of(this.#root), ++this.#height);
  }

  /**
   * Rebuilds the tree with full nodes and minimal space. Otherwise a line that was once long, or has thinned out,
   * would stay big for good.
   */
  #layOut(tickets: Uint32Array): void {
    this.#slots = new Uint32Array(FAN);
    this.#used = new Uint8Array(1);
    this.#weight = new Uint32Array(1);
    this.#aside = new Uint32Array(1);
    this.#parent = new Uint32Array(1);
    this.#nodes = 1;
    this.#freed = NONE;
    this.#height = -1;
    let entries = tickets;
    do {
      this.#height++;
      const nodes = new Uint32Array(Math.ceil(entries.length / FAN));
      for (let start = 0; start < entries.length; start += FAN) {
        nodes[start / FAN] = this.#nodeOf(entries.subarray(start, start + FAN), this.#height);
      }
      entries = nodes;
    } while (entries.length > 1);
    this.#root = entries[0] ?? NONE;
  }

  #nodeOf(entries: Uint32Array, level: number): number {
    const node = this.#newNode();
    this.#slots.set(entries, node * FAN);
    this.#used[node] = entries.length;
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index];
      this.#weight[node] += level === 0 ? 1 : this.#weight[entry];
      this.#aside[node] += level === 0 ? Number(this.#setAside.has(entry)) : this.#aside[entry];
      this.#adopt(node, entry, level);
    }
    return node;
  }

  #newNode(): number {
    let node = this.#freed;
    if (node !== NONE) this.#freed = this.#parent[node];
    else {
      node = this.#nodes++;
      this.#slots = grown(this.#slots, this.#nodes * FAN);
      this.#used = grown(this.#used, this.#nodes);
      this.#weight = grown(this.#weight, this.#nodes);
      this.#aside = grown(this.#aside, this.#nodes);
      this.#parent = grown(this.#parent, this.#nodes);
    }
    this.#parent[node] = NONE;
    return node;
  }

  #slotOf(entry: number, node: number): number {
    const slots = this.#slots;
    const end = node * FAN + this.#used[node];
    for (let slot = node * FAN; slot < end; slot++) if (slots[slot] === entry) return slot;
    assert(false, "an entry is not in the node it should be in");
  }
}
