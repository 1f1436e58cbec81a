import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the visitor's browser speaks TLS: with this server, or with the proxy in front of it. */
    readonly isSecure: boolean;
  }
}

/** A proxy that ends TLS may not tell how the request came; the public address does. */
export function knowSecure(app: FastifyInstance, publicUrl: string | undefined): void {
  const isPublicSecure = publicUrl?.startsWith("https:") === true;
  app.decorateRequest("isSecure", {
    getter() {
      return isPublicSecure || this.protocol === "https";
    },
  });
}

/** The value of a cookie. Of several with this name, the first: browsers send the nearest first. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

export interface CookieTerms {
  readonly path: string;
  /** 0 takes the cookie back. */
  readonly maxAgeSeconds: number;
  readonly isSecure: boolean;
}

/** For `Set-Cookie`. No script can read it, and no other site's form sends it along. */
export function cookie(name: string, value: string, { path, maxAgeSeconds, isSecure }: CookieTerms): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
