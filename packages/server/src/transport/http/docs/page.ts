import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeHtml, Html, html } from "@openseat/web";
import type { ApiDocument } from "./api-document.ts";
import { originMark } from "./examples.ts";
import { operationsOf } from "./operations.ts";
import { conventionsSection } from "./sections/conventions.ts";
import { liveSection } from "./sections/live.ts";
import { refusalsSection } from "./sections/refusals.ts";
import { routeSections } from "./sections/routes.ts";
import type { Section } from "./sections/section.ts";
import { startSection } from "./sections/start.ts";

const style = ["colours", "layout", "text", "reference", "print"]
  .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), "utf8"))
  .join("\n");
const styleHash = createHash("sha256").update(style).digest("base64");

export const pageType = "text/html; charset=utf-8";

/** Nothing may be loaded, run, framed or sent from this page; the one style sheet is known by its hash. */
export const pageHeaders = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
} as const;

/** A seat, seen from the side. */
const seat = "M5 2v11h9M5 13v7M14 13v7M5 13h9";
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="5" fill="#0f6b57"/><path d="M7.5 4.5v8h7M7.5 12.5v5M14.5 12.5v5" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
)}`;

/** Everything about the API on one page, made once; only the reader's own address is filled in each time. */
export function docsPage(document: ApiDocument): (origin: string) => string {
  const sections = [
    startSection(),
    conventionsSection(),
    ...routeSections(operationsOf(document)),
    liveSection(),
    refusalsSection(),
  ];
  const parts = layout(document, sections).text.split(originMark);
  return (origin) => parts.join(escapeHtml(origin));
}

function layout({ info }: ApiDocument, sections: readonly Section[]): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<meta name="description" content="${info.description}">
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="top-inner">
<a class="brand" href="#top" aria-label="${info.title}, to the top"><svg aria-hidden="true" viewBox="0 0 20 22" width="22" height="24"><path d="${seat}" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>${info.title}</a>
<span class="version">API ${info.version}</span>
<a class="top-link" href="openapi.json">openapi.json</a>
</div></header>
<div class="frame" id="top">
${contents(sections)}
<main id="main" tabindex="-1">
<div class="hero">
<h1>Who sits, who waits,<br>who is next.</h1>
<p class="lead">${info.title} decides it: exactly once, in a fair order, through any crash. You ask over HTTP or a WebSocket, nothing is answered before it is safely on the disk, and everyone who watches sees the same changes in the same order.</p>
</div>
${sections.map(({ id, body }) => html`<section aria-labelledby="${id}">${body}</section>\n`)}
</main>
</div>
<footer><p>${info.title} ${info.version}. Made by this server from its own routes and rules.</p></footer>
</body>
</html>
`;
}

function contents(sections: readonly Section[]): Html {
  return html`<nav class="contents" aria-label="Contents"><details><summary>Contents</summary>
<ul>${sections.map(
    ({ id, title, entries }) =>
      html`<li><a href="#${id}">${title}</a>${
        entries.length === 0
          ? undefined
          : html`<ul>${entries.map((entry) => html`<li><a href="#${entry.id}">${entry.title}</a></li>`)}</ul>`
      }</li>`,
  )}</ul>
</details></nav>`;
}
