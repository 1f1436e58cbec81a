import type { GateRequest } from "./request.ts";

/** The query parameter in which the waiting page passes the proof of admission. */
const tokenName = "openseat_token";
/** Openseat refuses longer return addresses. */
const returnLengthMax = 2_000;

export interface Target {
  /** As it was sent, without the query. */
  readonly path: string;
  /** The value of the last token in the query, which is the one that the waiting page added; undefined if there is none. */
  readonly token: string | undefined;
  /** The public address without any token. */
  readonly address: string;
}

/** Undefined if the request is not for an address of this site. */
export function targetOf({ url }: Pick<GateRequest, "url">, site: URL): Target | undefined {
  const asked = url.startsWith("/") ? split(url) : splitFull(url);
  if (!asked) return undefined;
  const { path, query } = asked;
  const fields = query === "" ? [] : query.split("&");
  const token = fields.findLast(isToken);
  const rest = fields.filter((field) => !isToken(field)).join("&");
  // Concatenated, because `//elsewhere.example` is a path here and not another site.
  const full = rootOf(site) + path + (rest === "" ? "" : `?${rest}`);
  if (!URL.canParse(full)) return undefined;
  return { path, token: token && (valueIn(token) ?? ""), address: hrefOf(new URL(full)) };
}

/** Where people return to from the waiting page. Openseat decides whether it is allowed. */
export function returnAddressOf(
  request: GateRequest,
  target: Target,
  terms: { readonly site: URL; readonly home: string; readonly isApiCall: boolean },
): string {
  const { site, home, isApiCall } = terms;
  const isPage = !isApiCall && (request.method === "GET" || request.method === "HEAD");
  // A script's address, or that of a form, is not a page to return to.
  const wanted = isPage ? target.address : pageBefore(request, site);
  return wanted !== undefined && isReturnable(wanted) ? wanted : home;
}

export function homeOf(site: URL, mount: string): string {
  return new URL(rootOf(site) + mount).href;
}

function pageBefore({ headers }: GateRequest, site: URL): string | undefined {
  const referer = headers.get("referer");
  if (!referer || !URL.canParse(referer)) return undefined;
  const { origin, pathname, search } = new URL(referer);
  const root = site.pathname.replace(/\/$/, "");
  if (origin !== site.origin || !pathname.startsWith(`${root}/`)) return undefined;
  return targetOf({ url: pathname.slice(root.length) + search }, site)?.address;
}

/** Openseat refuses an address whose path could be read as another host. */
function isReturnable(address: string): boolean {
  return address.length <= returnLengthMax && !new URL(address).pathname.startsWith("//");
}

function rootOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, "");
}

function split(url: string): { path: string; query: string } {
  const [whole] = url.split("#", 1);
  const mark = whole.indexOf("?");
  return mark < 0 ? { path: whole, query: "" } : { path: whole.slice(0, mark), query: whole.slice(mark + 1) };
}

function splitFull(url: string): { path: string; query: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, pathname, search } = new URL(url);
  return /^https?:$/.test(protocol) ? { path: pathname, query: search.slice(1) } : undefined;
}

/** In any encoding of the name, because the site would decode it. */
function isToken(field: string): boolean {
  const equals = field.indexOf("=");
  const name = equals < 0 ? field : field.slice(0, equals);
  if (name === tokenName) return true;
  if (!name.includes("%")) return false;
  try {
    return decodeURIComponent(name) === tokenName;
  } catch {
    return false;
  }
}

function valueIn(field: string): string | undefined {
  const equals = field.indexOf("=");
  return equals < 0 ? undefined : field.slice(equals + 1);
}

/** Backslashes are allowed in a query, but browsers and Openseat may read them as slashes. */
function hrefOf(url: URL): string {
  return url.href.replaceAll("\\", "%5C");
}
