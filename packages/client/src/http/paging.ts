export interface PageQuery {
  /** `nextCursor` of the previous page. */
  readonly cursor?: string;
  /** 1 to 500; default 50. */
  readonly limit?: number;
}

/** A page of a list; `nextCursor` is null on the last. */
export type Page<Name extends string, Item> = { readonly [name in Name]: readonly Item[] } & {
  readonly nextCursor: string | null;
};
