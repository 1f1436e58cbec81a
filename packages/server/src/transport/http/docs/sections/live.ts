import {
  type ArenaChange,
  type ClientMessage,
  clientMessages,
  type GameChange,
  type LadderChange,
  type QueueChange,
} from "@openseat/protocol";
import { type Html, html } from "@openseat/web";
import { messageRules } from "../../../live/messages.ts";
import type { Schema } from "../api-document.ts";
import { exampleOf, originMark } from "../examples.ts";
import { fieldsOf } from "../fields.ts";
import { code, fieldTable, heading, json, roleChips, table } from "../parts.ts";
import { prose } from "../words.ts";
import type { Section } from "./section.ts";

const messageMeanings: Readonly<Record<ClientMessage["type"], string>> = {
  auth: "Proves who you are, for every message after it. Browsers cannot send a header when they open a WebSocket; this is how they do it.",
  join: "Joins a game or an arena, or its line: the same as over HTTP. Exactly one of `game` and `arena` says which.",
  leave: "Leaves a game or an arena, or its line.",
  move: "Makes a move in the match that is on: the same as over HTTP.",
  resign: "Gives the match up: the same as over HTTP.",
  "can-join": "Asks whether you could join, and why not.",
  watch:
    "Follows a game, an arena, a ladder, a waiting room (`queue`, for services and operators), or what is said to you (`conversation`, which needs a token of a person): exactly one of them. With `after`, from the change after that version; without it, from a view of the whole. In an arena, and in a game with `heartbeatTimeoutSeconds`, it keeps your place alive for as long as the connection is open.",
  unwatch: "Stops following a game, an arena, a ladder, a waiting room or your conversation.",
  enter: "Enters the line of a waiting room, or finds your place in it: the same as over HTTP.",
  heartbeat:
    "Says that you are still there, and gives your exact position: in a line (`position`) or in a game (`game`), exactly one of them.",
  attend:
    "Follows your place in a line. As long as the connection is open it is a sign of life; you get the pulse of the line, at most four times a second, and your position whenever something happens to it.",
  unattend: "Stops following a place. It is kept for as long as its lease says.",
  ping: "Asks whether the server is there.",
};

const changeMeanings: Readonly<Record<GameChange["type"], string>> = {
  "player-joined": "Someone has a seat: they came, or moved up from the line.",
  "player-waiting": "Someone has entered the line.",
  "player-left": "A seat or a place in the line is free again: `reason` says why.",
  "status-changed": "The game became OPEN, FULL or ENDED: status says which.",
};

const arenaChangeMeanings: Readonly<Record<ArenaChange["type"], string>> = {
  entered: "Someone is in the line: they came, or went to the back.",
  seated: "The front of the line has a seat.",
  left: "A place is over: `reason` says why. Whoever goes to the back has an `entered` in the same change.",
  "match-started": "All seats are filled.",
  moved: "A move was made. `move` is null where moves are secret: the table tells it in time.",
  "match-ended": "The match is over: `result` is the same as in the history of matches.",
  "clock-restarted": "The server was away: whoever has to move has all of their time again.",
  "settings-changed": "The arena was changed.",
  "arena-ended":
    "Its maker or an operator ended it, or nobody used it within a week of its creation: `reason` says which.",
};

const ladderChangeMeanings: Readonly<Record<LadderChange["type"], string>> = {
  "player-joined": "Somebody new is on the ladder.",
  "player-banned": "Somebody may not join the ladder any more.",
  "player-unbanned": "Somebody who was banned may join again.",
  "player-returned": "Somebody is back, with what they had.",
  "player-left": "Somebody has left.",
  "player-renamed": "Somebody goes by another name.",
  "match-reported": "A match waits to be confirmed.",
  "match-counted": "A match counts, and both have another rating.",
  "match-voided":
    "A match is as if it had never been. Where `recounted` is not 0, so many later ones were rated anew: read again what you show.",
  "match-declined": "The opponent has declined a match; it will not count.",
  "match-lapsed": "A match was not confirmed in time, or made room for newer ones; it will not count.",
  "import-begun": "A file of past matches is being counted.",
  "import-progress": "So many of its rows count by now.",
  "settings-changed": "The ladder was changed.",
  "ladder-ended":
    "Its maker or an operator ended it, or nobody used it within a week of its creation: `reason` says which.",
};

