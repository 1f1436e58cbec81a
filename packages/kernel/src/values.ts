/** Milliseconds since 1970, as the host's clock tells them. Time is always an argument here, never asked for. */
export type Millis = number & { readonly brand: "millis" };

/** Whoever asks: the subject of a token. 1 to 128 characters, none of them a control character. */
export type PersonId = string & { readonly brand: "person" };

/**
 * An id as one word of a text whose words are separated by spaces. Without this, `ann` with the key `lee 7` and `ann lee` with the key `7`
 * would be the same text. Ids do not begin with `@`, and roles have no `%`, so no other id is written like it.
 */
export function asWord(id: string): string {
  return id.includes(" ") ? `@${encodeURIComponent(id)}` : id;
}

/** The number of a place in its room: 1, 2, 3… in the order of entry, never reused. */
export type TicketNumber = number & { readonly brand: "ticket" };

/** Of each of two. */
export type Both<T> = readonly [T, T];

/** Of times at which something is to happen; undefined for never. */
export function earliest(...times: readonly (number | null | undefined)[]): Millis | undefined {
  const due = times.filter((time) => time !== null && time !== undefined);
  return due.length === 0 ? undefined : (Math.min(...due) as Millis);
}

/** An impossible state is a bug, and a bug stops the work in hand before it can be written down as truth. */
export function assert(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(`Impossible: ${sentence}.`);
}
