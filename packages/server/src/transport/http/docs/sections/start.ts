import { html } from "@openseat/web";
import { originMark } from "../examples.ts";
import { code, heading } from "../parts.ts";
import type { Section } from "./section.ts";

const becomeGuest = `TOKEN=$(curl -s -X POST ${originMark}/api/v1/guests | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`;
const join = `curl -X POST ${originMark}/api/v1/games/demo/join \\
  -H "Authorization: Bearer $TOKEN"`;
const watch = `curl -N ${originMark}/api/v1/games/demo/events`;

/** From nothing to a seat, in three commands. */
export function startSection(): Section {
  const id = "start";
  const title = "Start here";
  const body = html`${heading(2, id, title)}
<p>Three commands in a terminal take you to a seat. A server that starts with a new data folder makes a game called <code>demo</code> to try them on.</p>
<ol class="steps">
<li><h3>Become a guest</h3><p>A guest needs no account. The token is the only proof of who you are, so keep it.</p>
${code(becomeGuest, "Become a guest, with curl")}</li>
<li><h3>Join a game</h3><p>You get a seat or, when the game is full and has a line, a position in it. Asking again never takes a second one.</p>
${code(join, "Join a game, with curl")}</li>
<li><h3>Watch it live</h3><p>Every change arrives in order as it becomes durable. Join from another terminal and see it here.</p>
${code(watch, "Watch a game, with curl")}</li>
</ol>
<p>For programs: <a href="openapi.json">the OpenAPI document</a>, from which this page is made.</p>`;
  return { id, title, entries: [], body };
}
