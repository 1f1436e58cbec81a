export interface Timed {
  readonly at: number;
  /** Breaks ties between steps of the same moment. */
  readonly order: number;
}

const isBefore = (a: Timed, b: Timed) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Future steps, next first. A heap, because a large world has tens of thousands. */
export class StepQueue<Step extends Timed> {
  readonly #heap: Step[] = [];

  push(step: Step): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!isBefore(step, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = step;
  }

  pop(): Step | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first;
  }

  /** Starts at the top, which is free. */
  #sink(step: Step): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], step)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = step;
  }
}
