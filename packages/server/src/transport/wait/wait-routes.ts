import { placeNotFound, type Refusal } from "@openseat/kernel";
import { waitAssets } from "@openseat/web";
import type { FastifyError, FastifyInstance } from "fastify";
import { send, sendRefusal, success } from "../http/envelope.ts";
import { refusalOf } from "../http/errors.ts";
import { assetRoute } from "../pages/asset-route.ts";
import { isForeignForm } from "./csrf.ts";
import { moveRoutes } from "./move-routes.ts";
import { WaitPages } from "./page-routes.ts";
import { fail, type PageRequest, type WaitDeps, type WithQueue } from "./pages.ts";
import { streamRoute } from "./stream-route.ts";
import { Visits } from "./visits.ts";

/** The form holds a short code. */
const formBytesMax = 4_096;

export async function waitRoutes(app: FastifyInstance, deps: WaitDeps): Promise<void> {
  const visits = new Visits(deps);
  await app.register(async (scope) => {
    answerInPages(scope, deps.noteFault);
    takeForms(scope, deps.publicUrl);
    const pages = new WaitPages(visits, deps);
    pages.register(scope);
    moveRoutes(scope, visits, pages, deps);
  });
  assetRoute(app, "/wait/assets/:name(^wait-[\\w-]+\\.(?:js|css)$)", (name) => waitAssets().files.get(name));
  stateRoute(app, visits);
  streamRoute(app, visits, deps);
}

/** For pages without a stream: the current place. The request counts as a heartbeat (LS1). */
function stateRoute(app: FastifyInstance, visits: Visits): void {
  app.get<WithQueue>(
    "/wait/:queue/state",
    { config: { access: "public", isBegun: true }, schema: { hide: true } },
    async (request, reply) => {
      const found = await visits.find(request);
      reply.header("cache-control", "no-store");
      if ("refusal" in found) return sendRefusal(reply, found.refusal);
      const { shown } = found.value.sight;
      return shown ? send(reply, success(200, "Your place.", shown.wait)) : sendRefusal(reply, placeNotFound);
    },
  );
}

function answerInPages(scope: FastifyInstance, noteFault: WaitDeps["noteFault"]): void {
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
    { parseAs: "string", bodyLimit: formBytesMax },
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
