import type { Storage } from "../identity/storage.ts";

/** A person's place in a queue, as this device remembers it. */
export interface StoredPlace {
  readonly person: string;
  readonly id: string;
  /** The admission token. Claiming it again returns the session, also after it has expired. */
  readonly token?: string | undefined;
}

/** Remembers places beside the guest, so that a reload keeps them. */
export class StoredPlaces {
  readonly #storage: Storage;
  readonly #prefix: string;

  constructor(storage: Storage, url: string) {
    this.#storage = storage;
    this.#prefix = `openseat.place ${url} `;
  }

  /** The place of this person; undefined if another person was here before. */
  of(queue: string, person: string | undefined): StoredPlace | undefined {
    try {
      const stored = JSON.parse(this.#storage.get(this.#prefix + queue) ?? "null") as StoredPlace;
      return stored.person === person && typeof stored.id === "string" ? stored : undefined;
    } catch {
      return undefined;
    }
  }

  keep(queue: string, place: StoredPlace): void {
    this.#storage.set(this.#prefix + queue, JSON.stringify(place));
  }

  /** Forgets this place, but not another one that was entered since. */
  forget(queue: string, { person, id }: StoredPlace): void {
    if (this.of(queue, person)?.id === id) this.#storage.remove(this.#prefix + queue);
  }
}
