import type { Sending } from "../host/outbox/courier.ts";
import { withoutNumbers } from "./e164.ts";
import { smsText } from "./twiml.ts";

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Our own number, in E.164. */
  readonly from: string;
  /** Where the API is, without a slash at its end. */
  readonly apiRoot: string;
  /** Told what only an operator can set right. */
  readonly onError?: (error: unknown) => void;
}

const sendTimeoutMs = 10_000;

/** Twilio has no keys of idempotency: a message whose answer is lost is sent again, and may arrive twice. */
export async function sendSms(
  account: TwilioAccount,
  to: string,
  text: string,
  over?: AbortSignal,
): Promise<Sending> {
  const { accountSid, authToken, from, apiRoot } = account;
  try {
    const response = await fetch(`${apiRoot}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` },
      body: new URLSearchParams({ From: from, To: to, Body: smsText(text) }),
      // Followed, a POST would become a GET, and its 200 would pass for a message sent.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), ...(over ? [over] : [])]),
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
