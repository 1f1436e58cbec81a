import type { OpenseatError } from "@openseat/client";
import { useSyncExternalStore } from "react";

/** What every hook has. */
export interface Shared {
  /** Why the last action or the watch was refused. */
  readonly error: OpenseatError | undefined;
  /** Whether nothing was received yet. True while rendering on a server. */
  readonly isLoading: boolean;
}

export const nothingYet: Shared = { error: undefined, isLoading: true };

/** Returns a function that stops. */
type Start = () => () => void;

/**
 * Data outside React: it starts with the first component that is mounted and stops with the last. Creating one does nothing,
 * because React may render without mounting: on a server, twice in StrictMode, or in a tree that it throws away.
 */
export class Store<Seen extends Shared> {
  readonly initial: Seen;
  readonly #start: Start;
  readonly #listeners = new Set<() => void>();
  #seen: Seen;
  #watchError: OpenseatError | undefined;
  #actionError: OpenseatError | undefined;
  #stop: (() => void) | undefined;

  constructor(initial: Seen, start: (store: Store<Seen>) => () => void) {
    this.initial = initial;
    this.#seen = initial;
    this.#start = () => start(this);
  }

  get isStarted(): boolean {
    return this.#stop !== undefined;
  }

  readonly get = (): Seen => this.#seen;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#stop ??= this.#start();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  };

  set(change: Partial<Omit<Seen, "error">>): void {
    this.#seen = { ...this.#seen, ...change, error: this.#actionError ?? this.#watchError };
    for (const listener of [...this.#listeners]) listener();
  }

  /** What was received. The error of an action stays until the next action: a change in the room must not hide it. */
  receive(change: Partial<Omit<Seen, "error">>): void {
    this.#watchError = undefined;
    this.set({ ...change, isLoading: false });
  }

  /** Receiving has failed. */
  readonly fail = (error: unknown): void => {
    this.#watchError = error as OpenseatError;
    this.set({ isLoading: false } as Partial<Seen>);
  };

  /** Runs an action. It never rejects, so that it can be an event handler: the refusal is in `error`. */
  async act<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work();
      this.#actionError = undefined;
      return result;
    } catch (error) {
      this.#actionError = error as OpenseatError;
      return undefined;
    } finally {
      // Still loading if nothing was received: without data there is nothing to render.
      this.set({});
    }
  }
}

export function useStore<Seen extends Shared>({ subscribe, get, initial }: Store<Seen>): Seen {
  return useSyncExternalStore(subscribe, get, () => initial);
}
