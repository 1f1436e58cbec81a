import { html } from "../../html.ts";
import { addressesOf } from "../addresses.ts";
import type { ErrorPageModel } from "../model.ts";
import { textsOf } from "../texts/languages.ts";
import type { ErrorKind } from "../texts/texts.ts";
import { documentOf } from "./document.ts";
import { clockIcon } from "./icons.ts";

const retryAfterSecondsUnlessSaid = 10;

/** Errors that pass by waiting. */
const retriedKinds: readonly ErrorKind[] = ["busy", "line-full", "too-fast"];

/** What went wrong, and a link to go on. For errors that pass, the page retries by itself. */
export function errorPage(model: ErrorPageModel): string {
  const { kind, status, code, language, queue, returnTo } = model;
  const texts = textsOf(language).errors[kind];
  const line = queue === undefined ? undefined : addressesOf(queue, returnTo, model.base).page;
  const address = kind === "closed" ? model.site : line;
  const seconds = model.retryAfterSeconds ?? retryAfterSecondsUnlessSaid;
  const isRetried = retriedKinds.includes(kind) && address !== undefined;
  return documentOf(model, {
    documentTitle: texts.heading,
    heading: undefined,
    status: "error",
    ...(isRetried && {
      data: { kind: "retry" as const, address, retryAfterSeconds: seconds },
      refresh: { seconds, address },
    }),
    card: html`<div class="outcome over"><span class="badge">${clockIcon}</span>
<h1>${texts.heading}</h1>
<p>${texts.sentence}</p>
${address && html`<a class="button" href="${address}">${texts.wayOn}</a>`}
<p class="code-word">${status}${code && html` · ${code}`}</p>
</div>`,
  });
}
