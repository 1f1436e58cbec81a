import type { OpenseatError } from "../errors.ts";

interface UpdatesOf<Value, Shown> {
  /** Called at the first `next()`, so that an iterator that is never used costs nothing. Returns a function that stops. */
  readonly start: (push: (value: Value) => void, fail: (error: OpenseatError) => void) => () => void;
  /** Combines what a slow reader has missed with what is new, so that there is at most one unread value. */
  readonly merge: (missed: Value, value: Value) => Value;
  readonly show: (value: Value) => Shown;
}

type Waiter<Shown> = PromiseWithResolvers<IteratorResult<Shown, undefined>>;

/**
 * An async iterator over what a listener would be called with. `break` stops it. Not a generator: the `return()` of a
 * generator would wait for the next update.
 */
export class Updates<Value, Shown> implements AsyncIterableIterator<Shown, undefined> {
  readonly #of: UpdatesOf<Value, Shown>;
  #unread: { readonly value: Value } | undefined;
  readonly #waiting: Waiter<Shown>[] = [];
  #stop: (() => void) | undefined;
  #isOver = false;
  #error: OpenseatError | undefined;

  constructor(of: UpdatesOf<Value, Shown>) {
    this.#of = of;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Shown, undefined>> {
    const unread = this.#unread;
    if (unread) {
      this.#unread = undefined;
      return Promise.resolve({ done: false, value: this.#of.show(unread.value) });
    }
    if (this.#isOver) return this.#last();
    const waiter: Waiter<Shown> = resolvers();
    this.#waiting.push(waiter);
    this.#start();
    return waiter.promise;
  }

  return(): Promise<IteratorResult<Shown, undefined>> {
    this.#unread = undefined;
    this.#error = undefined;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the iteration after what is unread. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop?.();
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#last());
  }

  #start(): void {
    if (this.#stop) return;
    this.#stop = () => {};
    const stop = this.#of.start(
      (value) => this.#push(value),
      (error) => {
        this.#error = error;
        this.end();
      },
    );
    // It may have ended while it was starting.
    if (this.#isOver) stop();
    else this.#stop = stop;
  }

  #push(value: Value): void {
    if (this.#isOver) return;
    const waiter = this.#waiting.shift();
    if (waiter) waiter.resolve({ done: false, value: this.#of.show(value) });
    else this.#unread = { value: this.#unread ? this.#of.merge(this.#unread.value, value) : value };
  }

  /** An error is thrown once. */
  #last(): Promise<IteratorResult<Shown, undefined>> {
    const error = this.#error;
    this.#error = undefined;
    return error ? Promise.reject(error) : Promise.resolve({ done: true, value: undefined });
  }
}

/** `Promise.withResolvers`, which Node has from version 22. */
function resolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve!: PromiseWithResolvers<Value>["resolve"];
  let reject!: PromiseWithResolvers<Value>["reject"];
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
