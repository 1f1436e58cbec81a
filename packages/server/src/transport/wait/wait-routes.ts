import type { Refusal } from "@openseat/kernel";
import type { FastifyError, FastifyInstance } from "fastify";
import type { WaitingRooms } from "../../app/queues/waiting-rooms.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { refusalOf } from "../http/errors.ts";
import type { ConcurrencyLimit } from "../limits/concurrency.ts";
import { assetRoute } from "./asset-route.ts";
import { moveRoutes } from "./move-routes.ts";
import { WaitPages } from "./page-routes.ts";
import { fail, type PageRequest } from "./pages.ts";
import { stateRoute } from "./state-route.ts";
import { streamRoute } from "./stream-route.ts";
import { Visits } from "./visits.ts";
import { isForeignForm } from "./whence.ts";

const limits = {
  /** A form holds one short code. */
  formBytesMax: 4_096,
  /** Codes that one address may try in a minute. */
  codesPerAddressMax: 10,
} as const;

export interface WaitParts {
  readonly waiting: WaitingRooms;
  readonly authenticator: Authenticator;
  readonly live: ConcurrencyLimit;
  readonly publicUrl: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly noteFault: (error: unknown, what: string) => void;
  /** How often a stream says the exact position. */
  readonly stateEveryMs?: number | undefined;
}

/** The waiting page, for people with a browser. */
export async function waitRoutes(app: FastifyInstance, parts: WaitParts): Promise<void> {
  const { waiting, authenticator, live, publicUrl, now, noteFault } = parts;
  const { places } = waiting;
  const visits = new Visits({ places, authenticator, publicUrl });
  await app.register(async (scope) => {
    answerInPages(scope, noteFault);
    takeForms(scope, publicUrl);
    const pages = new WaitPages(visits, places, now);
    pages.register(scope);
    const tries = new TokenBuckets({ perMinute: limits.codesPerAddressMax }, now);
    moveRoutes(scope, { visits, places, pages, tries, publicUrl });
  });
  assetRoute(app);
  stateRoute(app, visits);
  streamRoute(app, { visits, waiting, live, everyMs: parts.stateEveryMs });
}

/** Faults too are told in words for people. */
function answerInPages(scope: FastifyInstance, noteFault: WaitParts["noteFault"]): void {
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.code === "server.fault")
      noteFault(error, `${request.method} ${request.routeOptions.url} failed (${request.id})`);
    return fail(request as PageRequest, reply, refusal);
  });
}

function takeForms(scope: FastifyInstance, publicUrl: string | undefined): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: limits.formBytesMax },
    (_request, body, done) => done(null, body),
  );
  scope.addHook("preHandler", async (request, reply) =>
    request.method === "POST" && isForeignForm(request, publicUrl)
      ? fail(request as PageRequest, reply, fromElsewhere)
      : undefined,
  );
}

const fromElsewhere: Refusal = {
  code: "auth.forbidden",
  message: "This form was sent from another site.",
};
