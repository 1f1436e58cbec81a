import type { Sending } from "../host/outbox/courier.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";
import type { SmsBudget } from "./sms-budget.ts";
import { smsText } from "./sms-text.ts";
import { smsWebhook } from "./sms-webhook.ts";

interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Our own number, in E.164. */
  readonly from: string;
  /** Where the API is, without a slash at its end. */
  readonly apiRoot: string;
  /** Told what only an operator can set right. */
  readonly onError?: (error: unknown) => void;
}

export interface SmsOptions extends Omit<TwilioAccount, "apiRoot"> {
  readonly apiRoot?: string;
  /** The address under which Twilio reaches the webhook, without a query: it is part of what is signed. */
  readonly webhookUrl: string;
  /** How much may be sent; undefined for any number. */
  readonly budget?: SmsBudget;
}

/** CH6: by SMS, through Twilio or whoever speaks as Twilio does. */
export function sms(options: SmsOptions): ChannelAdapter {
  const account = { apiRoot: "https://api.twilio.com", ...options };
  const hurry = new AbortController();
  const channel: ChannelAdapter = {
    name: "sms",
    replies: "returned",
    send: (place, text) => sendWithin(options.budget, () => sendSms(account, place, text, hurry.signal)),
    // What is being sent may end by itself; but a Twilio that hangs must not keep the server from stopping.
    stop: async () => void setTimeout(() => hurry.abort(), lingerMsMax).unref(),
    routes: (app, ear) => smsWebhook(app, options, (message) => ear.hear(channel, message)),
  };
  return channel;
}

/** A reply goes back with the request that brought the message, and never waits. */
async function sendWithin(budget: SmsBudget | undefined, send: () => Promise<Sending>): Promise<Sending> {
  const waitMs = budget?.take();
  if (waitMs !== undefined) return { waitMs };
  const sending = await send();
  if (sending !== "sent") budget?.giveBack();
  return sending;
}

/** So long a stop waits for what is being sent. */
const lingerMsMax = 3_000;

const sendTimeoutMs = 10_000;

/** Twilio has no keys of idempotency: a message whose answer is lost is sent again, and may arrive twice. */
async function sendSms(
  account: TwilioAccount,
  to: string,
  text: string,
  over: AbortSignal,
): Promise<Sending> {
  const { accountSid, authToken, from, apiRoot } = account;
  try {
    const response = await fetch(`${apiRoot}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` },
      body: new URLSearchParams({ From: from, To: to, Body: smsText(text) }),
      // Followed, a POST would become a GET, and its 200 would pass for a message sent.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), over]),
    });
    // By now it is sent or not: a body that breaks off must not have it sent again.
    const body = await response.text().catch(() => "");
    if (response.status === 401)
      account.onError?.(new Error("Twilio takes neither our account nor its token."));
    return outcome(response, body);
  } catch (error) {
    return { retry: unreached(error) };
  }
}

function outcome({ ok, status, headers }: Response, body: string): Sending {
  if (ok) return "sent";
  // A token that was changed is set right one day; what is to be said then is still true.
  const isLasting = status !== 401 && status !== 429 && status < 500;
  if (isLasting) return { failure: reasonIn(body) ?? `Twilio answered ${status}.` };
  const seconds = headers.get("retry-after") ?? "";
  return {
    retry: `Twilio answered ${status}.`,
    ...(/^\d+$/.test(seconds) && { afterMs: Number(seconds) * 1_000 }),
  };
}

/** What Twilio says is wrong, and its code of that. */
function reasonIn(body: string): string | undefined {
  const { message, code } = parsed(body);
  if (typeof message !== "string") return undefined;
  const reason = withoutNumbers(message);
  return typeof code === "number" ? `${reason} (${code})` : reason;
}

function parsed(body: string): { readonly message?: unknown; readonly code?: unknown } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

/** In words of our own: those of the error may name more than is wanted in a log. */
function unreached(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === "TimeoutError") return `Twilio did not answer within ${sendTimeoutMs} ms.`;
  return `Twilio could not be reached (${cause?.code ?? name}).`;
}

/** As many digits as the shortest number has, however they are set apart. */
const numberPattern = /[+(]*\p{Nd}(?:[\s().\-/\u2010-\u2015]*\p{Nd}){6,}/gu;

/** The text, with nobody's number in it: what others say of a message often names whom it was for. */
export function withoutNumbers(text: string): string {
  return text.replace(numberPattern, "[number]");
}
