import type { Refusal } from "@openseat/kernel";
import { Guest, GuestChanges, NewGuest } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import type { PerMinute } from "./address-limits.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { isGuest } from "./auth/identity.ts";
import { send, sendRefusal, success } from "./envelope.ts";
import { schema } from "./schemas.ts";

/** A guest may say nothing at all about themselves. */
const Body = Type.Union([Type.Null(), NewGuest]);

const notAGuest: Refusal = {
  code: "auth.forbidden",
  message: "Only guests of this server are renamed here; your name comes from whoever issued your token.",
};

function tooMany(what: string): Refusal {
  const message = `Too many ${what} from this address just now. Please try again in a minute.`;
  return { code: "limit.address", message, retryable: true, retryAfterSeconds: 60 };
}

export function guestRoutes(app: FastifyInstance, authenticator: Authenticator, perAddress: PerMinute): void {
  app.post<{ Body: Static<typeof Body> }>(
    "/api/v1/guests",
    { config: { access: "public" }, schema: schema("Become a guest", { body: Body }, 201, Guest) },
    async (request, reply) => {
      if (!perAddress.take(request.ip)) return sendRefusal(reply, tooMany("guests"));
      const guest = authenticator.newGuest(request.body?.name?.trim());
      return send(reply, success(201, `Welcome, ${guest.person.name}.`, guest));
    },
  );

  app.patch<{ Body: GuestChanges }>(
    "/api/v1/guests/me",
    {
      config: { access: ["person"] },
      schema: schema("Take another name, as a guest", { body: GuestChanges }, 200, Guest),
    },
    async (request, reply) => {
      const identity = request.identity!;
      if (!isGuest(identity)) return sendRefusal(reply, notAGuest);
      if (!perAddress.take(request.ip)) return sendRefusal(reply, tooMany("new names"));
      const guest = authenticator.guest(identity.by, request.body.name.trim());
      return send(reply, success(200, `You are ${guest.person.name} now.`, guest));
    },
  );
}
