import type { AddressInfo } from "node:net";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance } from "fastify";
import { connectionOptions, type timeouts } from "../../src/transport/http/connections/connection-options.ts";
import { Front } from "../../src/transport/http/connections/front-server.ts";
import { livePath } from "../../src/transport/live/live-routes.ts";

export interface Held {
  readonly id: string;
  readonly body: unknown;
  release(): void;
}

/** Node's server and Fastify with the product's connection handling, without the fast path. */
export interface ConnectionStage {
  readonly app: FastifyInstance;
  readonly url: string;
  /** Requests to `/held/:id`, in the order of calls; each waits for `release`. */
  readonly held: Held[];
  /** How many requests for the large document have reached their route. */
  readonly large: () => number;
  /** Connections open on the server's side. */
  open(): Promise<number>;
  close(): Promise<void>;
}

const largeDocument = Buffer.alloc(8_000_000, "x");

export async function connectionStage(given: Partial<typeof timeouts> = {}): Promise<ConnectionStage> {
  const app = Fastify({ ...connectionOptions(new Front(), "", given), return503OnClosing: false });
  const held: Held[] = [];
  let large = 0;
  app.get("/quick", async () => ({ quick: true }));
  app.get("/large", async () => {
    large++;
    return largeDocument;
  });
  app.route<{ Params: { id: string } }>({
    method: ["GET", "POST"],
    url: "/held/:id",
    handler: ({ params: { id }, body }) =>
      new Promise((resolve) => {
        held.push({ id, body, release: () => resolve({ id }) });
      }),
  });
  await app.register(async (scope) => {
    await scope.register(websocket);
    scope.get(livePath, { websocket: true }, (socket) => socket.send("hello"));
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    held,
    large: () => large,
    open: () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count))),
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
