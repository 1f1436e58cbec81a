import type { Refusal } from "@openseat/kernel";
import { Failure, Id } from "@openseat/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Identity } from "../../app/identity.ts";
import type { Sessions } from "../../app/queues/sessions.ts";
import { about } from "../http/docs/operations.ts";
import { isServerError, sendRefusal } from "../http/envelope.ts";
import { noSessionCookie, sessionCookieOf, sessionIdIn } from "../site/session-cookie.ts";
import { tokenIn } from "../site/token-in-address.ts";
import { originalAddress, waitAddress } from "./original-address.ts";

type WithQueue = { Params: { queue: string } };

const params = Type.Object({ queue: Id });
const response = {
  204: Type.Null({ description: "Let them in." }),
  "4xx": Failure,
  "5xx": Failure,
};

/** The gate claims on behalf of the bearer of the token, which was given only to the person it names. */
const gatekeeper: Identity = { role: "service", by: "@gate" };

export interface GateDeps {
  readonly sessions: Sessions;
  readonly publicUrl: string | undefined;
  readonly now: () => number;
}

/** AD9: a cheap check for each request of a site, suitable for nginx's `auth_request`. */
export function gateRoutes(app: FastifyInstance, { sessions, publicUrl, now }: GateDeps): void {
  const refuse = (request: FastifyRequest<WithQueue>, reply: FastifyReply) => {
    const address = waitAddress(request, request.params.queue, publicUrl);
    return sendRefusal(reply.header("openseat-wait", address), noSession);
  };
  app.get<WithQueue>(
    "/gate/:queue",
    {
      config: { access: "public", isBegun: true },
      schema: {
        ...about("checkVisitor"),
        params,
        response,
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      const { queue } = request.params;
      const id = sessionIdIn(request, queue);
      if (id !== undefined) {
        const found = await sessions.gate(queue, id);
        if ("refusal" in found) return sendRefusal(reply, found.refusal);
        if (found.value) return reply.code(204).send();
      }
      const token = tokenIn(originalAddress(request) ?? "");
      if (token === undefined) return refuse(request, reply);
      const claimed = await sessions.claim(gatekeeper, { token, queue });
      if ("refusal" in claimed)
        return isServerError(claimed.refusal) ? sendRefusal(reply, claimed.refusal) : refuse(request, reply);
      reply.header("set-cookie", sessionCookieOf(request, queue, claimed.value.session, now()));
      return reply.code(204).send();
    },
  );

  app.post<WithQueue>(
    "/gate/:queue/complete",
    {
      config: { access: "public", isBegun: true, cost: 0 },
      schema: {
        ...about("completeVisit"),
        params,
        response,
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      const { queue } = request.params;
      if (request.headers["sec-fetch-site"] === "cross-site") return sendRefusal(reply, fromElsewhere);
      const id = sessionIdIn(request, queue);
      if (id === undefined) return refuse(request, reply);
      const found = await sessions.gate(queue, id);
      if ("refusal" in found) return sendRefusal(reply, found.refusal);
      if (!found.value) return refuse(request, reply);
      const completed = await sessions.complete({ role: "person", by: found.value.person }, id);
      if ("refusal" in completed && isServerError(completed.refusal))
        return sendRefusal(reply, completed.refusal);
      reply.header("set-cookie", noSessionCookie(request, queue));
      return "refusal" in completed ? refuse(request, reply) : reply.code(204).send();
    },
  );
}

const noSession: Refusal = {
  code: "session.missing",
  message: "You have no session here. Enter the waiting room at the address in the Openseat-Wait header.",
};

const fromElsewhere: Refusal = {
  code: "auth.forbidden",
  message: "Another site cannot end this visit.",
};
