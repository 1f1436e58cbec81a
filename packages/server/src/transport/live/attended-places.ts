import type { Refusal } from "@openseat/kernel";
import type { PositionOnly } from "@openseat/protocol";
import type { Identity } from "../../app/identity.ts";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import { type Result, refused } from "../../app/result.ts";
import type { Prover } from "../auth/entrances.ts";

interface Wire {
  write(text: string): void;
  /** Reports an end that the client did not request. */
  refuse(refusal: Refusal): void;
  readonly backlogBytes: number;
  readonly onFault: (error: unknown) => void;
}

interface AttendedPlace {
  /** By the person's newest token on this connection. */
  identity: Identity;
  close(): void;
}

/** The places in lines that a connection follows. */
export class AttendedPlaces {
  readonly #waiting: WaitingRooms;
  readonly #wire: Wire;
  readonly #max: number;
  readonly #open = new Map<string, AttendedPlace>();
  #isClosed = false;

  constructor(waiting: WaitingRooms, wire: Wire, max: number) {
    this.#waiting = waiting;
    this.#wire = wire;
    this.#max = max;
  }

  /** Sends the position now and at every change, and the pulse of the line in between. */
  async attend(identity: Identity, id: string): Promise<Result<PositionOnly>> {
    if (this.#open.size >= this.#max && !this.#open.has(id)) return refused(tooMany(this.#max));
    // The use case refuses it, and the person who follows it here must not be disturbed.
    const { positions } = this.#waiting;
    if (this.#isOthers(id, identity)) return positions.heartbeat(identity, id);
    // Taken before the heartbeat: otherwise many simultaneous messages would all pass the limit.
    const place = { identity, close() {} };
    this.#open.get(id)?.close();
    this.#open.set(id, place);
    let shown: Result<PositionOnly> | undefined;
    try {
      shown = await positions.heartbeat(identity, id);
      return shown;
    } finally {
      // A later message may have replaced or ended this one meanwhile.
      if (this.#open.get(id) === place) {
        const isTheirs = shown !== undefined && "value" in shown;
        if (isTheirs && !this.#isClosed) this.#open.set(id, this.#follow(identity, id));
        else this.#open.delete(id);
      }
    }
  }

  #follow(identity: Identity, id: string): AttendedPlace {
    const wire = this.#wire;
    const attended: AttendedPlace = { identity, close: () => following.close() };
    const subscriber = {
      pulse: (json: string) => wire.write(json),
      touched: () => void this.#send(attended.identity, id).catch(wire.onFault),
      get backlogBytes() {
        return wire.backlogBytes;
      },
    };
    const following = this.#waiting.follow(id, subscriber)!;
    return attended;
  }

  async #send(identity: Identity, id: string): Promise<void> {
    const shown = await this.#waiting.positions.get(identity, id);
    if ("value" in shown) this.#wire.write(JSON.stringify({ type: "position", ...shown.value }));
  }

  unattend(identity: Identity, id: string): void {
    if (!this.#isOthers(id, identity)) this.#letGo(id);
  }

  #isOthers(id: string, { by }: Identity): boolean {
    const attended = this.#open.get(id);
    return attended !== undefined && attended.identity.by !== by;
  }

  #letGo(id: string): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
  }

  /** Uses a newer token of this person from now on: otherwise following would end when the first one expires. */
  vouch(identity: Identity): void {
    for (const attended of this.#open.values())
      if (attended.identity.by === identity.by) attended.identity = identity;
  }

  /** AU5: a place followed with the token of a message must not outlive that person's tokens. */
  async renew(prover: Pick<Prover, "renew">): Promise<void> {
    for (const [id, attended] of [...this.#open]) {
      const { identity } = attended;
      const proof = await prover.renew(identity);
      const isCurrent = this.#open.get(id) === attended && attended.identity === identity;
      if (!("refusal" in proof) || !isCurrent) continue;
      this.#letGo(id);
      this.#wire.refuse({ ...proof.refusal, data: { position: { id } } });
    }
  }

  unattendAll(): void {
    for (const attended of this.#open.values()) attended.close();
    this.#open.clear();
  }

  /** Cannot be undone: otherwise a message whose token is verified later would follow a place that nothing releases. */
  close(): void {
    this.#isClosed = true;
    this.unattendAll();
  }
}

function tooMany(max: number): Refusal {
  return { code: "limit.watches", message: `One connection can follow ${max} places at most.` };
}
