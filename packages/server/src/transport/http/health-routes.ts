import type { FastifyInstance } from "fastify";
import { about } from "./docs/operations.ts";

export type Unreadiness = () => Promise<string | undefined>;

export type Damages = () => object | undefined;

/** A failure that leaves the server ready. Its message is public. */
export interface Degraded {
  readonly part: string;
  readonly message: string;
}

interface HealthDeps {
  readonly whyNotReady: Unreadiness;
  readonly damages?: Damages;
  readonly degraded?: () => readonly Degraded[];
}

export function healthRoutes(
  app: FastifyInstance,
  { whyNotReady, damages = () => undefined, degraded = () => [] }: HealthDeps,
): void {
  app.get(
    "/healthz",
    {
      config: { access: "public", isBegun: true },
      schema: { ...about("checkHealth") },
    },
    async () => ({ status: "ok" }),
  );
  app.get(
    "/readyz",
    {
      config: { access: "public", isBegun: true },
      schema: { ...about("checkReadiness") },
    },
    async (_, reply) => {
      const reason = await whyNotReady();
      // A single damaged room does not make the server unready.
      const details = { damaged: damages(), degraded: someOf(degraded()) };
      if (reason === undefined) return reply.send({ status: "ready", ...details });
      return reply
        .code(503)
        .header("retry-after", "1")
        .send({ status: "not ready", reason, ...details });
    },
  );
}

function someOf(degraded: readonly Degraded[]): readonly Degraded[] | undefined {
  return degraded.length > 0 ? degraded : undefined;
}
