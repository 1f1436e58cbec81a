import type { Sending } from "../host/outbox/channel-sender.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";
import type { SmsBudget } from "./sms-budget.ts";
import { smsText } from "./sms-text.ts";
import { smsWebhook, type TwilioAccount } from "./sms-webhook.ts";

export interface SmsOptions extends TwilioAccount {
  /** Our own number, in E.164. */
  readonly from: string;
  /** Without a slash at its end. */
  readonly apiRoot?: string;
  /** Undefined for no limit. */
  readonly budget?: SmsBudget;
  /** Called with errors that only an operator can fix. */
  readonly onError?: (error: unknown) => void;
}

/** CH6: by SMS, through Twilio or a provider with the same API. */
export function sms(options: SmsOptions): ChannelAdapter {
  const hurry = new AbortController();
  const channel: ChannelAdapter = {
    name: "sms",
    replies: "returned",
    send: (place, text) => sendWithin(options.budget, () => sendSms(options, place, text, hurry.signal)),
    // A hanging request to Twilio must not delay the shutdown.
    stop: async () => void setTimeout(() => hurry.abort(), lingerMsMax).unref(),
    routes: (app, receiver) => smsWebhook(app, options, (message) => receiver.receive(channel, message)),
  };
  return channel;
}

async function sendWithin(budget: SmsBudget | undefined, send: () => Promise<Sending>): Promise<Sending> {
  const waitMs = budget?.take();
  if (waitMs !== undefined) return { waitMs };
  const sending = await send();
  if (sending !== "sent") budget?.giveBack();
  return sending;
}

/** How long a shutdown waits for messages that are being sent. */
const lingerMsMax = 3_000;

const sendTimeoutMs = 10_000;

/** Twilio has no idempotency keys: a message whose response is lost is sent again and may arrive twice. */
async function sendSms(options: SmsOptions, to: string, text: string, over: AbortSignal): Promise<Sending> {
  const { accountSid, authToken, from, apiRoot = "https://api.twilio.com" } = options;
  try {
    const response = await fetch(`${apiRoot}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` },
      body: new URLSearchParams({ From: from, To: to, Body: smsText(text) }),
      // A redirected POST becomes a GET, whose 200 would count as a message sent.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), over]),
    });
    // The message is already sent or refused: a truncated body must not cause a second send.
    const body = await response.text().catch(() => "");
    if (response.status === 401)
      options.onError?.(new Error("Twilio rejects the account or its token. Correct them in the settings."));
    return outcome(response, body);
  } catch (error) {
    return { retry: unreached(error) };
  }
}

function outcome({ ok, status, headers }: Response, body: string): Sending {
  if (ok) return "sent";
  // The operator will fix a wrong token, and the message will still be valid then.
  const isLasting = status !== 401 && status !== 429 && status < 500;
  if (isLasting) return { failure: reasonIn(body) ?? `Twilio answered ${status}.` };
  const seconds = headers.get("retry-after") ?? "";
  return {
    retry: `Twilio answered ${status}.`,
    ...(/^\d+$/.test(seconds) && { afterMs: Number(seconds) * 1_000 }),
  };
}

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

/** The error's own message may contain what must not be logged. */
function unreached(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === "TimeoutError") return `Twilio did not answer within ${sendTimeoutMs} ms.`;
  return `Twilio could not be reached (${cause?.code ?? name}).`;
}

/** As many digits as the shortest phone number, with any separators. */
const numberPattern = /[+(]*\p{Nd}(?:[\s().\-/\u2010-\u2015]*\p{Nd}){6,}/gu;

/** Twilio's messages often contain the recipient's number. */
export function withoutNumbers(text: string): string {
  return text.replace(numberPattern, "[number]");
}
