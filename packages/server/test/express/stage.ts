import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import Type from "typebox";
import { guardRoutes } from "../../src/transport/auth/access.ts";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import { Entrances } from "../../src/transport/auth/entrances.ts";
import { answerInTurn, PipelinedResponse } from "../../src/transport/http/connections/pipelined-response.ts";
import { type Answer, success } from "../../src/transport/http/envelope.ts";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { type ExpressAsk, expressRoute } from "../../src/transport/http/fast-path/express-route.ts";
import { ExpressLane } from "../../src/transport/http/fast-path/lane.ts";
import { sendCommonHeaders } from "../../src/transport/http/headers/common-headers.ts";
import { compressAnswers } from "../../src/transport/http/headers/compression.ts";
import { RequestIds } from "../../src/transport/http/headers/request-ids.ts";
import { Keyed } from "../../src/transport/http/schemas.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import type { Check, Shedding } from "../../src/transport/limits/gatekeeper.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { testAddresses } from "../support/addresses.ts";
import { gatekeeperOf } from "../support/limits.ts";
import { issuer, issuerSecret } from "../support/tokens.ts";

const params = Type.Object({ id: Type.String({ pattern: "^[a-z0-9.-]{1,40}$" }) });
const name = Type.String({ maxLength: 100 });
const Named = Type.Object({ name });
const Sized = Type.Object({ name, size: Type.Integer({ default: 7 }) });

interface StageOptions {
  readonly trustProxy?: boolean;
  readonly keepAliveTimeout?: number;
  readonly requestTimeout?: number;
  readonly bodyBytesMax?: number;
  readonly issuerJwksUrl?: string;
  /** A limit on requests. */
  readonly check?: Check;
  readonly onAsk?: () => void;
  /** Refuses new work because of the load. */
  readonly shedding?: Shedding;
}

/** The lane in front of an app with routes that show what they were asked, and that a test can hold up. */
export interface Stage {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly lane: ExpressLane;
  /** Everything that reached a handler, whichever way. */
  readonly asks: ExpressAsk[];
  /** Requests to `GET /held/:id` that wait for their answer. */
  readonly held: { readonly id: string; release(answer?: Answer): void; fail(error: Error): void }[];
  readonly faults: string[];
  close(): Promise<void>;
}

export async function laneStage(options: StageOptions = {}): Promise<Stage> {
  const { trustProxy = false, bodyBytesMax = 65_536 } = options;
  const app = Fastify({
    trustProxy: trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: bodyBytesMax,
    keepAliveTimeout: options.keepAliveTimeout ?? 72_000,
    requestTimeout: options.requestTimeout ?? 30_000,
    forceCloseConnections: "idle",
    http: { ServerResponse: PipelinedResponse },
    return503OnClosing: false,
  });
  answerInTurn(app);
  sendCommonHeaders(app, undefined);
  compressAnswers(app);
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
  answerErrors(app, noteFault);
  app.decorateRequest("identity", null);
  const addresses = testAddresses(trustProxy);
  identifyAddresses(app, addresses);
  const gatekeeper = gatekeeperOf(options.check ? [options.check] : [], options.shedding, (token) =>
    authenticator.isRoleKey(token),
  );
  guardRoutes(app, new Entrances(authenticator), gatekeeper);
  const lane = new ExpressLane({
    server: app.server,
    prover: authenticator,
    addresses,
    gatekeeper,
    bodyBytesMax,
    basePath: "",
    counterOf: () => () => {},
    requestIds: new RequestIds(() => false),
    noteFault,
  });
  const asks: ExpressAsk[] = [];
  const held: Stage["held"] = [];
  addRoutes(app, lane, asks, held, options.onAsk);
  lane.open();
  app.addHook("preClose", () => lane.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, app, lane, asks, held, faults, close: () => app.close() };
}

function addRoutes(
  app: FastifyInstance,
  lane: ExpressLane,
  asks: ExpressAsk[],
  held: Stage["held"],
  onAsk = () => {},
): void {
  const common = { access: ["person"], schema: { params, headers: Keyed } } as const;
  const echo = (ask: ExpressAsk) => {
    onAsk();
    asks.push(ask);
    const { identity, ...facts } = ask;
    return success(200, "Heard: ünïcödé ✓", { by: identity.by, ...facts });
  };
  for (const [url, body] of [
    ["/echo/:id", Type.Union([Type.Null(), Named])],
    ["/sized/:id", Sized],
  ] as const) {
    const schema = { params, headers: Keyed, body };
    expressRoute(app, lane, { ...common, method: "POST", url, schema, handle: echo });
  }
  expressRoute(app, lane, {
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
  expressRoute(app, lane, {
    ...common,
    method: "GET",
    url: "/large/:id",
    handle: () => success(200, "Large.", { text: "x".repeat(200_000) }),
  });
  expressRoute(app, lane, {
    ...common,
    method: "GET",
    url: "/broken/:id",
    handle: () => {
      throw new Error("broken on purpose");
    },
  });
  expressRoute(app, lane, {
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
