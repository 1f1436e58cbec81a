import type { Logger } from "../../logger.ts";
import { permit, proveHeader } from "../auth/access.ts";
import type { Entrances } from "../auth/entrances.ts";
import { missingToken, type Proof } from "../auth/proof.ts";
import type { Gatekeeper } from "../limits/gatekeeper.ts";
import type { Cors } from "./headers/cors.ts";
import { blockOf, commonHeaders, type HeaderBlock } from "./headers/header-block.ts";
import type { CountAnswer, Metrics } from "./metrics.ts";
import type { RouteFacts, Step } from "./pipeline.ts";

const commonBlock = blockOf(commonHeaders);

export const answerSteps: readonly Step[] = [
  { name: "request id (OP3)", headers: ({ id }) => new RequestIdLine(id) },
  { name: "common headers (HT1)", headers: () => commonBlock },
];

/** Created per request, which needs only one of the two forms. */
class RequestIdLine implements HeaderBlock {
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  get lines(): HeaderBlock["lines"] {
    return [["x-request-id", this.#id]];
  }

  get text(): string {
    return `\r\nx-request-id: ${this.#id}`;
  }
}

interface StepDeps {
  readonly cors: Cors | undefined;
  readonly entrances: Entrances;
  readonly gatekeeper: Gatekeeper;
  readonly metrics: Pick<Metrics, "counterOf">;
  readonly logger?: Pick<Logger, "debug"> | undefined;
}

export function requestSteps({ cors, entrances, gatekeeper, metrics, logger }: StepDeps): readonly Step[] {
  return [
    ...answerSteps,
    ...(cors ? [{ name: "other origins (HT5)", headers: cors.headersFor }] : []),
    shedLoad(gatekeeper),
    authenticate(entrances),
    {
      name: "limits (LM3)",
      isLimit: true,
      admit: ({ traits }, { identity, address }) => gatekeeper.refusalFor(traits, identity, address),
    },
    countAnswers(metrics),
    ...(logger ? [logAnswers(logger)] : []),
  ];
}

/** Before authentication, which costs more than the refusal. */
function shedLoad(gatekeeper: Gatekeeper): Step {
  return {
    name: "load shedding (LM4)",
    isLimit: true,
    admit({ traits }, { address, headers }) {
      const refusal = gatekeeper.shed(traits, address, headers.authorization);
      return refusal && new Promise((resolve) => gatekeeper.hold(() => resolve(refusal)));
    },
  };
}

function authenticate(entrances: Entrances): Step {
  return {
    name: "authentication (AU1, AU2)",
    admit({ access }, exchange) {
      const header = exchange.headers.authorization;
      if (header === undefined) return access === "public" ? undefined : missingToken;
      const accept = (proof: Proof) => {
        const permitted = permit(proof, access);
        if ("refusal" in permitted) return permitted.refusal;
        exchange.identity = permitted.identity;
        return undefined;
      };
      const proof = proveHeader(entrances.proverFor(exchange.socket), header);
      return proof instanceof Promise ? proof.then(accept) : accept(proof);
    },
  };
}

function countAnswers(metrics: Pick<Metrics, "counterOf">): Step {
  const counters = new Map<RouteFacts, CountAnswer>();
  return {
    name: "metrics (OP3)",
    answered(route, { startedAt }, status) {
      let count = counters.get(route);
      if (!count) {
        count = metrics.counterOf(route.method, route.url);
        counters.set(route, count);
      }
      count(status, performance.now() - startedAt);
    },
  };
}

/** Only with a logger: a log line per request costs more than most requests. */
function logAnswers(logger: Pick<Logger, "debug">): Step {
  return {
    name: "log (OP3)",
    sent: ({ id }, { method, route, status, ms }) =>
      logger.debug({ reqId: id, method, route, status, ms }, "answered"),
  };
}
