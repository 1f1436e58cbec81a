/** Milliseconds since 1970, from the host's clock. Time is always an argument; the kernel never reads a clock. */
export type Millis = number & { readonly brand: "millis" };

/** The subject of a token. 1 to 128 characters, no control characters. */
export type PersonId = string & { readonly brand: "person" };

/**
 * An id as one word of a space-separated text. Without this, `ann` with the key `lee 7` and `ann lee` with the key `7`
 * would give the same text. Ids do not begin with `@` and roles contain no `%`, so no other id is written like it.
 */
export function asWord(id: string): string {
  return id.includes(" ") ? `@${encodeURIComponent(id)}` : id;
}

/** The number of a place in its room: 1, 2, 3… in the order of entry, never reused. */
export type TicketNumber = number & { readonly brand: "ticket" };

/** A value for each of two. */
export type Both<T> = readonly [T, T];

/** The earliest of these times; undefined for never. */
export function earliest(...times: readonly (number | null | undefined)[]): Millis | undefined {
  const due = times.filter((time) => time !== null && time !== undefined);
  return due.length === 0 ? undefined : (Math.min(...due) as Millis);
}

/** An impossible state is a bug. Stop before it is written to the log. */
export function assert(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(`Impossible: ${sentence}.`);
}