const queueChangeMeanings: Readonly<Record<QueueChange["type"], string>> = {
  entered: "Someone is in the line, at this `position`.",
  admitted: "It is someone's turn; the admission can be claimed until `claimBy`.",
  claimed: "Someone has come in, until `endTime` at the latest.",
  completed: "A visit was completed.",
  left: "Someone gave up their place in the line (`cancelled`) or after it (`left`).",
  expired: "A place has expired: `reason` says why.",
  away: "A waiting person was not heard of for a while, and is passed over.",
  back: "That person was heard of again.",
  "settings-changed": "The waiting room was changed, paused or resumed.",
  "queue-ended": "The waiting room has ended, and every place in it.",
};

const counts = { currentPlayers: 4, maxPlayers: 4, availableSlots: 0, waiting: 0 };
const answer = {
  id: 1,
  type: "answer",
  status: 200,
  body: { success: true, message: "Successfully joined the game", data: { "…": "as over HTTP" } },
};
const view = { type: "view", version: 41, game: { id: "demo", status: "OPEN", "…": "the whole game" } };
const change = {
  type: "change",
  version: 42,
  game: "demo",
  at: "2030-01-01T20:00:00.000Z",
  changes: [
    {
      type: "player-joined",
      player: { participantId: "demo-41", userId: "guest_…", name: "Ann" },
      ...counts,
    },
    { type: "status-changed", status: "FULL", ...counts },
  ],
};
const arenaChange = {
  type: "change",
  version: 42,
  arena: "demo",
  at: "2030-01-01T20:00:00.000Z",
  changes: [{ type: "moved", label: "X", move: "b2" }],
  state: { match: { "…": "the match and its table, as you may see it" } },
};
const ladderChange = {
  type: "change",
  version: 42,
  ladder: "demo",
  at: "2030-01-01T20:00:00.000Z",
  changes: [
    {
      type: "match-counted",
      match: {
        id: "3",
        players: [
          { number: 1, score: 3, before: 1000, after: 1016 },
          { number: 2, score: 1, before: 1000, after: 984 },
        ],
      },
    },
  ],
};
const queueChange = {
  ...{ type: "change", version: 42, queue: "shop", at: "2030-01-01T20:00:00.000Z" },
  changes: [
    { type: "completed", positionId: "shop-a-…" },
    { type: "admitted", positionId: "shop-3c4-…", claimBy: "2030-01-01T20:02:00.000Z" },
  ],
  ...{ waiting: 812, admitted: 1, active: 99, moved: 4321 },
};
const conversationChange = {
  type: "change",
  version: 42,
  conversation: "me",
  lines: [
    { by: "you", text: "throw rock @Bob", at: "2030-01-01T20:00:00.000Z" },
    {
      by: "openseat",
      text: "You threw. It is secret until Bob throws too; …",
      at: "2030-01-01T20:00:00.000Z",
    },
  ],
};
const events = `retry: 1000

id: 41
event: view
data: {"type":"view","version":41,"game":{…}}

id: 42
event: change
data: {"type":"change","version":42,"game":"demo","at":"…","changes":[…]}`;

