import type { IncomingMessage, ServerResponse } from "node:http";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";

export interface WaitingRoom {
  /** The public address of Openseat, such as `https://wait.example`. */
  readonly openseat: string;
  /** The issuer of its tokens: its setting `publicUrl`, or `openseat` when that is not set. */
  readonly issuer: string;
  readonly queue: string;
  /** Openseat's service key. It stays on this server. */
  readonly serviceKey: string;
  /** The public address of this site, such as `https://shop.example`. Not taken from the Host header, which clients can forge. */
  readonly site: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const cookieName = "openseat_session";
const tokenParameter = "openseat_token";
const answerMsMax = 5_000;

/** Calls `handler` only for visitors with a session of the queue, and sends everyone else to wait. */
export function behindWaitingRoom(room: WaitingRoom, handler: Handler): Handler {
  // Cached, so that requests of visitors need no call. An unknown key id fetches the keys again.
  const keys = createRemoteJWKSet(new URL(`${room.openseat}/.well-known/jwks.json`), {
    timeoutDuration: answerMsMax,
    cooldownDuration: 2_000,
  });
  const claimsOf = (token: string, use: "admission" | "session") => check(token, use, room, keys);

  return async (request, response) => {
    const address = addressOf(request, room);
    if (!address) return say(response, 400, "This is not an address of this site.");
    try {
      const cookie = cookieOf(request);
      const session = cookie && (await claimsOf(cookie, "session"));
      const token = address.searchParams.get(tokenParameter);
      dropToken(address);
      if (session && token === null) {
        endWhenTold(response, room, session);
        return await handler(request, response);
      }
      if (session) return goTo(response, address.href);
      const claimed =
        token !== null && (await claimsOf(token, "admission")) ? await claim(room, token) : undefined;
      if (!claimed) return goTo(response, waitingPage(room, address));
      response.setHeader("Set-Cookie", sessionCookie(room, claimed));
      goTo(response, address.href);
    } catch (error) {
      if (!(error instanceof OpenseatUnreachable)) throw error;
      console.error(error);
      response.setHeader("Retry-After", "5");
      say(response, 503, "We cannot check your place in the line right now. Please reload in a moment.");
    }
  };
}

/** Openseat does not answer. Visitors keep their place and can try again. */
class OpenseatUnreachable extends Error {
  override readonly name = "OpenseatUnreachable";
}

/** The claims of a valid token: signed by Openseat, for this queue, and not expired. */
async function check(
  token: string,
  use: "admission" | "session",
  { issuer, queue }: WaitingRoom,
  keys: ReturnType<typeof createRemoteJWKSet>,
): Promise<JWTPayload | undefined> {
  try {
    const terms = { algorithms: ["EdDSA"], issuer, audience: queue };
    const { payload, protectedHeader } = await jwtVerify(token, keys, terms);
    // Reject `crit`: it demands extensions that this site does not support (RFC 7515, 4.1.11).
    return payload.use === use && !("crit" in protectedHeader) ? payload : undefined;
  } catch (error) {
    if (isAboutTheToken(error)) return undefined;
    throw new OpenseatUnreachable("Cannot fetch the keys of Openseat.", { cause: error });
  }
}

/** Whether the token is invalid, as opposed to the keys being unavailable. */
function isAboutTheToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code;
}

/** Starts the session; undefined if the place has expired. Repeating the request returns the same session. */
async function claim(room: WaitingRoom, token: string): Promise<string | undefined> {
  const answer = await ask(room, "/api/v1/sessions", { token, queue: room.queue });
  if (answer.status >= 500 || answer.status === 429)
    throw new OpenseatUnreachable(`Openseat answered the claim with ${answer.status}.`);
  if (!answer.ok) return undefined;
  const { data } = (await answer.json()) as { data: { session: { token: string } } };
  return data.session.token;
}

/**
 * The site ends a session early with `response.setHeader("Openseat-Session", "complete")`, so that the next in line does
 * not have to wait for the timeout. Headers passed to `writeHead` are not looked at.
 */
function endWhenTold(response: ServerResponse, room: WaitingRoom, { sid }: JWTPayload): void {
  const writeHead = response.writeHead;
  // Node also calls this just before it sends the headers set with `setHeader`.
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    response.writeHead = writeHead;
    if (response.getHeader("Openseat-Session") === "complete") {
      response.removeHeader("Openseat-Session");
      response.appendHeader("Set-Cookie", sessionCookie(room, ""));
      void end(room, String(sid));
    }
    return response.writeHead(...given);
  }) as typeof writeHead;
}

/** Runs in the background. If it fails, the session ends by its timeout. */
async function end(room: WaitingRoom, session: string): Promise<void> {
  try {
    const answer = await ask(room, `/api/v1/sessions/${encodeURIComponent(session)}/complete`);
    if (!answer.ok) console.error(`Openseat answered the end of a session with ${answer.status}.`);
  } catch (error) {
    console.error(error);
  }
}

async function ask(room: WaitingRoom, path: string, body?: object): Promise<Response> {
  try {
    return await fetch(room.openseat + path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${room.serviceKey}`,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMsMax),
    });
  } catch (error) {
    throw new OpenseatUnreachable("Openseat does not answer.", { cause: error });
  }
}

/** The full requested address. Concatenated, because `//elsewhere.example` is a path here and not another site. */
function addressOf({ url = "" }: IncomingMessage, { site }: WaitingRoom): URL | null {
  return url.startsWith("/") ? URL.parse(site + url) : null;
}

/** Removes the parameter from the text, because `searchParams` would re-encode all others. */
function dropToken(address: URL): void {
  const parts = address.search.slice(1).split("&");
  address.search = parts.filter((part) => !part.startsWith(`${tokenParameter}=`)).join("&");
}

function waitingPage({ openseat, queue }: WaitingRoom, address: URL): string {
  return `${openseat}/wait/${queue}?return=${encodeURIComponent(address.href)}`;
}

function cookieOf({ headers }: IncomingMessage): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

/** Has no expiry of its own, because the token in it has one. An empty cookie is deleted. */
function sessionCookie({ site }: WaitingRoom, token: string): string {
  const parts = [`${cookieName}=${token}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  if (site.startsWith("https:")) parts.push("Secure");
  if (token === "") parts.push("Max-Age=0");
  return parts.join("; ");
}

function goTo(response: ServerResponse, address: string): void {
  response.writeHead(303, { Location: address, "Cache-Control": "no-store" }).end();
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
  response.end(`${sentence}\n`);
}
