import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { Entrances } from "../../src/transport/auth/entrances.ts";
import { Cors } from "../../src/transport/http/headers/cors.ts";
import { followPipeline, Pipeline, type Step } from "../../src/transport/http/pipeline.ts";
import { requestSteps } from "../../src/transport/http/request-steps.ts";
import { Client, metric } from "../support/http.ts";
import { gatekeeperOf } from "../support/limits.ts";
import { startServer, tempFolder } from "../support/server.ts";
import { storeFlags } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";
import { fastStage } from "./stage.ts";

const site = "https://shop.example";
const ann = [`Authorization: Bearer ${tokenOf("ann")}`, `Origin: ${site}`];

/** Every step for a request, and the test that shows it on both paths. */
const shown = {
  "request id (OP3)": "here",
  "common headers (HT1)": "here",
  "other origins (HT5)": "here",
  "load shedding (LM4)": "limits/gatekeeper.test.ts",
  "authentication (AU1, AU2)": "here",
  "limits (LM3)": "limits/gatekeeper.test.ts",
  "metrics (OP3)": "here",
  "log (OP3)": "here",
};

/** Fastify's hooks around the handlers of fast routes: the pipeline, and the response for unknown routes. */
const knownHooks = ["startAnswer()", "answerUnknown()", "admit()", "noteSent()", "countAnswer()"];

const fastRoutes = [
  "GET /api/v1/games/:id/can-join",
  "POST /api/v1/games/:id/join",
  "POST /api/v1/games/:id/heartbeat",
  "POST /api/v1/queues/:id/positions",
  "GET /api/v1/positions/:id",
  "POST /api/v1/positions/:id/heartbeat",
  "POST /api/v1/arenas/:id/join",
  "POST /api/v1/arenas/:id/moves",
  "POST /api/v1/ladders/:id/join",
  "POST /api/v1/ladders/:id/matches",
];

/** The names of all hooks of a route, of the whole app and its own. */
function hooksOf(app: FastifyInstance, route: string): string[] {
  const [method, url] = route.split(" ");
  const printed = app.printRoutes({ includeHooks: true, commonPrefix: false, method: method as "GET" });
  const path: string[] = [];
  const found: string[] = [];
  for (const line of printed.split("\n")) {
    const node = /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?/.exec(line);
    if (node) path.splice(node[1].length / 4, path.length, node[2]);
    else if (path.join("").replace("//", "/") === url)
      found.push(...(/\[(.*)\]/.exec(line)?.[1] ?? "").split(",").map((name) => name.replaceAll('"', "")));
  }
  return found.filter((name) => name !== "");
}

