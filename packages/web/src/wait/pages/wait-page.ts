import { type Content, type Html, html } from "../../html.ts";
import { type Addresses, addressesOf } from "../addresses.ts";
import { firstShown } from "../browser/shown.ts";
import type { WaitState } from "../browser/state.ts";
import { type View, viewOf } from "../browser/view.ts";
import { counted } from "../browser/words.ts";
import type { WaitPageModel } from "../model.ts";
import { textsOf } from "../texts/languages.ts";
import type { Texts } from "../texts/texts.ts";
import { documentOf } from "./document.ts";
import { checkIcon, clockIcon, devicesIcon, doorIcon, shieldIcon } from "./icons.ts";
import { connectionLine, part, spoken } from "./live-parts.ts";

/** The page of one person's place, in every state. */
export function waitPage(model: WaitPageModel): string {
  const { queue, title, state, language, returnTo } = model;
  const texts = textsOf(language);
  const addresses = addressesOf(queue, returnTo, model.base);
  const view = viewOf(firstShown(state, 0), title, texts.live);
  return documentOf(model, {
    documentTitle: view.documentTitle,
    heading: title,
    status: state.status,
    isPaused: state.paused,
    data: { kind: "place", title, address: addresses.line, goTo: addresses.go, state },
    refresh: refreshOf(state, addresses),
    card: html`${part("waiting", state, waiting(view, texts))}
${part("admitted", state, yourTurn(texts, addresses))}
${part("active", state, inside(texts, addresses))}
${part("gone", state, gone(view, waysBack(model, texts, addresses)))}
${spoken()}`,
    below: part("waiting", state, waysOut(state, texts, addresses)),
  });
}

function refreshOf({ status, askAgainSeconds }: WaitState, { go }: Addresses) {
  if (status === "admitted") return { seconds: 2, address: go };
  return status === "waiting" ? { seconds: askAgainSeconds } : undefined;
}

function waiting(view: View, { wait, live }: Texts): Html {
  return html`<div class="head"><h2 class="label" id="position">${wait.position}</h2>${connectionLine(live)}</div>
<p class="number" data-live="number" data-length="${view.number.length}">${view.number}</p>
<p class="ahead" data-live="ahead">${view.ahead}</p>
<progress data-live="bar" max="100" value="${view.percent}" aria-labelledby="position" aria-valuetext="${view.progress}"></progress>
<p class="ends"><span data-live="progress">${view.progress}</span><span data-live="behind">${view.behind}</span></p>
<dl class="facts">
<div><dt class="label">${wait.estimate}</dt><dd class="estimate" data-live="estimate">${view.estimate}</dd></div>
<div><dt class="label">${wait.happening}</dt><dd data-live="happening">${view.happening}</dd></div>
</dl>
<p class="kept">${shieldIcon}<span><strong>${wait.kept}</strong> ${wait.keptSentence}</span></p>`;
}

function outcome(kind: string, icon: Html, content: Content): Html {
  return html`<div class="outcome ${kind}"><span class="badge">${icon}</span>
${content}
</div>`;
}

function yourTurn({ wait }: Texts, { go }: Addresses): Html {
  return outcome(
    "good",
    checkIcon,
    html`<h2>${wait.yourTurn}</h2>
<p>${wait.yourTurnSentence}<span class="held" data-live="held"></span></p>
<a class="button" href="${go}" data-focus="admitted">${wait.continue}</a>`,
  );
}

function inside({ wait }: Texts, { go }: Addresses): Html {
  return outcome(
    "good",
    doorIcon,
    html`<h2>${wait.inside}</h2>
<p>${wait.insideSentence}</p>
<a class="button" href="${go}" data-focus="active">${wait.continue}</a>`,
  );
}

/** A line that has closed cannot be joined again. */
function waysBack({ state, returnTo }: WaitPageModel, { wait, errors }: Texts, { enter }: Addresses): Html {
  if (state.reason !== "room_ended")
    return html`<form method="post" action="${enter}"><button class="button">${wait.enterAgain}</button></form>`;
  if (returnTo === undefined) return html``;
  return html`<a class="button" href="${returnTo}">${errors.closed.wayOn}</a>`;
}

function gone(view: View, ways: Html): Html {
  return outcome(
    "over",
    clockIcon,
    html`<h2 data-live="gone-heading" data-focus="gone" tabindex="-1">${view.goneHeading}</h2>
<p data-live="gone-sentence">${view.goneSentence}</p>
${ways}`,
  );
}

function waysOut({ askAgainSeconds }: WaitState, { wait, live }: Texts, addresses: Addresses): Html {
  const refreshes = counted(wait.refreshes, Math.max(1, Math.ceil(askAgainSeconds)), live.language);
  const refresh = html`<a href="${addresses.page}">${wait.refresh}</a>`;
  return html`<noscript><p class="hint">${refreshes} ${refresh}</p></noscript>
<p class="hint stuck">${wait.stuck} ${refresh}</p>
<div class="ways">
<a class="quiet" href="${addresses.move}">${devicesIcon}${wait.otherDevice}</a>
<details><summary class="quiet">${wait.leave}</summary>
<form method="post" action="${addresses.leave}"><p>${wait.leaveWarning}</p><button class="button danger">${wait.leaveSure}</button></form>
</details>
</div>`;
}
