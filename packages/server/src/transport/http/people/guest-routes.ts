import type { Refusal } from "@openseat/kernel";
import { Guest, GuestChanges, NewGuest } from "@openseat/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { isGuest } from "../../../app/identity.ts";
import type { TokenBuckets } from "../../../token-buckets.ts";
import type { Authenticator } from "../../auth/authenticator.ts";
import type { IsExempt } from "../../limits/exemptions.ts";
import { tooManyFromAddress } from "../../limits/refusals.ts";
import { send, sendRefusal, success } from "../envelope.ts";
import { route } from "../schemas.ts";

const Body = Type.Union([Type.Null(), NewGuest]);

const notAGuest: Refusal = {
  code: "auth.forbidden",
  message: "Only guests can change their name here. Your name comes from the site where you signed in.",
};

export function guestRoutes(
  app: FastifyInstance,
  authenticator: Authenticator,
  perAddress: TokenBuckets,
  isExempt: IsExempt,
): void {
  const waitSecondsFor = ({ identity, address }: FastifyRequest) =>
    isExempt(identity, address) ? 0 : perAddress.take(address);

  app.post(
    "/api/v1/guests",
    route({ access: "public", cost: 0 }, "becomeGuest", Guest, { body: Body }, 201),
    async (request, reply) => {
      if (authenticator.guestsRefusal) return sendRefusal(reply, authenticator.guestsRefusal);
      const waitSeconds = waitSecondsFor(request);
      if (waitSeconds > 0) return sendRefusal(reply, tooManyFromAddress("new guests", waitSeconds));
      const guest = authenticator.newGuest(request.body?.name?.trim());
      const answer = success(201, `Welcome, ${guest.person.name}.`, guest);
      return send(reply, { ...answer, location: "/api/v1/people/me" });
    },
  );

  app.patch(
    "/api/v1/guests/me",
    route({ access: ["person"], cost: 0 }, "renameGuest", Guest, { body: GuestChanges }),
    async (request, reply) => {
      const identity = request.identity!;
      if (!isGuest(identity)) return sendRefusal(reply, notAGuest);
      if (authenticator.guestsRefusal) return sendRefusal(reply, authenticator.guestsRefusal);
      const waitSeconds = waitSecondsFor(request);
      if (waitSeconds > 0) return sendRefusal(reply, tooManyFromAddress("new names", waitSeconds));
      const guest = authenticator.guest(identity.by, request.body.name.trim());
      return send(reply, success(200, `You are ${guest.person.name} now.`, guest));
    },
  );
}