interface Part {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

/** What is said on the WebSocket, what comes back, and the same feed as server-sent events. */
export function liveSection(): Section {
  const id = "live-messages";
  const title = "Live messages";
  const parts = [openingPart(), sayPart(), hearPart(), resumePart(), eventStreamPart()];
  const body = html`${heading(2, id, title)}${parts.map((part) => html`${heading(3, part.id, part.title)}${part.body}`)}`;
  return { id, title, entries: parts, body };
}

function openingPart(): Part {
  return {
    id: "live-open",
    title: "Opening",
    body: html`<p>Open a WebSocket at the address below (with <code>ws:</code> or <code>wss:</code> instead of <code>http:</code> or <code>https:</code>). Every message is one JSON object, as text, with a number of your own as its <code>id</code>; the answer carries the same number. Answers may come in another order than the questions.</p>
${code(`${originMark}/api/v1/live`, "The address of the live connection")}
<p>Who you are comes from the <code>Authorization</code> header that the connection was opened with, from an <code>auth</code> message, or from a <code>token</code> in a message, for that message alone.</p>`,
  };
}

function sayPart(): Part {
  const messages = Object.values(clientMessages) as unknown as readonly Schema[];
  return { id: "live-say", title: "What you may say", body: html`${messages.map(message)}` };
}

function message(schema: Schema): Html {
  const type = schema.properties?.type?.const as ClientMessage["type"];
  const fields = fieldsOf(schema, (same) => same).filter(({ name }) => name !== "type");
  const described = fields.map((field) =>
    field.name === "id" ? { ...field, meaning: "Your own number for this message." } : field,
  );
  const { id, ...rest } = exampleOf(schema);
  return html`<article class="message" aria-labelledby="live-${type}">
${heading(4, `live-${type}`, html`<code>${type}</code>`)}
<p>${prose(messageMeanings[type])}</p>
${roleChips(messageRules[type].access)}
${fieldTable(`Message: ${type}`, described, ({ required }) => (required ? ["required"] : []))}
${code(JSON.stringify({ id, ...rest }), `An example of ${type}`)}
</article>
`;
}

function hearPart(): Part {
  return {
    id: "live-hear",
    title: "What comes back",
    body: html`<p><code>answer</code>: one to each message. <code>status</code> and <code>body</code> are those of HTTP, <code>replayed</code> is there when a key was recognised, and <code>retryAfterSeconds</code> where HTTP has <code>Retry-After</code>.</p>
${json(answer, "An answer")}
<p><code>view</code>: the whole of what you watch, at a version. It comes first, and again if you fell too far behind.</p>
${json(view, "A view")}
<p><code>change</code>: one entry of the log, one version further: everything it changed, in order, with the counts after it. Only changes that are safely on the disk are sent.</p>
${json(change, "A change")}
${changeTable("Changes of a game", changeMeanings)}
<p>Of an arena everyone sees what is theirs to see. A view is all that <code>GET /api/v1/arenas/{id}</code> answers to you; a change comes with whatever may be new in the <code>state</code>, unless a later one comes at once; what is not in it is as it was.</p>
${json(arenaChange, "A change of an arena")}
${changeTable("Changes of an arena", arenaChangeMeanings)}
<p>A ladder looks the same to everyone. A view has its settings and counts, and not the standings, which are asked for; a change names players by the <code>number</code> that is in every row of them.</p>
${json(ladderChange, "A change of a ladder")}
${changeTable("Changes of a ladder", ladderChangeMeanings)}
<p>A waiting room is watched by services and operators; people follow their own place. A change has the counts after it.</p>
${json(queueChange, "A change of a waiting room")}
${changeTable("Changes of a waiting room", queueChangeMeanings)}
<p>Your conversation is <code>me</code>, and nobody else’s can be watched. A view has its latest 100 lines, with their numbers, as <code>GET /api/v1/conversations/me</code> has; a change has the <code>lines</code> that are new: what you said with what came back, or what you are told of what others did.</p>
${json(conversationChange, "A change of a conversation")}`,
  };
}

function changeTable(caption: string, meanings: Readonly<Record<string, string>>): Html {
  const rows = Object.entries(meanings);
  return table(
    caption,
    ["Change", "Means"],
    rows.map(([type, meaning]) => [html`<code class="name">${type}</code>`, prose(meaning)]),
  );
}

function resumePart(): Part {
  return {
    id: "live-resume",
    title: "Resuming",
    body: html`<p>Keep the <code>version</code> of the last message you saw. After a break, watch again with it as <code>after</code>: you get every change that you missed, in order, once. If that is very long ago, you get a <code>view</code> instead and go on from there. Of an arena a <code>view</code> comes after the missed changes too.</p>`,
  };
}

function eventStreamPart(): Part {
  return {
    id: "server-sent-events",
    title: "Server-sent events",
    body: html`<p><code>GET /api/v1/games/{id}/events</code>, <code>GET /api/v1/arenas/{id}/events</code>, <code>GET /api/v1/ladders/{id}/events</code>, <code>GET /api/v1/queues/{id}/events</code> and <code>GET /api/v1/conversations/me/events</code> carry the same views and changes to whatever speaks HTTP. A browser’s <code>EventSource</code> resumes by itself with <code>Last-Event-ID</code>; others pass <code>?after=</code>.</p>
${code(events, "An event stream")}`,
  };
}
