import type { AddressInfo } from "node:net";
import type { Refusal } from "@openseat/kernel";
import Fastify from "fastify";
import type { Config } from "../../config/settings.ts";
import { OperatorPort } from "./connections/operator-port.ts";
import { sendRefusal } from "./envelope.ts";
import { answerBrokenAddress, rawErrorResponse } from "./errors.ts";
import { withoutBasePath } from "./headers/base-path.ts";
import { newRequestId } from "./headers/request-ids.ts";
import { healthRoutes } from "./health-routes.ts";
import { followPipeline, Pipeline } from "./pipeline.ts";
import { answerSteps } from "./request-steps.ts";

/** What stands at the port as long as the server itself cannot be built, for want of its log and its secrets. */
export interface WaitingServer {
  readonly url: string;
  readonly ports: Ports;
  /** Leaves the port at once, with whoever is there. */
  close(): Promise<void>;
}

/** Where a server listens, for the public and for operators. */
export interface Ports {
  readonly port: number;
  readonly operatorPort: number | undefined;
}

const requestTimeoutMs = 10_000;

/** Answers that it is alive and not ready, and to everything else `refusal`. */
export async function openWaitingServer(
  { port, host, operatorPort, operatorHost, connectionsMax, publicUrl }: Config,
  refusal: Refusal,
  why: () => string,
): Promise<WaitingServer> {
  const app = Fastify({
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs },
    forceCloseConnections: true,
    ...withoutBasePath(publicUrl),
    genReqId: newRequestId,
    frameworkErrors: (error, { id }, reply) => answerBrokenAddress(error, reply.header("x-request-id", id)),
    clientErrorHandler(error, socket) {
      if (socket.writable) socket.write(rawErrorResponse((error as { code?: string }).code));
      socket.destroySoon();
    },
  });
  app.server.maxConnections = connectionsMax;
  followPipeline(app, new Pipeline(answerSteps));
  app.addHook("onRequest", async (request, reply) => {
    // Nobody's next request may come by a connection that goes when the server itself takes over.
    reply.header("connection", "close");
    // Before the body is looked at: there is nothing yet that could say what is wrong with it.
    if (request.is404) return sendRefusal(reply, refusal);
  });
  healthRoutes(app, { whyNotReady: async () => why() });
  const operators = operatorPort === undefined ? undefined : new OperatorPort(app.server);
  const operatorUrl = await operators?.listen(operatorPort!, operatorHost);
  const url = await app.listen({ port, host });
  return {
    url,
    ports: {
      port: (app.server.address() as AddressInfo).port,
      operatorPort: operatorUrl === undefined ? undefined : Number(new URL(operatorUrl).port),
    },
    async close() {
      await Promise.all([operators?.close(), app.close()]);
    },
  };
}
