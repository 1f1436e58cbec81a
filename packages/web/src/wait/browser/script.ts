import { Connection } from "./connection/connection.ts";
import { goWhenReachable } from "./connection/retrying.ts";
import { Page } from "./page.ts";
import type { PageData } from "./page-data.ts";
import { afterPulse, afterState, firstShown, type Shown } from "./shown.ts";

/** Time to read "It is your turn" before the page navigates. */
const beforeGoingMs = 2_000;

type PlaceData = Extract<PageData, { kind: "place" }>;

function keepPlace({ title, waitingTitle, address, goTo, state }: PlaceData): void {
  const page = new Page(title, waitingTitle, read("page-texts"));
  let shown = firstShown(state, Date.now());
  let isGoing = false;

  function show(next: Shown): void {
    shown = next;
    page.show(shown);
    if (shown.state.status === "admitted") goSoon();
  }

  function goSoon(): void {
    if (isGoing || goTo === undefined) return;
    isGoing = true;
    window.setTimeout(go, beforeGoingMs);
  }

  function go(): void {
    // Navigating while offline would end on the browser's error page, which does not retry.
    if (navigator.onLine === false) window.addEventListener("online", go, { once: true });
    else if (goTo !== undefined && shown.state.status === "admitted") location.assign(goTo);
    else isGoing = false;
  }

  const connection = new Connection(address, state.askAgainSeconds, {
    onState: (received) => show(afterState(shown, received, Date.now())),
    onPulse: (pulse) => show(afterPulse(shown, pulse, Date.now())),
    onMissing: () =>
      show(afterState(shown, { ...shown.state, status: "gone", reason: "unknown" }, Date.now())),
    onLink: (link) => page.showLink(link),
  });

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void connection.askNow();
  });
  window.addEventListener("online", () => void connection.askNow());
  window.addEventListener("pagehide", () => connection.leave());
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isGoing = false;
    void connection.askNow();
  });

  show(shown);
  if (state.status === "waiting" || state.status === "admitted") connection.take();
}

function read<T>(id: string): T {
  return JSON.parse(document.getElementById(id)?.textContent ?? "");
}

function start(): void {
  document.documentElement.dataset.script = "on";
  const data: PageData = read("page-data");
  if (data.kind === "place") keepPlace(data);
  else goWhenReachable(data.address, data.retryAfterSeconds);
}

start();
