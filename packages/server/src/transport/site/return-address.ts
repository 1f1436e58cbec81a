import type { Refusal } from "@openseat/kernel";
import { type Result, refused } from "../../app/result.ts";

const returnLengthMax = 2_000;

export interface Destination {
  /** For `Location`: a path on this host, or a full address elsewhere. ASCII. */
  readonly address: string;
  /** Another origin does not receive our cookies, and needs a token. */
  readonly isElsewhere: boolean;
}

const notAllowed: Refusal = {
  code: "return.not-allowed",
  message: "The return address is not allowed by this waiting room.",
};

/**
 * `wanted`, if it is listed in `allowed` or below a listed address; the first of them by default. `here` is the origin of the
 * waiting page.
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

/** Whether a path can be a return address. The waiting page checks whether it is allowed. */
export function isReturnable(path: string): boolean {
  return path.length <= returnLengthMax && parsed(path, "http://localhost") !== undefined;
}

/** Undefined for text that a browser might read as a different address. */
function parsed(text: string, here: string): URL | undefined {
  // Browsers drop control characters and read a backslash as a slash: `/\evil` would be another host.
  if (/[^\x21-\u{10ffff}]|[\\\x7f]/u.test(text) || !/^(?:https?:\/\/|\/(?!\/))/i.test(text)) return undefined;
  if (!URL.canParse(text, here)) return undefined;
  const url = new URL(text, here);
  if (url.username !== "" || url.password !== "") return undefined;
  // `/.//evil` becomes the address of another host.
  return url.pathname.startsWith("//") ? undefined : url;
}

function destination(url: URL, here: string): Destination {
  const isElsewhere = url.origin !== here;
  return { address: isElsewhere ? url.href : url.pathname + url.search + url.hash, isElsewhere };
}

function isWithin(url: URL, entry: URL): boolean {
  if (url.origin !== entry.origin) return false;
  // Some servers decode these to slashes and then resolve `..`.
  const plain = url.pathname.replace(/%2f|%5c/gi, "/");
  return isBelow(url.pathname, entry.pathname) && isBelow(new URL(plain, entry).pathname, entry.pathname);
}

/** `/shop` contains `/shop/cart`, but not `/shopping`. */
function isBelow(path: string, entry: string): boolean {
  return path === entry || path.startsWith(entry.endsWith("/") ? entry : `${entry}/`);
}
