import { type Html, html, sentence } from "../../html.ts";
import { type Addresses, addressesOf } from "../addresses.ts";
import { firstShown } from "../browser/shown.ts";
import { viewOf } from "../browser/view.ts";
import { fill } from "../browser/words.ts";
import type { MovePageModel } from "../model.ts";
import { textsOf } from "../texts/languages.ts";
import type { Texts } from "../texts/texts.ts";
import { documentOf } from "./document.ts";
import { connectionLine, part, spoken } from "./live-parts.ts";

type Place = NonNullable<MovePageModel["place"]>;

/**
 * Moves a place to or from another device. The page keeps the place alive and says when it is the person's turn, but does
 * not navigate by itself, because they want to continue elsewhere.
 */
export function movePage(model: MovePageModel): string {
  const { queue, title, language, place, returnTo } = model;
  const texts = textsOf(language);
  const addresses = addressesOf(queue, returnTo, model.base);
  const documentTitle = fill(texts.move.documentTitle, { title });
  const data = place && {
    kind: "place" as const,
    title,
    waitingTitle: documentTitle,
    address: addresses.line,
    state: place.state,
  };
  return documentOf(model, {
    documentTitle,
    heading: title,
    status: place?.state.status ?? "none",
    isPaused: place?.state.paused ?? false,
    ...(data && { data }),
    card: html`<div class="head stacked"><h2 class="title">${place ? texts.move.heading : texts.move.headingWithoutPlace}</h2>
${place && part("waiting", place.state, connectionLine(texts.live))}</div>
${place && here(model, place, texts, addresses)}
${bringing(model, texts, addresses)}
${place && spoken()}`,
    below: html`<p class="ways"><a class="quiet" href="${addresses.page}">${texts.move.back}</a></p>`,
  });
}

function here({ title, address }: MovePageModel, place: Place, texts: Texts, addresses: Addresses): Html {
  const { state, code, codeExpiresAt } = place;
  const { move, wait } = texts;
  const view = viewOf(firstShown(state, 0), title, texts.live);
  const time = html`<time datetime="${codeExpiresAt}">${clockOf(codeExpiresAt)}</time>`;
  const open = address
    ? sentence(move.openThere, { address: html`<strong class="address">${breakable(address)}</strong>` })
    : move.openThereUnaddressed;
  return html`${part(
    "waiting",
    state,
    html`<p class="strip"><span class="label">${wait.position}</span> <strong data-live="number">${view.number}</strong></p>
<h3>${move.send}</h3>
<ol class="steps"><li>${open}</li><li>${move.enterThere}</li></ol>
<p class="code">${code}</p>
<p class="hint">${sentence(move.validUntil, { time })} <a href="${addresses.move}">${move.newCode}</a></p>`,
  )}
${part(
  "admitted active",
  state,
  html`<p class="strip good"><strong>${wait.yourTurn}</strong> <a class="button" href="${addresses.go}">${wait.continue}</a></p>`,
)}
${part(
  "gone",
  state,
  html`<p class="strip"><strong data-live="gone-heading">${view.goneHeading}</strong> <span data-live="gone-sentence">${view.goneSentence}</span></p>`,
)}`;
}

function bringing({ place, problem }: MovePageModel, { move }: Texts, addresses: Addresses): Html {
  const wrong = problem && html`<p class="problem" id="problem" role="alert">${move.problems[problem]}</p>`;
  const described = problem && html` aria-invalid="true" aria-describedby="problem"`;
  return html`<form class="bring" method="post" action="${addresses.move}">
${place && html`<h3>${move.bring}</h3>`}
<p>${place ? move.replaces : move.bringSentence}</p>
${wrong}
<label class="label" for="code">${move.codeLabel}</label>
<div class="entry"><input id="code" name="code" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false"${described}>
<button class="button">${move.bringHere}</button></div>
</form>`;
}

/** An address that may break after slashes, but not within a word. */
function breakable(address: string): Html {
  return html`${address.split(/(?<=[^/]\/)(?!\/)/).map((piece) => html`${piece}<wbr>`)}`;
}

/** Hours and minutes in UTC. Only the script knows the reader's time zone. */
function clockOf(iso: string): string {
  return `${iso.slice(11, 16)} UTC`;
}
