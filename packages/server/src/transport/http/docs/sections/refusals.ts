import { refusals } from "@openseat/kernel";
import { html } from "@openseat/web";
import { heading, table } from "../parts.ts";
import { prose } from "../words.ts";
import type { Section } from "./section.ts";

/** The kernel's catalogue, as it is. */
export function refusalsSection(): Section {
  const id = "refusals";
  const title = "Refusals";
  const rows = Object.entries(refusals).map(([code, { status, means }]) => [
    html`<a class="code-link" id="${code}" href="#${code}"><code class="name">${code}</code></a>`,
    html`<span class="status status-${Math.floor(status / 100)}">${status}</span>`,
    prose(means),
  ]);
  const body = html`${heading(2, id, title)}
<p>Why nothing was changed. These words are stable: programs may rely on them.</p>
${table("Every refusal", ["Code", "Status", "Means"], rows)}`;
  return { id, title, entries: [], body };
}
