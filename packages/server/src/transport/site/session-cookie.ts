import type { Session } from "@openseat/protocol";
import type { FastifyRequest } from "fastify";
import { cookie, cookieOf } from "../http/headers/cookies.ts";

function nameOf(queue: string): string {
  return `openseat_session_${queue}`;
}

export function sessionCookieOf(
  { isSecure }: FastifyRequest,
  queue: string,
  { id, endTime }: Session,
  now: number,
): string {
  const maxAgeSeconds = Math.max(0, Math.ceil((Date.parse(endTime!) - now) / 1000));
  return cookie(nameOf(queue), id, { path: "/", maxAgeSeconds, isSecure });
}

export function noSessionCookie({ isSecure }: FastifyRequest, queue: string): string {
  return cookie(nameOf(queue), "", { path: "/", maxAgeSeconds: 0, isSecure });
}

/** From the header of a proxy or program that asks for a browser, or from the cookie. */
export function sessionIdIn({ headers }: FastifyRequest, queue: string): string | undefined {
  const given = headers["x-openseat-session"];
  return typeof given === "string" ? given : cookieOf(headers.cookie, nameOf(queue));
}
