import { isDatabaseUrl } from "./database-url.ts";

/** Every setting there is: a flag, a variable and a key of the JSON file, each with its bounds. */
type Kind =
  | {
      readonly kind: "text";
      readonly pattern?: Pick<RegExp, "test">;
      readonly shape?: string;
      readonly default?: string;
    }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly default: number }
  | { readonly kind: "switch"; readonly default?: boolean };

export type Setting = Kind & {
  readonly variable: string;
  readonly help: string;
  /** Never shown, neither in logs nor in errors (AU4). */
  readonly secret?: true;
};

const key = {
  kind: "text",
  pattern: /^[\x21-\x2d\x2f-\x7e]{16,256}$/,
  shape: "16 to 256 characters without spaces or dots",
  secret: true,
} as const;

export const settings = {
  port: {
    kind: "number",
    min: 0,
    max: 65_535,
    default: 8080,
    variable: "PORT",
    help: "The port to listen on; 0 for any free one.",
  },
  host: {
    kind: "text",
    default: "127.0.0.1",
    variable: "HOST",
    help: "The address to listen on; 0.0.0.0 for all.",
  },
  publicUrl: {
    kind: "text",
    pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#]+)*$/,
    shape: "an http or https address without a slash at its end and without a query",
    variable: "OPENSEAT_PUBLIC_URL",
    help: "The address under which people reach this server, for links and as the issuer of admission tokens.",
  },
  data: {
    kind: "text",
    default: "data",
    variable: "OPENSEAT_DATA",
    help: "The folder that holds the log and the secrets.",
  },
  databaseUrl: {
    kind: "text",
    pattern: { test: isDatabaseUrl },
    shape:
      "an address such as postgres://user:password@host:5432/openseat, with % before what is special in it",
    secret: true,
    variable: "DATABASE_URL",
    help: "The PostgreSQL that holds the log and the secrets of all nodes; without it they are in the folder.",
  },
  demo: {
    kind: "switch",
    variable: "OPENSEAT_DEMO",
    help: "On: demo rooms where there are none, and bots that play in them. Off: neither. Unless given: the rooms alone.",
  },
  logLevel: {
    kind: "text",
    pattern: /^(fatal|error|warn|info|debug|trace|silent)$/,
    shape: "one of fatal, error, warn, info, debug, trace, silent",
    default: "info",
    variable: "OPENSEAT_LOG_LEVEL",
    help: "How much to log.",
  },
  operatorKey: {
    ...key,
    variable: "OPENSEAT_OPERATOR_KEY",
    help: "The operator's bearer token; made at first start when not given.",
  },
  serviceKey: {
    ...key,
    variable: "OPENSEAT_SERVICE_KEY",
    help: "The bearer token of services; made at first start when not given.",
  },
  issuer: { kind: "text", variable: "OPENSEAT_ISSUER", help: "The `iss` of your own tokens." },
  issuerSecret: {
    kind: "text",
    pattern: /^.{32,}$/s,
    shape: "at least 32 characters",
    secret: true,
    variable: "OPENSEAT_ISSUER_SECRET",
    help: "The shared secret of your own tokens (HS256).",
  },
  issuerJwksUrl: {
    kind: "text",
    pattern: /^https?:\/\/\S+$/,
    shape: "an http or https address",
    variable: "OPENSEAT_ISSUER_JWKS_URL",
    help: "Where the public keys of your own tokens are (instead of a secret).",
  },
  audience: {
    kind: "text",
    variable: "OPENSEAT_AUDIENCE",
    help: "The `aud` that your own tokens must carry.",
  },
  chatLadder: {
    kind: "text",
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    shape: "1 to 64 letters, digits, _ or -",
    default: "chat",
    variable: "OPENSEAT_CHAT_LADDER",
    help: "The ladder of those who chat and have not said which; made when it is first asked for.",
  },
  telegramToken: {
    kind: "text",
    pattern: /^\d{1,20}:[\w-]{10,100}$/,
    shape: "a bot token, as Telegram's BotFather gives it",
    secret: true,
    variable: "OPENSEAT_TELEGRAM_TOKEN",
    help: "The token of your Telegram bot; without it there is no Telegram.",
  },
  telegramWebhook: {
    kind: "switch",
    default: false,
    variable: "OPENSEAT_TELEGRAM_WEBHOOK",
    help: "On: Telegram brings messages to OPENSEAT_PUBLIC_URL. Off: they are fetched, which needs no public address.",
  },
  telegramApi: {
    kind: "text",
    pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#]+)*$/,
    shape: "an http or https address without a slash at its end",
    default: "https://api.telegram.org",
    variable: "OPENSEAT_TELEGRAM_API",
    help: "Where the Bot API is, if you run one of your own.",
  },
  twilioAccountSid: {
    kind: "text",
    pattern: /^AC[0-9A-Za-z]{32}$/,
    shape: "an account SID, AC and 32 characters",
    variable: "OPENSEAT_TWILIO_ACCOUNT_SID",
    help: "The account that sends text messages (SMS); without it there are none.",
  },
  twilioAuthToken: {
    kind: "text",
    pattern: /^\S{8,128}$/,
    shape: "8 to 128 characters without spaces",
    secret: true,
    variable: "OPENSEAT_TWILIO_AUTH_TOKEN",
    help: "Its auth token, which signs the messages that come in.",
  },
  smsFrom: {
    kind: "text",
    pattern: /^\+[1-9]\d{6,14}$/,
    shape: "a number such as +15005550006",
    variable: "OPENSEAT_SMS_FROM",
    help: "The number that text messages come from.",
  },
  twilioApi: {
    kind: "text",
    pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#]+)*$/,
    shape: "an http or https address without a slash at its end",
    default: "https://api.twilio.com",
    variable: "OPENSEAT_TWILIO_API",
    help: "Where the API for text messages is, if it is not Twilio's own.",
  },
  trustProxy: {
    kind: "switch",
    default: false,
    variable: "OPENSEAT_TRUST_PROXY",
    help: "Believe X-Forwarded-For: only behind a proxy that sets it.",
  },
  bodyBytesMax: {
    kind: "number",
    min: 1024,
    max: 1_048_576,
    default: 65_536,
    variable: "OPENSEAT_BODY_BYTES_MAX",
    help: "The largest body of a request.",
  },
  connectionsMax: {
    kind: "number",
    min: 1,
    max: 1_000_000,
    default: 50_000,
    variable: "OPENSEAT_CONNECTIONS_MAX",
    help: "Open connections in all; past it new ones are closed.",
  },
  liveMax: {
    kind: "number",
    min: 0,
    max: 1_000_000,
    default: 20_000,
    variable: "OPENSEAT_LIVE_MAX",
    help: "Live connections in all.",
  },
  livePerAddressMax: {
    kind: "number",
    min: 0,
    max: 1_000_000,
    default: 256,
    variable: "OPENSEAT_LIVE_PER_ADDRESS_MAX",
    help: "Live connections from one address.",
  },
  guestsPerAddressMax: {
    kind: "number",
    min: 0,
    max: 1_000_000,
    default: 120,
    variable: "OPENSEAT_GUESTS_PER_ADDRESS_MAX",
    help: "Guests that one address may make in a minute.",
  },
  residentRoomsMax: {
    kind: "number",
    min: 1,
    max: 10_000_000,
    default: 100_000,
    variable: "OPENSEAT_RESIDENT_ROOMS_MAX",
    help: "Rooms in memory; past it the quietest leave.",
  },
  idleSeconds: {
    kind: "number",
    min: 1,
    max: 86_400,
    default: 300,
    variable: "OPENSEAT_IDLE_SECONDS",
    help: "How long a room may be quiet before it leaves memory.",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

type Value<S> = S extends { kind: "number" }
  ? number
  : S extends { kind: "switch"; default: boolean }
    ? boolean
    : S extends { kind: "switch" }
      ? boolean | undefined
      : S extends { default: string }
        ? string
        : string | undefined;

export type Config = { readonly [Name in SettingName]: Value<(typeof settings)[Name]> };

export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
