import { invalidInput } from "./invalid-input.ts";

/** A cursor that this server did not issue. */
export const unknownCursor = invalidInput("query", "cursor", "must be the nextCursor of the previous page");

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** `found` has one item more than `limit` if there is another page. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (item: Item) => number | string,
): Page<Item> {
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? String(cursorOf(items[limit - 1])) : null };
}
