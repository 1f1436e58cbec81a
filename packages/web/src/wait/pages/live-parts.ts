import { type Content, Html, html } from "../../html.ts";
import type { LiveTexts } from "../browser/live-texts.ts";
import type { WaitState } from "../browser/state.ts";

/** Content that is visible only in these states of the place; the script shows and hides it. */
export function part(when: string, { status }: WaitState, content: Content): Html {
  const hidden = new Html(when.split(" ").includes(status) ? "" : " hidden");
  return html`<section data-when="${when}"${hidden}>
${content}
</section>`;
}

/** The state of the connection. Hidden without scripts, because there is no connection then. */
export function connectionLine({ link }: LiveTexts): Html {
  return html`<p class="link"><span class="dot"></span><span data-live="link">${link.connecting}</span></p>`;
}

/** Live regions for screen readers: one polite, one urgent. */
export function spoken(): Html {
  return html`<p class="unseen" role="status" aria-live="polite" data-live="said"></p>
<p class="unseen" role="alert" aria-live="assertive" data-live="said-at-once"></p>`;
}
