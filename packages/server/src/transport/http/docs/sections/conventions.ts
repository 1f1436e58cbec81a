import { html } from "@openseat/web";
import { heading, json, table } from "../parts.ts";
import type { Section } from "./section.ts";

const success = {
  success: true,
  message: "Successfully joined the game",
  data: { "…": "what the route answers" },
};
const failure = {
  success: false,
  message: "Game is full",
  statusCode: 400,
  code: "room.full",
  data: { currentPlayers: 4, maxPlayers: 4, availableSlots: 0 },
};

const parts = [
  {
    id: "envelope",
    title: "The envelope",
    body: html`<p>Every answer has one of two shapes. Rely on <code>code</code>, the stable word from <a href="#refusals">the catalogue of refusals</a>; <code>message</code> is for people and may be reworded. Field tables below list what is inside <code>data</code>. Input that breaks a bound is refused with all its faults in <code>data.errors</code>.</p>
<div class="pair">${json(success, "A success")}${json(failure, "A failure")}</div>`,
  },
  {
    id: "tokens",
    title: "Who is asking",
    body: html`<p>Send <code>Authorization: Bearer …</code> with every request that is not open to anyone.</p>
${table(
  "Roles",
  ["Role", "Proved by"],
  [
    [
      html`<span class="chip chip-person">person</span>`,
      html`A guest’s token from <code>POST /api/v1/guests</code>, or a token of the issuer that this server was told to trust. A person acts only for themselves.`,
    ],
    [
      html`<span class="chip chip-service">service</span>`,
      html`The service key: <code>OPENSEAT_SERVICE_KEY</code>, or the one in the data folder’s <code>secrets.json</code>.`,
    ],
    [
      html`<span class="chip chip-operator">operator</span>`,
      html`The operator key, found in the same places.`,
    ],
  ],
)}`,
  },
  {
    id: "keys",
    title: "Asking again safely",
    body: html`<p>A request that changes something takes an <code>Idempotency-Key</code> header of 1 to 255 printable characters. If an answer was lost on the way, ask again with the same key: the change happens once, and you get the same status and body with <code>Idempotent-Replayed: true</code>.</p>
<ul><li>Keys are yours alone, and are kept for at least 24 hours, across restarts; those of a ladder for ever.</li>
<li>The same key with another request is refused with <a href="#key.reused"><code>key.reused</code></a>, and nothing changes.</li>
<li>Refusals are not remembered: they changed nothing, so asking again asks anew.</li>
<li>Opening a duel requires a key, and a chat message requires a <code>messageId</code> or a key.</li>
<li>Everything else is safe to repeat without a key: joining twice never gives two seats, and a move counts in the turn that it names. Only a match that is reported to a ladder twice is two matches, and making a room twice makes two.</li></ul>`,
  },
  {
    id: "retry",
    title: "When to come back",
    body: html`<p>Answers with the status 429 or 503 carry <code>Retry-After</code>, in seconds. A refusal with <code>"retryable": true</code> may well succeed if you ask the very same thing again.</p>`,
  },
  {
    id: "paging",
    title: "Paging",
    body: html`<p>Lists answer a page and a <code>nextCursor</code>. Pass it as <code>cursor</code> for the page after; it is <code>null</code> on the last one. People who come and go meanwhile make you miss nobody and see nobody twice.</p>`,
  },
];

/** What holds for every route, said once. */
export function conventionsSection(): Section {
  const id = "conventions";
  const title = "What holds everywhere";
  const body = html`${heading(2, id, title)}${parts.map((part) => html`${heading(3, part.id, part.title)}${part.body}`)}`;
  return { id, title, entries: parts.map((part) => ({ id: part.id, title: part.title })), body };
}
