import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { answerErrors } from "../../src/transport/http/errors.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { assertRefused, type Call, Client } from "../support/http.ts";
import { answered, turns, until, watched } from "../support/test-clock.ts";
import { misshapen } from "./telegram-faults.ts";
import { busy, callsMade, fault, onStage, type Stage } from "./telegram-stage.ts";

const secret = "the_secret_of-the-webhook";
const path = "/api/v1/chat/telegram";
const webhook = { url: `https://seat.test${path}`, secret };
const header = "x-telegram-bot-api-secret-token";

interface WebhookStage extends Stage {
  /** Delivers an update as Telegram does. */
  bring(update: unknown, call?: Call): ReturnType<Client["post"]>;
}

/** A channel with a webhook, on an app that responds as the server does. */
async function onWebhookStage(context: TestContext): Promise<WebhookStage> {
  const faults: unknown[] = [];
  // As small as the server's own limit: updates may be larger than other bodies.
  const app: FastifyInstance = Fastify({ bodyLimit: 65_536, forceCloseConnections: true });
  context.after(() => app.close());
  let url = "";
  const locate = (address: string) => address.replace("https://seat.test", url);
  const stage = await onStage(context, { webhook }, { locate });
  const access: unknown[] = [];
  app.addHook("onRoute", ({ config }) => void access.push(config?.access));
  app.setValidatorCompiler(compileSchema);
  answerErrors(app, (error) => faults.push(error));
  stage.channel.routes!(app, stage.receiver);
  assert.deepEqual(access, ["public"]);
  url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new Client(url);
  context.after(() => {
    client.close();
    assert.deepEqual(faults, []);
  });
  const bring = (body: unknown, call: Call = {}) =>
    client.post(path, { body, headers: { [header]: secret }, ...call });
  return { ...stage, bring };
}

async function started(stage: WebhookStage): Promise<WebhookStage> {
  stage.channel.start!(stage.receiver);
  await until(() => stage.standIn.deliveries.isOpen, "the webhook is registered");
  return stage;
}

test("[CH6] the webhook is registered with its secret once the bot's name is known; messages arrive through it", async (context) => {
  const { standIn, receiver, told } = await started(await onWebhookStage(context));
  assert.deepEqual(
    standIn.calls.map(({ method }) => method),
    ["getMe", "setWebhook"],
  );
  assert.deepEqual(standIn.callsOf("setWebhook"), [
    { url: webhook.url, secret_token: secret, allowed_updates: ["message"], max_connections: 40 },
  ]);
  const id = standIn.say(-17, 42, "/throw@OurBot rock");
  standIn.say(-17, 42, "nothing for the bot");
  standIn.inject({ edited_message: standIn.message(42, 42, { text: "no" }) });
  await until(() => standIn.pending === 0, "all is taken");
  assert.deepEqual(receiver.received, [
    { id: standIn.idOf(id), sender: "42", place: "-17", group: { title: "Group -17" }, text: "/throw rock" },
  ]);
  assert.deepEqual(standIn.deliveries.statuses, [200, 200, 200]);
  assert.deepEqual(told, []);
});

test("[CH6] without the right secret, a request is refused before it is read, and has no effect", async (context) => {
  const { standIn, receiver, bring, told } = await started(await onWebhookStage(context));
  const update = { update_id: 1, message: standIn.message(42, 42, { text: "hello" }) };
  const wrong = ["", "x", secret.slice(1), `${secret}x`, secret.toUpperCase(), "ö".repeat(24)];
  const headers = [{}, ...wrong.map((value) => ({ [header]: Buffer.from(value).toString("latin1") }))];
  for (const given of headers) {
    assertRefused(await bring(update, { headers: given }), 401, "auth.invalid", JSON.stringify(given));
    assertRefused(await bring("no update", { headers: given }), 401, "auth.invalid");
    assertRefused(await bring(undefined, { headers: given, rawBody: "{" }), 401, "auth.invalid");
  }
  assert.deepEqual([receiver.received, told], [[], []]);
  assert.equal((await bring(update)).status, 200);
  assert.deepEqual(receiver.texts(), ["hello"]);
});

