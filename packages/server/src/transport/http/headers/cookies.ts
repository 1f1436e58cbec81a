import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the browser connects over TLS, to this server or to a proxy in front of it. */
    readonly isSecure: boolean;
  }
}

/** A proxy may not forward the protocol, so the public address decides. */
export function knowSecure(app: FastifyInstance, publicUrl: string | undefined): void {
  const isPublicSecure = publicUrl?.startsWith("https:") === true;
  app.decorateRequest("isSecure", {
    getter() {
      return isPublicSecure || this.protocol === "https";
    },
  });
}

/** The value of a cookie. If several have this name, the first: browsers send the most specific path first. */
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
  readonly maxAgeSeconds: number;
  readonly isSecure: boolean;
}

/** For `Set-Cookie`. Scripts cannot read it, and forms of other sites do not send it. */
export function cookie(name: string, value: string, { path, maxAgeSeconds, isSecure }: CookieTerms): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
