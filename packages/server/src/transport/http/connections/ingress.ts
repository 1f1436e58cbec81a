import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../../config/settings.ts";
import { openWaitingServer, type Ports } from "../waiting-server.ts";

/** What answers while the server cannot be built yet. */
export interface Meanwhile {
  readonly url: string;
  /** Those that the server takes over from it. */
  readonly ports?: Ports;
  close(): Promise<void>;
}

/** How requests reach the server: over a port of its own, or through the HTTP server of another program. */
export interface Ingress {
  /** The path below which another program passes requests on; undefined on a port of its own. */
  readonly prefix: string | undefined;
  /** Refuses requests while the server cannot be built yet. */
  wait(refusal: Refusal, why: () => string): Promise<Meanwhile>;
  /** Lets requests in. Returns the URL, or only the prefix if another program has the port. */
  open(app: FastifyInstance, port: number): Promise<string>;
  /** Lets no more requests in. Resolves when the last one has its response. */
  close(): Promise<void>;
  /** Ends requests that delay the stop. */
  cut(): void;
}

/** Fastify closes its own port, and waits for its connections. */
export function ownPort(config: Config): Ingress {
  return {
    prefix: undefined,
    wait: (refusal, why) => openWaitingServer(config, refusal, why),
    open: (app, port) => app.listen({ port, host: config.host }),
    close: async () => {},
    cut() {},
  };
}
