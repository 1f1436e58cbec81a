import type { Refusal } from "@openseat/kernel";
import { type Result, refused } from "../../app/result.ts";

/** Longer than any browser's address bar is of use for; past it the address is not one of ours. */
const returnLengthMax = 2_000;

/** Where someone goes once they are in. */
export interface Destination {
  /** As it goes into `Location`: a path on this host, or a whole address elsewhere. Nothing but ASCII. */
  readonly address: string;
  /** On another origin no cookie of ours is sent: it has to be shown a token. */
  readonly isElsewhere: boolean;
}

const notAllowed: Refusal = {
  code: "return.not-allowed",
  message: "This address to return to is not one that the waiting room sends people to.",
};

/**
 * Where to send someone: the address that was asked for, if it is one of `allowed` or lies below one; the first of them
 * when none was asked for; nowhere when there are none. `here` is the origin of the waiting page.
 */
export function destinationOf(
  wanted: unknown,
  allowed: readonly string[],
  here: string,
): Result<Destination | undefined> {
  const entries = allowed.map((entry) => parsed(entry, here)).filter((entry) => entry !== undefined);
  if (wanted === undefined) return { value: entries[0] && destination(entries[0], here) };
  if (typeof wanted !== "string" || wanted.length > returnLengthMax) return refused(notAllowed);
  const url = parsed(wanted, here);
  if (!url || !entries.some((entry) => isWithin(url, entry))) return refused(notAllowed);
  return { value: destination(url, here) };
}

/** Whether a path may be handed on as the address to return to; whether it is allowed is for the waiting page to say. */
export function isReturnable(path: string): boolean {
  return path.length <= returnLengthMax && parsed(path, "http://localhost") !== undefined;
}

/** Undefined for whatever a browser might take for another address than we do. */
function parsed(text: string, here: string): URL | undefined {
  // Browsers leave out control characters and read a backslash as a slash: `/\evil` would be another host.
  if (/[^\x21-\u{10ffff}]|[\\\x7f]/u.test(text) || !/^(?:https?:\/\/|\/(?!\/))/i.test(text)) return undefined;
  if (!URL.canParse(text, here)) return undefined;
  const url = new URL(text, here);
  if (url.username !== "" || url.password !== "") return undefined;
  // What was left of `/.//evil` is the address of another host.
  return url.pathname.startsWith("//") ? undefined : url;
}

function destination(url: URL, here: string): Destination {
  const isElsewhere = url.origin !== here;
  return { address: isElsewhere ? url.href : url.pathname + url.search + url.hash, isElsewhere };
}

function isWithin(url: URL, entry: URL): boolean {
  if (url.origin !== entry.origin) return false;
  // Some servers read these as slashes, and would then walk up with `..`.
  const plain = url.pathname.replace(/%2f|%5c/gi, "/");
  return isBelow(url.pathname, entry.pathname) && isBelow(new URL(plain, entry).pathname, entry.pathname);
}

/** `/shop` and what lies below it; not `/shopping`. */
function isBelow(path: string, entry: string): boolean {
  return path === entry || path.startsWith(entry.endsWith("/") ? entry : `${entry}/`);
}
