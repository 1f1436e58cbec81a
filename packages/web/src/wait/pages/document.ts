import { type Content, type Html, html, jsonElement } from "../../html.ts";
import { waitAssets } from "../assets.ts";
import type { PageData } from "../browser/page-data.ts";
import type { PageModel } from "../model.ts";
import { type Language, textsOf } from "../texts/languages.ts";
import { seatIcon, waitingFavicon, yourTurnFavicon } from "./icons.ts";

/** The parts of a document that differ between pages. */
interface Parts {
  readonly documentTitle: string;
  /** Above the card: what the line is for. */
  readonly heading: string | undefined;
  readonly status: string;
  readonly isPaused?: boolean;
  readonly data?: PageData;
  /** For browsers without scripts. With scripts, no page reloads by itself. */
  readonly refresh?: { readonly seconds: number; readonly address?: string } | undefined;
  readonly card: Content;
  readonly below?: Content;
}

export function documentOf({ base = "", language, script, nonce }: PageModel, parts: Parts): string {
  const icon = parts.status === "admitted" ? yourTurnFavicon : waitingFavicon;
  const page = html`<!doctype html>
<html lang="${language}" dir="${textsOf(language).direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${parts.documentTitle}</title>
<link rel="icon" href="${icon}" data-waiting="${waitingFavicon}" data-your-turn="${yourTurnFavicon}">
<link rel="stylesheet" href="${base}${waitAssets().stylePath}">
${parts.data && html`<script defer src="${base}${script}"${nonce && html` nonce="${nonce}"`}></script>`}
${parts.refresh && refreshing(parts.refresh)}
</head>
<body data-status="${parts.status}" data-paused="${String(parts.isPaused ?? false)}">
<div class="room">
${parts.heading && html`<header class="top">${seatIcon}<h1 dir="auto">${parts.heading}</h1></header>`}
<main class="card">
${parts.card}
</main>
${parts.below}
</div>
${parts.data && html`${jsonElement("page-data", parts.data)}${liveTexts(language)}`}
</body>
</html>
`;
  return page.text;
}

const liveTextElements = new Map<Language, Html>();

/** Created once per language: the texts are half of the page, and a crowd requests thousands of pages per second. */
function liveTexts(language: Language): Html {
  const made = liveTextElements.get(language) ?? jsonElement("page-texts", textsOf(language).live);
  liveTextElements.set(language, made);
  return made;
}

function refreshing({ seconds, address }: NonNullable<Parts["refresh"]>): Html {
  const content = `${Math.max(1, Math.ceil(seconds))}${address === undefined ? "" : `;url=${address}`}`;
  return html`<noscript><meta http-equiv="refresh" content="${content}"></noscript>`;
}
