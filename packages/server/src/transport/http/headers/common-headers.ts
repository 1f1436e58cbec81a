import type { HeaderLine } from "../envelope.ts";

/**
 * HT1: every answer has these. What is not said to be the same for all is not for caches: it may hold a token or somebody's
 * place. A route that knows better overrides it.
 */
export const commonHeaders: readonly HeaderLine[] = [
  ["x-content-type-options", "nosniff"],
  ["cache-control", "no-store"],
];
