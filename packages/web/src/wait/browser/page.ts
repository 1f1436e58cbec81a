import type { Link } from "./connection/connection.ts";
import type { LiveTexts } from "./live-texts.ts";
import type { Shown } from "./shown.ts";
import { sayingText, type View, viewOf } from "./view.ts";
import { fill } from "./words.ts";

/** Shorter losses of connection are not announced. */
const lossWorthSayingMs = 10_000;

/** The elements that change, found by `data-live`. A page may lack any of them. */
export class Page {
  readonly #title: string;
  readonly #waitingTitle: string | undefined;
  readonly #texts: LiveTexts;
  #lossTimer = 0;
  #isLossSaid = false;

  constructor(title: string, waitingTitle: string | undefined, texts: LiveTexts) {
    this.#title = title;
    this.#waitingTitle = waitingTitle;
    this.#texts = texts;
    for (const time of document.querySelectorAll("time")) time.textContent = this.#localTime(time.dateTime);
  }

  show(shown: Shown): void {
    const view = viewOf(shown, this.#title, this.#texts);
    const { status, claimBy } = shown.state;
    document.title = (status === "waiting" && this.#waitingTitle) || view.documentTitle;
    this.#showStatus(status, shown.paused);
    this.#showWords(view);
    this.#setText("held", claimBy ? fill(this.#texts.heldUntil, { time: this.#localTime(claimBy) }) : "");
    if (shown.saying) this.#say(sayingText(shown, view, this.#texts), shown.saying === "your-turn");
  }

  showLink(link: Link): void {
    if (document.body.dataset.link === link) return;
    document.body.dataset.link = link;
    this.#setText("link", this.#texts.link[link]);
    window.clearTimeout(this.#lossTimer);
    if (link === "reconnecting") {
      this.#lossTimer = window.setTimeout(() => this.#sayLoss(), lossWorthSayingMs);
    } else if (this.#isLossSaid) {
      this.#isLossSaid = false;
      this.#say(this.#texts.said.reconnected, false);
    }
  }

  #sayLoss(): void {
    this.#isLossSaid = true;
    this.#say(this.#texts.link.reconnecting, false);
  }

  #showStatus(status: Shown["state"]["status"], isPaused: boolean): void {
    document.body.dataset.paused = String(isPaused);
    if (document.body.dataset.status === status) return;
    document.body.dataset.status = status;
    for (const part of document.querySelectorAll<HTMLElement>("[data-when]"))
      part.hidden = !part.dataset.when?.split(" ").includes(status);
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = icon.dataset[status === "admitted" ? "yourTurn" : "waiting"] ?? icon.href;
    // Keep the focus of a person who is typing. Move it only if the focused element has disappeared.
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused.closest("[hidden]"))
      document.querySelector<HTMLElement>(`[data-focus=${status}]`)?.focus();
  }

  #showWords(view: View): void {
    for (const name of ["number", "ahead", "behind", "progress", "estimate", "happening"] as const)
      this.#setText(name, view[name]);
    this.#setText("gone-heading", view.goneHeading);
    this.#setText("gone-sentence", view.goneSentence);
    this.#find("number")?.setAttribute("data-length", String(view.number.length));
    const bar = this.#find("bar");
    if (bar instanceof HTMLProgressElement) bar.value = view.percent;
    bar?.setAttribute("aria-valuetext", view.progress);
  }

  /** Writes only changed text, so that nothing flickers and no selection is lost. */
  #setText(name: string, text: string): void {
    const element = this.#find(name);
    if (element && element.textContent !== text) element.textContent = text;
  }

  #say(text: string, isUrgent: boolean): void {
    this.#setText(isUrgent ? "said-at-once" : "said", text);
  }

  #find(name: string): HTMLElement | null {
    return document.querySelector<HTMLElement>(`[data-live=${name}]`);
  }

  #localTime(iso: string): string {
    const { language } = this.#texts;
    // Use the reader's own variant of the language, which decides between 20:30 and 8:30 PM.
    const own = navigator.languages.find((name) => name.split("-")[0] === language) ?? language;
    const format = new Intl.DateTimeFormat(own, { hour: "numeric", minute: "2-digit" });
    return format.format(new Date(iso));
  }
}
