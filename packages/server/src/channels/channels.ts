import type { Clock } from "../clock.ts";
import type { Config } from "../config/settings.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";
import { sms } from "./sms.ts";
import { SmsBudget } from "./sms-budget.ts";
import { telegram } from "./telegram.ts";

interface Surroundings {
  readonly clock: Clock;
  /** Telegram sends it with every webhook request to prove its origin. */
  readonly webhookSecret: string;
  readonly onError: (error: unknown) => void;
  /** Called for each text message delayed until the next hour; `isFirst` once per hour. */
  readonly onSmsHeld: (isFirst: boolean) => void;
}

/** The configured channels. */
export function channelsFrom(config: Config, surroundings: Surroundings): readonly ChannelAdapter[] {
  return [telegramFrom, smsFrom].flatMap((from) => from(config, surroundings) ?? []);
}

function telegramFrom(
  config: Config,
  { clock, webhookSecret, onError }: Surroundings,
): ChannelAdapter | undefined {
  const { telegramToken: token, telegramApi: apiRoot, telegramWebhook, publicUrl } = config;
  if (token === undefined) return undefined;
  const webhook = { url: `${publicUrl}/api/v1/chat/telegram`, secret: webhookSecret };
  return telegram({ token, apiRoot, ...(telegramWebhook && { webhook }), clock, onError });
}

function smsFrom(config: Config, { clock, onError, onSmsHeld }: Surroundings): ChannelAdapter | undefined {
  const { twilioAccountSid, twilioAuthToken, smsFrom: from, twilioApi: apiRoot, publicUrl } = config;
  if (twilioAccountSid === undefined || twilioAuthToken === undefined || from === undefined) return undefined;
  const webhookUrl = `${publicUrl}/api/v1/chat/sms`;
  return sms({
    accountSid: twilioAccountSid,
    authToken: twilioAuthToken,
    from,
    apiRoot,
    webhookUrl,
    budget: new SmsBudget({ clock, perHourMax: config.smsPerHourMax, onHeld: onSmsHeld }),
    onError,
  });
}
