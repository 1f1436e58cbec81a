/** Where the client stores its guest. */
export interface Storage {
  get(key: string): string | null | undefined;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** The browser's storage, if there is one. Does not touch Node's `localStorage`, which prints a warning. */
export function browserStorage(): Storage | undefined {
  if (typeof document === "undefined") return undefined;
  return {
    get: (key) => localStorage.getItem(key),
    set: (key, value) => localStorage.setItem(key, value),
    remove: (key) => localStorage.removeItem(key),
  };
}

/** Never throws. If the browser blocks storage, memory is used for this visit. */
export class SafeStorage implements Storage {
  readonly #outer: Storage | undefined;
  readonly #memory = new Map<string, string>();

  constructor(outer: Storage | undefined) {
    this.#outer = outer;
  }

  get(key: string): string | undefined {
    return this.#tried((outer) => outer.get(key)) ?? this.#memory.get(key);
  }

  set(key: string, value: string): void {
    this.#memory.set(key, value);
    this.#tried((outer) => outer.set(key, value));
  }

  remove(key: string): void {
    this.#memory.delete(key);
    this.#tried((outer) => outer.remove(key));
  }

  #tried<Result>(use: (outer: Storage) => Result): Result | undefined {
    try {
      return this.#outer && use(this.#outer);
    } catch {
      return undefined;
    }
  }
}
