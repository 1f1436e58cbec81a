import { FairFifo } from "../../fair-fifo.ts";

/**
 * Calls to the log's thread that it gets a few of at a time. The others wait here, and methods take turns: a thousand lists that
 * are asked for must not keep a room from being loaded.
 */
export class CallQueue<Call extends { readonly id: number; readonly method: string }> {
  readonly #atOnceMax: number;
  readonly #send: (call: Call) => void;
  readonly #underWay = new Set<number>();
  readonly #waiting = new FairFifo<Call>();

  constructor(atOnceMax: number, send: (call: Call) => void) {
    this.#atOnceMax = atOnceMax;
    this.#send = send;
  }

  push(call: Call): void {
    this.#waiting.push(call.method, call);
    this.#sendNext();
  }

  /** Call it with every answer; answers to calls of other kinds are ignored. */
  answered(id: number): void {
    if (this.#underWay.delete(id)) this.#sendNext();
  }

  #sendNext(): void {
    while (this.#underWay.size < this.#atOnceMax) {
      const call = this.#waiting.shift();
      if (!call) return;
      this.#underWay.add(call.id);
      this.#send(call);
    }
  }
}
