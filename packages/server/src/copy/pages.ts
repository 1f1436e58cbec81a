/** Rows of a page, and characters or bytes in it before it is handed on. One row alone may have more. */
export const pageLimits = { pageRowsMax: 2_000, pageCharactersMax: 4_000_000 } as const;
