import { TextTable } from "../collections/text-table.ts";
import type { Column } from "../decider.ts";
import type { TicketNumber } from "../values.ts";

/** Live places per address. Only kept for queues that limit them, because a crowd has as many addresses as people. */
export class Addresses {
  readonly #texts = new Map<TicketNumber, string>();
  readonly #counts = new Map<string, number>();

  count(address: string): number {
    return this.#counts.get(address) ?? 0;
  }

  entered(ticket: TicketNumber, address: string): void {
    this.#texts.set(ticket, address);
    this.#counts.set(address, this.count(address) + 1);
  }

  left(ticket: TicketNumber): void {
    const address = this.#texts.get(ticket);
    if (address === undefined) return;
    this.#texts.delete(ticket);
    const count = this.count(address) - 1;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }

  save(): Record<string, Column> {
    const table = new TextTable();
    const tickets = new Uint32Array(this.#texts.size);
    const numbers = new Uint32Array(this.#texts.size);
    let row = 0;
    for (const [ticket, address] of this.#texts) {
      tickets[row] = ticket;
      numbers[row++] = table.add(address);
    }
    const { bytes, ends } = table.save();
    return {
      addressBytes: bytes,
      addressEnds: ends,
      addressTickets: tickets,
      addressNumbers: numbers,
    };
  }

  static restore(columns: Readonly<Record<string, Column>>): Addresses {
    const addresses = new Addresses();
    const table = TextTable.restore({
      bytes: columns.addressBytes as Uint8Array,
      ends: columns.addressEnds as Uint32Array,
    });
    for (let row = 0; row < columns.addressTickets.length; row++)
      addresses.entered(columns.addressTickets[row] as TicketNumber, table.text(columns.addressNumbers[row]));
    return addresses;
  }
}