test("[CH6] [CH7] a malformed update is reported and accepted; other types and large bodies are refused", async (context) => {
  const { bring, receiver, told } = await started(await onWebhookStage(context));
  for (const [index, fields] of [...misshapen, { update_id: "x" }, { update_id: null }].entries()) {
    const answer = await bring({ update_id: index, ...fields });
    assert.deepEqual([answer.status, answer.body.success], [200, true], answer.text);
    assert.equal(told.length, index + 1);
  }
  for (const body of [null, [], "text", 7]) assertRefused(await bring(body), 400, "input.invalid");
  assertRefused(await bring(undefined, { rawBody: '{"update_id":' }), 400, "input.invalid");
  assertRefused(await bring({ update_id: 1, text: "a".repeat(1024 * 1024) }), 413, "input.too-large");
  assert.equal((await bring({ update_id: 1, text: "a".repeat(900_000) })).status, 200);
  assert.deepEqual(receiver.received, []);
});

test("[CH7] an update refused for now is sent again until it is handled; a permanent refusal is not", async (context) => {
  const { standIn, receiver, told, bring } = await started(await onWebhookStage(context));
  receiver.script.set("a", [busy, { ...busy, code: "room.conflict" }]);
  receiver.script.set("b", [fault]);
  receiver.script.set("c", [new Error("the receiver hurts")]);
  receiver.script.set("moved", [busy]);
  for (const text of ["a", "b", "c", "d"]) standIn.say(42, 42, text);
  standIn.inject({ message: standIn.message(-17, 42, { migrate_to_chat_id: -1_000_017 }) });
  await until(() => standIn.pending === 0, "all is taken");
  assert.deepEqual(receiver.texts(), ["a", "a", "a", "b", "c", "d"]);
  assert.equal(receiver.moves.length, 2);
  assert.equal(standIn.deliveries.statuses.filter((status) => status === 503).length, 3);
  assert.equal(told.length, 2);
  receiver.script.set("e", [{ ...busy, retryAfterSeconds: 7 }]);
  const later = await bring({ update_id: 1, message: standIn.message(42, 42, { text: "e" }) });
  assertRefused(later, 503, "server.busy");
  assert.equal(later.headers["retry-after"], "7");
});

test("[CH6] before the bot knows its name, and after a shutdown, an update has to be sent again", async (context) => {
  const { standIn, channel, receiver, clock, waits, bring } = await onWebhookStage(context);
  const update = { update_id: 1, message: standIn.message(-17, 42, { text: "/top@OurBot" }) };
  assertRefused(await bring(update), 503, "server.busy");
  standIn.script("getMe", "lost");
  channel.start!(receiver);
  await until(() => waits().length === 1, "a wait");
  assertRefused(await bring(update), 503, "server.busy");
  await clock.advance(1_000);
  await callsMade(standIn, "setWebhook", 1);
  assert.equal((await bring(update)).status, 200);
  assert.deepEqual(receiver.texts(), ["/top"]);
  receiver.hold();
  const underWay = bring({ ...update, update_id: 2 });
  await until(() => receiver.held === 1, "it is being handled");
  const stopped = watched(channel.stop!());
  assertRefused(await bring({ ...update, update_id: 3 }), 503, "server.busy");
  await turns();
  assert.equal(stopped.settled, false, "it waits for the message being handled");
  receiver.release({ forGood: true });
  await answered(stopped.promise);
  assert.equal((await underWay).status, 200);
  assert.equal(receiver.received.length, 2);
});

test("[CH6] registering is retried until it succeeds, and the secret is never revealed", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onWebhookStage(context);
  standIn.script("setWebhook", "lost", { status: 400, description: "Bad Request: bad webhook" });
  channel.start!(receiver);
  for (const [index, wait] of [1_000, 60_000].entries()) {
    await until(() => waits().length === index + 1, `wait ${index + 1}`);
    await clock.advance(wait);
  }
  await callsMade(standIn, "setWebhook", 3);
  assert.deepEqual([waits(), told.length], [[1_000, 60_000], 2]);
  for (const text of told) assert.ok(!text.includes(secret), text);
});
