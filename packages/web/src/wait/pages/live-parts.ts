import { type Content, Html, html } from "../../html.ts";
import type { LiveTexts } from "../browser/live-texts.ts";
import type { WaitState } from "../browser/state.ts";

/** What is there only while the place is in one of these states; the script shows and hides it. */
export function part(when: string, { status }: WaitState, content: Content): Html {
  const hidden = new Html(when.split(" ").includes(status) ? "" : " hidden");
  return html`<section data-when="${when}"${hidden}>
${content}
</section>`;
}

/** Whether the page is in touch. Without scripts there is nothing to say: the style hides it. */
export function connectionLine({ link }: LiveTexts): Html {
  return html`<p class="link"><span class="dot"></span><span data-live="link">${link.connecting}</span></p>`;
}

/** Where the script writes what is to be said aloud: politely, and at once. */
export function spoken(): Html {
  return html`<p class="unseen" role="status" aria-live="polite" data-live="said"></p>
<p class="unseen" role="alert" aria-live="assertive" data-live="said-at-once"></p>`;
}
