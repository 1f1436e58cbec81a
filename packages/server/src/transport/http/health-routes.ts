import type { FastifyInstance } from "fastify";

/** Why it may not be sent work, in words that anyone may read; undefined when it may. */
export type Unreadiness = () => Promise<string | undefined>;

/** Which rooms are damaged, as anyone may read it; undefined when none is known to be. */
export type Damages = () => object | undefined;

/** Something that does not work as it should while the server stays ready, in words that anyone may read. */
export interface Degraded {
  readonly part: string;
  readonly message: string;
}

interface HealthDeps {
  readonly whyNotReady: Unreadiness;
  readonly damages?: Damages;
  readonly degraded?: () => readonly Degraded[];
}

/** `/healthz`: the process is alive. `/readyz`: it may be sent work, because the log answers. */
export function healthRoutes(
  app: FastifyInstance,
  { whyNotReady, damages = () => undefined, degraded = () => [] }: HealthDeps,
): void {
  app.get(
    "/healthz",
    {
      config: { access: "public", isBegun: true },
      schema: { summary: "Is the process alive?", tags: ["health"] },
    },
    async () => ({
      status: "ok",
    }),
  );
  app.get(
    "/readyz",
    {
      config: { access: "public", isBegun: true },
      schema: { summary: "May it be sent work?", tags: ["health"] },
    },
    async (_, reply) => {
      const reason = await whyNotReady();
      // One damaged room says nothing about the others: it is told, and the server stays ready.
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
