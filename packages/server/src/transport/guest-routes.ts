import { Guest, NewGuest } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import type { PerMinute } from "./address-limits.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { send, sendRefusal, success } from "./envelope.ts";
import { schema } from "./schemas.ts";

/** A guest may say nothing at all about themselves. */
const Body = Type.Union([Type.Null(), NewGuest]);

export function guestRoutes(app: FastifyInstance, authenticator: Authenticator, perAddress: PerMinute): void {
  app.post<{ Body: Static<typeof Body> }>(
    "/api/v1/guests",
    { config: { access: "public" }, schema: schema("Become a guest", { body: Body }, 201, Guest) },
    async (request, reply) => {
      if (!perAddress.take(request.ip)) {
        return sendRefusal(reply, {
          code: "limit.address",
          message: "Too many guests from this address just now. Please try again in a minute.",
          retryable: true,
          retryAfterSeconds: 60,
        });
      }
      const name = request.body?.name?.trim() ?? "Guest";
      return send(reply, success(201, `Welcome, ${name}.`, authenticator.newGuest(name)));
    },
  );
}
