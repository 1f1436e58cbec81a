import type { FastifyInstance } from "fastify";
import type { Entrances } from "../../src/transport/auth/entrances.ts";
import { followPipeline, Pipeline, type Step } from "../../src/transport/http/pipeline.ts";
import { requestSteps } from "../../src/transport/http/request-steps.ts";
import type { Gatekeeper } from "../../src/transport/limits/gatekeeper.ts";

/** Runs the product's hooks before the routes of a stage. */
export function guardRoutes(
  app: FastifyInstance,
  entrances: Entrances,
  gatekeeper: Gatekeeper,
  more: readonly Step[] = [],
): Pipeline {
  const metrics = { counterOf: () => () => {} };
  const pipeline = new Pipeline([
    ...requestSteps({ cors: undefined, entrances, gatekeeper, metrics }),
    ...more,
  ]);
  followPipeline(app, pipeline);
  return pipeline;
}
