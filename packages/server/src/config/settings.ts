import { isDatabaseUrl } from "../log/postgres/connection/database-url.ts";
import { AddressRanges } from "./address-ranges.ts";
import { allowedOrigins } from "./allowed-origins.ts";
import { roomMakers } from "./room-makers.ts";
import { number, onOff, text, type Value, withVariables } from "./setting.ts";
import { trustedProxies } from "./trusted-proxies.ts";

const key = {
  pattern: /^[\x21-\x2d\x2f-\x7e]{16,256}$/,
  shape: "16 to 256 characters without spaces or dots",
  secret: true,
} as const;

const address = {
  pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#]+)*$/,
  shape: "an http or https address without a slash at its end",
} as const;

export const settings = withVariables({
  strict: onOff(
    { default: false },
    "On: an unknown variable that begins with OPENSEAT_ stops the start. Off: it only causes a warning.",
  ),
  port: number(
    { min: 0, max: 65_535, default: 8080, variable: "PORT" },
    "The port to listen on; 0 for any free one.",
  ),
  host: text({ default: "127.0.0.1", variable: "HOST" }, "The address to listen on; 0.0.0.0 for all."),
  operatorPort: number(
    { min: 0, max: 65_535 },
    "A second port for operators and metrics, which the first port then no longer serves; 0 for any free one.",
  ),
  operatorHost: text({ default: "127.0.0.1" }, "The address to listen on for operators."),
  publicUrl: text(
    {
      pattern: /^https?:\/\/[^\s/?#@]+(\/[^\s/?#;]+)*$/,
      shape: "an http or https address without a slash at its end and without a query",
    },
    "The address at which people reach this server, used in links and as the issuer of admission tokens. It may have a path, such as https://example.com/openseat.",
  ),
  allowedOrigins: text(
    {
      pattern: { test: (text) => allowedOrigins(text) !== undefined },
      shape: "* or origins such as https://shop.example, http://localhost:3000",
    },
    "Other sites whose pages may use the API from a browser (CORS), or * for all. Default: none.",
  ),
  data: text({ default: "data" }, "The folder that holds the log and the secrets."),
  acceptLostChanges: onOff(
    { default: false },
    "On: start even if the data folder lacks acknowledged changes. Use it for one start, after a loss that cannot be undone.",
  ),
  databaseUrl: text(
    {
      pattern: { test: isDatabaseUrl },
      shape:
        "an address such as postgres://user:password@host:5432/openseat or postgres://user:password@one,two/openseat?target_session_attrs=read-write, with special characters percent-encoded",
      secret: true,
      variable: "DATABASE_URL",
    },
    "The PostgreSQL database with the log and the secrets of all nodes. Default: they are in the data folder. It may name several hosts: a primary and its standbys.",
  ),
  storeTimeoutMs: number(
    { min: 1_000, max: 600_000, default: 5_000 },
    "How long to wait for the disk or the database. After that, requests that need it are refused with 503.",
  ),
  demo: onOff(
    {},
    "On: demo rooms if there are no others, and bots that play in them. Off: neither. Default: demo rooms without bots.",
  ),
  logLevel: text(
    {
      pattern: /^(fatal|error|warn|info|debug|trace|silent)$/,
      shape: "one of fatal, error, warn, info, debug, trace, silent",
      default: "info",
    },
    "How much to log.",
  ),
  operatorKey: text(key, "The operator's bearer token. Default: generated at the first start."),
  serviceKey: text(key, "The bearer token of services. Default: generated at the first start."),
  issuer: text({}, "The `iss` of your own tokens."),
  issuerSecret: text(
    { pattern: /^.{32,}$/s, shape: "at least 32 characters", secret: true },
    "The shared secret of your own tokens (HS256).",
  ),
  issuerJwksUrl: text(
    { pattern: /^https?:\/\/\S+$/, shape: "an http or https address" },
    "The address of the public keys (JWKS) of your own tokens, instead of a secret.",
  ),
  audience: text({}, "The `aud` that your own tokens must carry."),
  guests: onOff(
    { default: true },
    "Off: nobody can become a guest, and existing guests may only finish what they have begun.",
  ),
  createRooms: text(
    {
      pattern: { test: (text) => roomMakers(text) !== undefined },
      shape: "a list such as games=person,arenas=service,ladders=operator",
      default: "games=person,arenas=person,ladders=person",
    },
    "The least role that may create games, arenas and ladders: person, service or operator.",
  ),
  chatLadder: text(
    { pattern: /^[A-Za-z0-9_-]{1,64}$/, shape: "1 to 64 letters, digits, _ or -", default: "chat" },
    "The ladder for chat users who have not named one. It is created when it is first needed.",
  ),
  telegramToken: text(
    {
      pattern: /^\d{1,20}:[\w-]{10,100}$/,
      shape: "a bot token, as Telegram's BotFather gives it",
      secret: true,
    },
    "The token of your Telegram bot. Without it, Telegram is off.",
  ),
  telegramWebhook: onOff(
    { default: false },
    "On: Telegram sends messages to OPENSEAT_PUBLIC_URL (webhook). Off: the server polls for them, which needs no public address.",
  ),
  telegramApi: text(
    { ...address, default: "https://api.telegram.org" },
    "The address of the Bot API, if you run your own.",
  ),
  twilioAccountSid: text(
    { pattern: /^AC[0-9A-Za-z]{32}$/, shape: "an account SID, AC and 32 characters" },
    "The Twilio account that sends text messages (SMS). Without it, SMS is off.",
  ),
  twilioAuthToken: text(
    { pattern: /^\S{8,128}$/, shape: "8 to 128 characters without spaces", secret: true },
    "The account's auth token, which signs incoming messages.",
  ),
  smsFrom: text(
    { pattern: /^\+[1-9]\d{6,14}$/, shape: "a number such as +15005550006" },
    "The number that text messages are sent from.",
  ),
  smsPerHourMax: number(
    { min: 1, max: 1_000_000, default: 1_000 },
    "Text messages sent per hour; further ones wait. Replies to messages do not count.",
  ),
  twilioApi: text(
    { ...address, default: "https://api.twilio.com" },
    "The address of the API for text messages, if it is not Twilio's.",
  ),
  trustProxy: text(
    {
      pattern: { test: (text) => trustedProxies(text) !== undefined },
      shape: "true, false, a number of proxies from 1 to 16, or addresses and ranges such as 10.0.0.0/8, ::1",
      alone: "true",
      default: "false",
    },
    "Which proxies' X-Forwarded-For to trust: the nearest n (true means one), or those at these addresses.",
  ),
  ipv6PrefixBits: number(
    { min: 32, max: 128, default: 64 },
    "How many leading bits of an IPv6 address count as one address in limits per address.",
  ),
  exemptAddresses: text(
    {
      pattern: { test: (text) => AddressRanges.parse(text) !== undefined },
      shape: "addresses and ranges such as 10.0.0.0/8, ::1",
    },
    "Addresses that are exempt from the budgets per person and per address.",
  ),
  writesPerPersonMax: number(
    { min: 0, max: 10_000_000, default: 600 },
    "Writes (joins, moves, messages and so on) per person and minute. Creating a room costs 20, undoing a match 10.",
  ),
  writesPerAddressMax: number(
    { min: 0, max: 10_000_000, default: 20_000 },
    "Writes per address and minute, by all people there.",
  ),
  roomsPerPersonMax: number(
    { min: 0, max: 1_000_000, default: 100 },
    "Games, arenas and ladders that one person may have created and that have not ended.",
  ),
  fastPath: onOff(
    { default: true },
    "Off: all requests go through Fastify. For debugging: answers are the same, but take longer.",
  ),
  bodyBytesMax: number({ min: 1024, max: 1_048_576, default: 65_536 }, "The largest request body."),
  connectionsMax: number(
    { min: 1, max: 1_000_000, default: 50_000 },
    "Open connections in all; further ones are closed.",
  ),
  connectionsPerAddressMax: number(
    { min: 1, max: 1_000_000, default: 10_000 },
    "Open connections per address; further ones are closed. Trusted proxies are exempt.",
  ),
  liveMax: number({ min: 0, max: 1_000_000, default: 20_000 }, "Live connections in all."),
  livePerAddressMax: number({ min: 0, max: 1_000_000, default: 3_000 }, "Live connections per address."),
  liveMessagesPerSecond: number(
    { min: 1, max: 1_000_000, default: 200 },
    "Messages per second over one WebSocket; a quarter of that before the connection is authenticated.",
  ),
  guestsPerAddressMax: number(
    { min: 0, max: 1_000_000, default: 3_000 },
    "New guests per address and minute through the API.",
  ),
  entersPerAddressMax: number(
    { min: 0, max: 10_000_000, default: 3_000 },
    "New places in waiting rooms per address and minute through the API.",
  ),
  visitorsPerAddressMax: number(
    { min: 0, max: 10_000_000, default: 6_000 },
    "New places in waiting rooms per address and minute through the waiting page.",
  ),
  overloadDelayMs: number(
    { min: 50, max: 3_600_000, default: 400 },
    "The event-loop delay above which all new work is refused. Above 15% of it, the heaviest addresses are refused.",
  ),
  residentRoomsMax: number(
    { min: 1, max: 10_000_000, default: 100_000 },
    "Rooms kept in memory; above it, the least recently used are unloaded.",
  ),
  idleSeconds: number(
    { min: 1, max: 86_400, default: 300 },
    "How long a room may be idle before it is unloaded from memory.",
  ),
});

export type SettingName = keyof typeof settings;

export type Config = { readonly [Name in SettingName]: Value<(typeof settings)[Name]> };

export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
