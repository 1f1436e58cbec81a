import { grown } from "../collections/columns.ts";
import type { Column } from "../decider.ts";
import type { TicketNumber } from "../values.ts";

/**
 * The names that people joined with, by ticket. Both columns are append-only, so a snapshot of a large game copies
 * nothing. People without a name of their own have no entry.
 */
export class Names {
  /** UTF-16 code units in two bytes each, with a zero after each name. */
  #bytes = new Uint8Array(64);
  #end = 0;
  /** By ticket: the start of the name plus one; 0 for none. */
  #starts = new Uint32Array(16);
  #tickets = 0;

  set(ticket: TicketNumber, name: string): void {
    this.#starts = grown(this.#starts, ticket + 1);
    this.#starts[ticket] = this.#end + 1;
    this.#tickets = ticket + 1;
    this.#bytes = grown(this.#bytes, this.#end + 2 * name.length + 2);
    for (let index = 0; index < name.length; index++) {
      const unit = name.charCodeAt(index);
      this.#bytes[this.#end++] = unit & 0xff;
      this.#bytes[this.#end++] = unit >>> 8;
    }
    this.#end += 2;
  }

  of(ticket: TicketNumber): string | undefined {
    const start = ticket < this.#tickets ? this.#starts[ticket] : 0;
    if (start === 0) return undefined;
    const units: number[] = [];
    for (let at = start - 1; ; at += 2) {
      const unit = this.#bytes[at] | (this.#bytes[at + 1] << 8);
      if (unit === 0) return String.fromCharCode(...units);
      units.push(unit);
    }
  }

  save(): Record<string, Column> {
    return {
      nameBytes: this.#bytes.subarray(0, this.#end),
      nameStarts: this.#starts.subarray(0, this.#tickets),
    };
  }

  /** Snapshots from before names were stored have no such columns. */
  static restore({ nameBytes, nameStarts }: Readonly<Record<string, Column>>): Names {
    const names = new Names();
    if (!nameBytes || !nameStarts) return names;
    names.#bytes = new Uint8Array(nameBytes);
    names.#end = nameBytes.length;
    names.#starts = new Uint32Array(nameStarts);
    names.#tickets = nameStarts.length;
    return names;
  }
}
