import { isDatabaseUrl } from "../log/postgres/database-url.ts";
import { AddressRanges } from "./address-ranges.ts";
import { allowedOrigins } from "./allowed-origins.ts";
import { roomMakers } from "./room-makers.ts";
import { trustedProxies } from "./trusted-proxies.ts";

/** Every setting there is: a flag, a variable and a key of the JSON file, each with its bounds. */
type Kind =
  | {
      readonly kind: "text";
      readonly pattern?: { test(text: string): boolean };
      readonly shape?: string;
      /** What the flag means when it is given without a value. */
      readonly alone?: string;
      readonly default?: string;
    }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly default?: number }
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
  strict: {
    kind: "switch",
    default: false,
    variable: "OPENSEAT_STRICT",
    help: "On: a variable that begins with OPENSEAT_ and is not a setting stops the start. Off: it is a warning.",
  },
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
  operatorPort: {
    kind: "number",
    min: 0,
    max: 65_535,
    variable: "OPENSEAT_OPERATOR_PORT",
    help: "A second port, for operators and metrics, which are then not found on the first; 0 for any free one.",
  },
  operatorHost: {
    kind: "text",
    default: "127.0.0.1",
    variable: "OPENSEAT_OPERATOR_HOST",
    help: "The address to listen on for operators.",
  },
  publicUrl: {
    kind: "text",
    pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#;]+)*$/,
    shape: "an http or https address without a slash at its end and without a query",
    variable: "OPENSEAT_PUBLIC_URL",
    help: "The address under which people reach this server, for links and as the issuer of admission tokens. It may have a path, such as https://example.com/openseat.",
  },
  allowedOrigins: {
    kind: "text",
    pattern: { test: (text) => allowedOrigins(text) !== undefined },
    shape: "* or origins such as https://shop.example, http://localhost:3000",
    variable: "OPENSEAT_ALLOWED_ORIGINS",
    help: "Other sites whose pages may use the API from a browser (CORS), or * for all; without it, none.",
  },
  data: {
    kind: "text",
    default: "data",
    variable: "OPENSEAT_DATA",
    help: "The folder that holds the log and the secrets.",
  },
  acceptLostChanges: {
    kind: "switch",
    default: false,
    variable: "OPENSEAT_ACCEPT_LOST_CHANGES",
    help: "On: a data folder that lacks acknowledged changes is started on all the same. For one start, after a loss that cannot be undone.",
  },
  databaseUrl: {
    kind: "text",
    pattern: { test: isDatabaseUrl },
    shape:
      "an address such as postgres://user:password@host:5432/openseat or postgres://user:password@one,two/openseat?target_session_attrs=read-write, with % before what is special in it",
    secret: true,
    variable: "DATABASE_URL",
    help: "The PostgreSQL that holds the log and the secrets of all nodes; without it they are in the folder. It may name several hosts: a primary and its standbys.",
  },
  storeTimeoutMs: {
    kind: "number",
    min: 1_000,
    max: 600_000,
    default: 5_000,
    variable: "OPENSEAT_STORE_TIMEOUT_MS",
    help: "How long to wait for the disk or the database before what needs it is refused with 503.",
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
  guests: {
    kind: "switch",
    default: true,
    variable: "OPENSEAT_GUESTS",
    help: "Off: nobody becomes a guest, and guests from before may only finish what they have begun.",
  },
  createRooms: {
    kind: "text",
    pattern: { test: (text) => roomMakers(text) !== undefined },
    shape: "a list such as games=person,arenas=service,ladders=operator",
    default: "games=person,arenas=person,ladders=person",
    variable: "OPENSEAT_CREATE_ROOMS",
    help: "The least role that may create games, arenas and ladders: person, service or operator.",
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
  smsPerHourMax: {
    kind: "number",
    min: 1,
    max: 1_000_000,
    default: 1_000,
    variable: "OPENSEAT_SMS_PER_HOUR_MAX",
    help: "Text messages that are sent in an hour; the others wait. Replies to messages are not counted.",
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
    kind: "text",
    alone: "true",
    pattern: { test: (text) => trustedProxies(text) !== undefined },
    shape: "true, false, a number of proxies from 1 to 16, or addresses and ranges such as 10.0.0.0/8, ::1",
    default: "false",
    variable: "OPENSEAT_TRUST_PROXY",
    help: "Whose X-Forwarded-For to believe: the nearest n proxies (true means one), or proxies at these addresses.",
  },
  ipv6PrefixBits: {
    kind: "number",
    min: 32,
    max: 128,
    default: 64,
    variable: "OPENSEAT_IPV6_PREFIX_BITS",
    help: "How many leading bits of an IPv6 address count as one address in limits per address.",
  },
  exemptAddresses: {
    kind: "text",
    pattern: { test: (text) => AddressRanges.parse(text) !== undefined },
    shape: "addresses and ranges such as 10.0.0.0/8, ::1",
    variable: "OPENSEAT_EXEMPT_ADDRESSES",
    help: "Addresses that budgets per person and per address do not apply to.",
  },
  writesPerPersonMax: {
    kind: "number",
    min: 0,
    max: 10_000_000,
    default: 600,
    variable: "OPENSEAT_WRITES_PER_PERSON_MAX",
    help: "Writes (joins, moves, messages and so on) that one person may make per minute. Making a room costs 20, taking back a match 10.",
  },
  writesPerAddressMax: {
    kind: "number",
    min: 0,
    max: 10_000_000,
    default: 20_000,
    variable: "OPENSEAT_WRITES_PER_ADDRESS_MAX",
    help: "Writes that all people at one address may make per minute.",
  },
  roomsPerPersonMax: {
    kind: "number",
    min: 0,
    max: 1_000_000,
    default: 100,
    variable: "OPENSEAT_ROOMS_PER_PERSON_MAX",
    help: "Games, arenas and ladders that one person may have made and that have not ended.",
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
  connectionsPerAddressMax: {
    kind: "number",
    min: 1,
    max: 1_000_000,
    default: 10_000,
    variable: "OPENSEAT_CONNECTIONS_PER_ADDRESS_MAX",
    help: "Open connections from one address; past it new ones are closed. Trusted proxies are exempt.",
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
    default: 3_000,
    variable: "OPENSEAT_LIVE_PER_ADDRESS_MAX",
    help: "Live connections from one address.",
  },
  liveMessagesPerSecond: {
    kind: "number",
    min: 1,
    max: 1_000_000,
    default: 200,
    variable: "OPENSEAT_LIVE_MESSAGES_PER_SECOND",
    help: "Messages per second that a person may send over one WebSocket; a quarter of it before the connection is authenticated.",
  },
  guestsPerAddressMax: {
    kind: "number",
    min: 0,
    max: 1_000_000,
    default: 3_000,
    variable: "OPENSEAT_GUESTS_PER_ADDRESS_MAX",
    help: "Guests that one address may make per minute through the API.",
  },
  entersPerAddressMax: {
    kind: "number",
    min: 0,
    max: 10_000_000,
    default: 3_000,
    variable: "OPENSEAT_ENTERS_PER_ADDRESS_MAX",
    help: "New places in waiting rooms that one address may take per minute through the API.",
  },
  visitorsPerAddressMax: {
    kind: "number",
    min: 0,
    max: 10_000_000,
    default: 6_000,
    variable: "OPENSEAT_VISITORS_PER_ADDRESS_MAX",
    help: "New places in waiting rooms that one address may take per minute by way of the waiting page.",
  },
  overloadDelayMs: {
    kind: "number",
    min: 50,
    max: 3_600_000,
    default: 400,
    variable: "OPENSEAT_OVERLOAD_DELAY_MS",
    help: "How late the event loop may be before all new work is refused; past 15% of it, the heaviest addresses are.",
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

type Value<S> = S extends { kind: "number"; default: number }
  ? number
  : S extends { kind: "number" }
    ? number | undefined
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
