/** Calls of one kind to the thread of the log: a few at a time are with the thread, and the others wait here, in order. */
export class CallQueue<Call extends { readonly id: number }> {
  readonly #atOnceMax: number;
  readonly #send: (call: Call) => void;
  readonly #underWay = new Set<number>();
  #queued: Call[] = [];
  /** Where the queue begins: `shift` would move all that wait, for each that is sent. */
  #next = 0;

  constructor(atOnceMax: number, send: (call: Call) => void) {
    this.#atOnceMax = atOnceMax;
    this.#send = send;
  }

  push(call: Call): void {
    this.#queued.push(call);
    this.#sendNext();
  }

  /** To be told of every answer; those to calls of other kinds are ignored. */
  answered(id: number): void {
    if (this.#underWay.delete(id)) this.#sendNext();
  }

  #sendNext(): void {
    while (this.#underWay.size < this.#atOnceMax && this.#next < this.#queued.length) {
      const call = this.#queued[this.#next++];
      this.#underWay.add(call.id);
      this.#send(call);
    }
    if (this.#next > 1_000 && this.#next * 2 > this.#queued.length) {
      this.#queued = this.#queued.slice(this.#next);
      this.#next = 0;
    }
  }
}
