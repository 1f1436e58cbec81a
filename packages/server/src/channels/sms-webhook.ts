import type { Refusal } from "@openseat/kernel";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ChannelReply, Incoming } from "../app/chat/channel.ts";
import { invalidInput } from "../app/invalid-input.ts";
import { type Answer, failure, send, sendRefusal } from "../transport/http/envelope.ts";
import { InvalidInput } from "../transport/http/validation.ts";
import { smsText } from "./sms-text.ts";
import { isSignedByTwilio } from "./twilio-signature.ts";

/** The longest message, with twelve bytes of form encoding per character, and the other fields. */
const formBytesMax = 32 * 1_024;

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** The webhook's address as Twilio knows it, without a query: it is part of what is signed. */
  readonly webhookUrl: string;
}

/** Twilio takes the reply from the response. In a scope of its own, because only this route accepts a form. */
export function smsWebhook(
  app: FastifyInstance,
  account: TwilioAccount,
  receive: (message: Incoming) => Promise<ChannelReply>,
): void {
  app.register(async (scope) => {
    takeForms(scope);
    scope.post<{ Body: URLSearchParams | undefined }>(
      "/api/v1/chat/sms",
      {
        config: { access: "public", cost: 0, isBegun: true },
        bodyLimit: formBytesMax,
        schema: { hide: true },
      },
      async ({ url, headers, body: form = new URLSearchParams() }, reply) => {
        const signature = headers["x-twilio-signature"];
        if (!isOurs(account, url, form, signature)) return sendRefusal(reply, notSigned);
        const message = messageIn(form);
        if (message === undefined) return say(reply, "");
        const outcome = await receive(message);
        return "refusal" in outcome ? send(reply, later(outcome.refusal)) : say(reply, outcome.reply);
      },
    );
  });
}

function takeForms(scope: FastifyInstance): void {
  const form = "application/x-www-form-urlencoded";
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<string>(form, { parseAs: "string" }, (_, body, done) =>
    done(null, new URLSearchParams(body)),
  );
  scope.addContentTypeParser("*", (_request, _payload, done) => done(new InvalidInput(notAForm)));
}

const notAForm: Refusal = {
  code: "input.unsupported-type",
  message: "The body must be a form, with Content-Type: application/x-www-form-urlencoded.",
};

const notSigned: Refusal = {
  code: "auth.invalid",
  message: "The X-Twilio-Signature is missing or does not match this request.",
};

/** CH6: whether Twilio sent it for our own account. */
function isOurs(
  { authToken, accountSid, webhookUrl }: TwilioAccount,
  requestUrl: string,
  form: URLSearchParams,
  signature: unknown,
): boolean {
  const queryAt = requestUrl.indexOf("?");
  // Unchanged, because it is part of what was signed.
  const url = queryAt === -1 ? webhookUrl : webhookUrl + requestUrl.slice(queryAt);
  if (typeof signature !== "string") return false;
  if (!isSignedByTwilio(signature, { token: authToken, url, fields: form })) return false;
  return form.getAll("AccountSid").every((sid) => sid === accountSid);
}

/**
 * Two letters and 32 hexadecimal digits, or another provider's UUID. The signature concatenates names and values. With any other
 * text allowed, an old message whose id contains the next field would pass for a new one.
 */
const sidPattern = /^(?:[a-z]{2}[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** A phone number in E.164. Replies can be sent to nothing else. */
const e164Pattern = /^\+[1-9]\d{6,14}$/;

/** Undefined for senders that cannot get replies, such as short codes. They are ignored: after a refusal, Twilio would retry. */
function messageIn(form: URLSearchParams): Incoming | undefined {
  const id = only(form, "MessageSid") ?? only(form, "SmsMessageSid") ?? only(form, "SmsSid");
  if (id === undefined) throw invalid("MessageSid", "is missing");
  if (!sidPattern.test(id)) throw invalid("MessageSid", "is not the id of a message");
  const from = only(form, "From");
  if (!from) throw invalid("From", "is missing");
  if (!e164Pattern.test(from)) return undefined;
  const text = only(form, "Body") ?? "";
  const consent = consentIn(text, only(form, "OptOutType"));
  return { id, sender: from, place: from, text, ...(consent && { consent }) };
}

/** CH8: Twilio's default keywords. An account with other keywords sends an `OptOutType`. */
const stopWords = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"];
const startWords = ["START", "YES", "UNSTOP"];

function consentIn(text: string, optOutType: string | undefined): Incoming["consent"] {
  const word = (optOutType ?? text).trim().toUpperCase();
  if (stopWords.includes(word)) return "stop";
  return startWords.includes(word) ? "start" : undefined;
}

/** The signature does not cover the order of a field's values, so a repeated field cannot be trusted. */
function only(form: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = new Set(form.getAll(name));
  if (others.length > 0) throw invalid(name, "has more than one value");
  return value;
}

function invalid(field: string, problem: string): InvalidInput {
  return new InvalidInput(invalidInput("body", field, problem));
}

function say(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("text/xml; charset=utf-8").send(twiml(text));
}

/** Twilio retries only after a 5xx. */
function later(refusal: Refusal): Answer {
  const answer = failure(refusal);
  return { ...answer, status: 503, body: { ...(answer.body as object), statusCode: 503 } };
}

/** A response that sends this text to the sender, or nothing if it is empty. */
export function twiml(text: string): string {
  const message = smsText(text).replace(/[&<>]/g, (character) => escapes[character]);
  // An empty Message is an error to Twilio, an empty Response is not.
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${message && `<Message>${message}</Message>`}</Response>`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
