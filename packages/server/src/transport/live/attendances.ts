import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../auth/identity.ts";
import { type Answer, failure, success } from "../envelope.ts";
import type { WaitingRooms } from "../queues/waiting-rooms.ts";

/** The connection, as far as following a place needs it. */
interface Wire {
  write(text: string): void;
  readonly backlogBytes: number;
  readonly onFault: (error: unknown) => void;
}

/** The places in lines that one connection follows. */
export class Attendances {
  readonly #waiting: WaitingRooms;
  readonly #wire: Wire;
  readonly #max: number;
  readonly #open = new Map<string, { close(): void }>();
  #isClosed = false;

  constructor(waiting: WaitingRooms, wire: Wire, max: number) {
    this.#waiting = waiting;
    this.#wire = wire;
    this.#max = max;
  }

  /** Answers the position, and sends it again whenever something happens to it; between, the pulse of the line. */
  async attend(identity: Identity, id: string): Promise<Answer> {
    if (this.#open.size >= this.#max && !this.#open.has(id)) return failure(tooMany(this.#max));
    // The place is taken before the wait: many in one breath would all find room.
    const place = { close() {} };
    this.#open.get(id)?.close();
    this.#open.set(id, place);
    let answer: Answer | undefined;
    try {
      answer = await this.#waiting.positions.heartbeat(identity, id);
      return answer;
    } finally {
      // Unattended, attended anew or disconnected meanwhile: whoever came last has the say.
      if (this.#open.get(id) === place) {
        if (answer?.status === 200 && !this.#isClosed) this.#open.set(id, this.#follow(identity, id));
        else this.#open.delete(id);
      }
    }
  }

  #follow(identity: Identity, id: string): { close(): void } {
    const wire = this.#wire;
    const attendant = {
      pulse: (json: string) => wire.write(json),
      touched: () => void this.#send(identity, id).catch(wire.onFault),
      get backlogBytes() {
        return wire.backlogBytes;
      },
    };
    return this.#waiting.follow(id, attendant)!;
  }

  async #send(identity: Identity, id: string): Promise<void> {
    const { status, body } = await this.#waiting.positions.get(identity, id);
    if (status !== 200) return;
    this.#wire.write(JSON.stringify({ type: "position", ...(body as { data: object }).data }));
  }

  unattend(id: string): Answer {
    this.#open.get(id)?.close();
    this.#open.delete(id);
    return success(200, "You no longer follow this place here.", { position: { id } });
  }

  unattendAll(): void {
    for (const attendance of this.#open.values()) attendance.close();
    this.#open.clear();
  }

  /** For good: a message whose token is proved only later must not hold a place that nobody would let go of. */
  close(): void {
    this.#isClosed = true;
    this.unattendAll();
  }
}

function tooMany(max: number): Refusal {
  return { code: "limit.watches", message: `One connection can follow ${max} places at most.` };
}
