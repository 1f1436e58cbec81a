import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import Type from "typebox";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import { Entrances } from "../../src/transport/auth/entrances.ts";
import { connectionOptions, timeouts } from "../../src/transport/http/connections/connection-options.ts";
import { Front } from "../../src/transport/http/connections/front-server.ts";
import { type Answer, success } from "../../src/transport/http/envelope.ts";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { FastPath } from "../../src/transport/http/fast-path/fast-path.ts";
import { type FastAsk, fastRoute } from "../../src/transport/http/fast-path/fast-route.ts";
import { compressAnswers } from "../../src/transport/http/headers/compression.ts";
import { RequestIds } from "../../src/transport/http/headers/request-ids.ts";
import type { Step } from "../../src/transport/http/pipeline.ts";
import { Keyed } from "../../src/transport/http/schemas.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import type { Check, Shedding } from "../../src/transport/limits/gatekeeper.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { testAddresses } from "../support/addresses.ts";
import { gatekeeperOf } from "../support/limits.ts";
import { guardRoutes } from "../support/pipeline.ts";
import { issuer, issuerSecret } from "../support/tokens.ts";

const params = Type.Object({ id: Type.String({ pattern: "^[a-z0-9.-]{1,40}$" }) });
const name = Type.String({ maxLength: 100 });
const Named = Type.Object({ name });
const Sized = Type.Object({ name, size: Type.Integer({ default: 7 }) });

interface StageOptions {
  readonly trustProxy?: boolean;
  readonly timeouts?: Partial<typeof timeouts>;
  readonly bodyBytesMax?: number;
  readonly issuerJwksUrl?: string;
  /** A limit on requests. */
  readonly check?: Check;
  readonly onAsk?: () => void;
  /** Steps of the pipeline in addition to the product's. */
  readonly more?: readonly Step[];
  /** Refuses new work because of load. */
  readonly shedding?: Shedding;
}

/** The fast path in front of an app with routes that return their input, and that a test can hold. */
export interface Stage {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly fastPath: FastPath;
  /** All inputs of handlers, from either path. */
  readonly asks: FastAsk[];
  /** Requests to `GET /held/:id` that wait for their answer. */
  readonly held: { readonly id: string; release(answer?: Answer): void; fail(error: Error): void }[];
  readonly faults: string[];
  close(): Promise<void>;
}

export async function fastStage(options: StageOptions = {}): Promise<Stage> {
  const { trustProxy = false, bodyBytesMax = 65_536 } = options;
  const front = new Front();
  const app = Fastify({
    ...connectionOptions(front, "", options.timeouts),
    trustProxy: trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: bodyBytesMax,
    return503OnClosing: false,
  });
  const authenticator = new Authenticator({
    guestSecret: "a secret of guests that is long enough",
    operatorKey: "operator-key-of-the-stage",
    serviceKey: "service-key-of-the-stage",
    issuer,
    ...(options.issuerJwksUrl ? { issuerJwksUrl: options.issuerJwksUrl } : { issuerSecret }),
    now: Date.now,
  });
  const faults: string[] = [];
  const noteFault = (_error: unknown, what: string) => void faults.push(what);
  app.setValidatorCompiler(compileSchema);
  app.decorateRequest("identity", null);
  const addresses = testAddresses(trustProxy);
  identifyAddresses(app, addresses);
  const gatekeeper = gatekeeperOf(options.check ? [options.check] : [], options.shedding, (token) =>
    authenticator.isRoleKey(token),
  );
  const pipeline = guardRoutes(app, new Entrances(authenticator), gatekeeper, options.more);
  answerErrors(app, noteFault);
  compressAnswers(app);
  const { keepAliveTimeout, requestTimeoutMs: requestTimeout } = { ...timeouts, ...options.timeouts };
  const fastPath = new FastPath({
    ...{ pipeline, addresses, bodyBytesMax, keepAliveTimeout, requestTimeout, noteFault, basePath: "" },
    requestIds: new RequestIds(() => false),
  });
  const asks: FastAsk[] = [];
  const held: Stage["held"] = [];
  addRoutes(app, fastPath, asks, held, options.onAsk);
  front.begin = (socket, server) => fastPath.begin(socket, server);
  app.addHook("preClose", () => fastPath.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, app, fastPath, asks, held, faults, close: () => app.close() };
}

function addRoutes(
  app: FastifyInstance,
  fastPath: FastPath,
  asks: FastAsk[],
  held: Stage["held"],
  onAsk = () => {},
): void {
  const common = { access: ["person"], schema: { params, headers: Keyed } } as const;
  const echo = (ask: FastAsk) => {
    onAsk();
    asks.push(ask);
    const { identity, ...facts } = ask;
    return success(200, "Received: ünïcödé ✓", { by: identity.by, ...facts });
  };
  for (const [url, body] of [
    ["/echo/:id", Type.Union([Type.Null(), Named])],
    ["/sized/:id", Sized],
  ] as const) {
    const schema = { params, headers: Keyed, body };
    fastRoute(app, fastPath, { ...common, method: "POST", url, schema, handle: echo });
  }
  fastRoute(app, fastPath, {
    ...common,
    method: "GET",
    url: "/held/:id",
    handle: (ask) => {
      asks.push(ask);
      return new Promise((resolve, reject) => {
        held.push({
          id: ask.id,
          release: (answer = success(200, "Released.", { id: ask.id })) => resolve(answer),
          fail: reject,
        });
      });
    },
  });
  fastRoute(app, fastPath, {
    ...common,
    method: "GET",
    url: "/large/:id",
    handle: () => success(200, "Large.", { text: "x".repeat(200_000) }),
  });
  fastRoute(app, fastPath, {
    ...common,
    method: "GET",
    url: "/broken/:id",
    handle: () => {
      throw new Error("broken on purpose");
    },
  });
  fastRoute(app, fastPath, {
    access: ["person"],
    schema: {},
    method: "GET",
    url: "/plain",
    handle: ({ id }) => success(200, "No id.", { id }),
  });
  app.get("/ordinary", { config: { access: "public" } }, async () => {
    onAsk();
    return { ordinary: true };
  });
  app.get(
    "/slow",
    { config: { access: "public" } },
    () =>
      new Promise((resolve) => {
        held.push({ id: "slow", release: () => resolve({ slow: true }), fail: () => {} });
      }),
  );
}
