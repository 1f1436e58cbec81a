import { Openseat, OpenseatError } from "@openseat/client";
import { base } from "./base.ts";

/** The page's only client, so that all parts share one person and one connection. */
export const openseat: Openseat = new Openseat({ url: location.origin + base });

/** The message of an error for people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OpenseatError) return error.message;
  return "Something went wrong. Please try again.";
}

export function isNotFound(error: unknown): boolean {
  return (
    error instanceof OpenseatError &&
    (error.code === "room.not-found" || error.status === 404 || error.code === "input.invalid")
  );
}
