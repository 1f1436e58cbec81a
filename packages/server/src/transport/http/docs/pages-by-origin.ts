import type { Document } from "../documents.ts";

const originsMax = 8;
/** A page makes room for another when nobody has asked for it for that long. */
const keptMs = 60_000;

/**
 * One page per origin. Anyone can invent origins, and a page stays in memory until its slowest reader has it. So only a
 * few are made per minute; beyond that, readers get the page of the usual origin.
 */
export class PagesByOrigin {
  readonly #make: (origin: string) => Document;
  readonly #usualOrigin: string;
  readonly #now: () => number;
  /** The least recently used first. */
  readonly #pages = new Map<string, { readonly page: Document; readonly usedAt: number }>();
  #usual: Document | undefined;

  constructor(make: (origin: string) => Document, usualOrigin: string, now: () => number) {
    this.#make = make;
    this.#usualOrigin = usualOrigin;
    this.#now = now;
  }

  of(origin: string): Document {
    const known = this.#pages.get(origin)?.page;
    if (origin === this.#usualOrigin || (!known && !this.#hasRoom())) {
      this.#usual ??= this.#make(this.#usualOrigin);
      return this.#usual;
    }
    const page = known ?? this.#make(origin);
    this.#pages.delete(origin);
    this.#pages.set(origin, { page, usedAt: this.#now() });
    return page;
  }

  #hasRoom(): boolean {
    if (this.#pages.size < originsMax) return true;
    const [[oldest, { usedAt }]] = this.#pages;
    return this.#now() - usedAt >= keptMs && this.#pages.delete(oldest);
  }
}
