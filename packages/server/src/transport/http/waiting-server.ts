import type { AddressInfo } from "node:net";
import type { Refusal } from "@openseat/kernel";
import Fastify from "fastify";
import type { Config } from "../../config/settings.ts";
import { OperatorPort } from "./connections/operator-port.ts";
import { sendRefusal } from "./envelope.ts";
import { answerBrokenAddress, rawErrorResponse } from "./errors.ts";
import { basePathOf, withoutBasePath } from "./headers/base-path.ts";
import { newRequestId } from "./headers/request-ids.ts";
import { healthRoutes } from "./health-routes.ts";
import { followPipeline, Pipeline } from "./pipeline.ts";
import { answerSteps } from "./request-steps.ts";

/** Listens while the server cannot be built yet because its log or its secrets are missing. */
export interface WaitingServer {
  readonly url: string;
  readonly ports: Ports;
  close(): Promise<void>;
}

export interface Ports {
  readonly port: number;
  readonly operatorPort: number | undefined;
}

const requestTimeoutMs = 10_000;

/** Answers the health routes, and everything else with `refusal`. */
export async function openWaitingServer(
  { port, host, operatorPort, operatorHost, connectionsMax, publicUrl }: Config,
  refusal: Refusal,
  why: () => string,
): Promise<WaitingServer> {
  const app = Fastify({
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs },
    forceCloseConnections: true,
    ...withoutBasePath(basePathOf(publicUrl)),
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
    // The real server takes over the port, so no further request may use this connection.
    reply.header("connection", "close");
    // Before the body is parsed, which could be refused for another reason.
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