describe("one pipeline for both paths", () => {
  const folder = tempFolder();
  const lines: string[] = [];
  let openseat: Awaited<ReturnType<typeof startOpenseat>>;
  let client: Client;
  let game: string;
  before(async () => {
    const flags = ["--port", "0", "--data", folder.path, "--no-demo", "--allowed-origins", site];
    const config = loadConfig([...flags, ...(await storeFlags(folder.path)), ...issuerFlags], {});
    const logger = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
    openseat = await startOpenseat(config, logger);
    client = new Client(openseat.url);
    game = await client.newGame();
  });
  after(async () => {
    client.close();
    await openseat.stop();
    folder.remove();
  });

  test("each of its steps runs for requests on either path", async () => {
    const metrics = { counterOf: () => () => {} };
    const entrances = new Entrances({} as ConstructorParameters<typeof Entrances>[0]);
    const deps = { entrances, gatekeeper: gatekeeperOf(), metrics, logger: pino({ enabled: false }) };
    const steps = requestSteps({ cors: new Cors("*", undefined), ...deps });
    assert.deepEqual(
      steps.map(({ name }) => name),
      Object.keys(shown),
    );
    const url = `/api/v1/games/${game}/can-join`;
    const counted = async () => {
      const { text } = await client.get("/metrics");
      const route = 'method="GET",route="/api/v1/games/:id/can-join",status="';
      return ["200", "401"].map((status) =>
        Number(
          new RegExp(`^openseat_http_requests_total{${route}${status}"} (\\d+)$`, "m").exec(text)?.[1] ?? 0,
        ),
      );
    };
    const answers = [];
    for (const lead of ["", "\r\n"]) {
      const before = await counted();
      lines.length = 0;
      const raw = await RawClient.open(openseat.url);
      raw.send(lead + requestText(`GET ${url}`, ann) + requestText(`GET ${url}`, ann.slice(1)));
      raw.socket.end();
      const text = await raw.everything();
      const [id] = /(?<=^x-request-id: ).+(?=\r$)/m.exec(text) ?? [];
      assert.match(text, /^x-content-type-options: nosniff\r$/m);
      assert.match(text, new RegExp(`^access-control-allow-origin: ${site}\r$`, "m"));
      assert.match(text, /HTTP\/1\.1 401 /);
      const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "answered");
      assert.deepEqual([logged[0].reqId, logged[0].status, logged[1].status], [id, 200, 401]);
      assert.equal(logged[0].route, "/api/v1/games/:id/can-join");
      assert.deepEqual(
        await counted(),
        before.map((count) => count + 1),
      );
      answers.push(text.replaceAll(/^(?:Date|x-request-id): .*\r\n/gm, ""));
    }
    assert.equal(answers[0], answers[1]);
    assert.equal(await metric(client, "openseat_fast_path_answers_total"), 2);
  });

  test("no Fastify hook does more for a fast route than the pipeline", () => {
    for (const route of fastRoutes) {
      const hooks = hooksOf(openseat.app, route);
      assert.deepEqual(hooks.sort(), [...knownHooks].sort(), `${route}: put it into the pipeline instead`);
    }
  });
});

test("a hook that is added only to Fastify is detected", async () => {
  const app = Fastify();
  followPipeline(app, new Pipeline([]));
  app.addHook("preHandler", async function forgotten() {});
  app.get("/a", { config: { access: "public" } }, async () => "");
  await app.ready();
  assert.deepEqual(hooksOf(app, "GET /a"), ["startAnswer()", "admit()", "forgotten()", "countAnswer()"]);
});

test("a step that is added to the pipeline runs on both paths, in each of its phases", async () => {
  const seen: string[] = [];
  const step: Step = {
    name: "a new one",
    headers: () => ({ lines: [["x-new", "1"]], text: "\r\nx-new: 1" }),
    admit: ({ url }) => void seen.push(`admit ${url}`),
    answered: (_route, _exchange, status) => void seen.push(`answered ${status}`),
    sent: (_exchange, { route }) => void seen.push(`sent ${route}`),
  };
  const stage = await fastStage({ more: [step] });
  const client = await RawClient.open(stage.url);
  const bytes = requestText("POST /echo/a", ann.slice(0, 1));
  const heads = [await client.ask(bytes), await client.ask(`\r\n${bytes}`)].map(({ head }) => head);
  assert.equal(heads[0], heads[1]);
  assert.match(heads[0], /^x-new: 1\r$/m);
  client.close();
  await stage.close();
  const each = ["admit /echo/:id", "answered 200", "sent /echo/:id"];
  assert.deepEqual(seen, [...each, ...each]);
});

test("the fast path can be turned off, and responses are the same", async () => {
  const answers = [];
  for (const [flag, count] of [
    ["--fast-path", 1],
    ["--no-fast-path", 0],
  ] as const) {
    const server = await startServer([...issuerFlags, flag]);
    const client = await RawClient.open(server.url);
    answers.push(await client.ask(requestText("GET /api/v1/games/none/can-join", ann)));
    assert.equal(await metric(server.client, "openseat_fast_path_answers_total"), count);
    client.close();
    await server.stop();
  }
  assert.deepEqual(answers[0], answers[1]);
});
