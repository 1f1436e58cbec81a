import { type WaitPageModel, type WaitState, waitAssets } from "../../src/index.ts";

/** A person in the middle of a moving line. */
export const waitingState: WaitState = {
  status: "waiting",
  position: 142,
  ahead: 141,
  length: 900,
  enteredPosition: 640,
  estimate: { lowSeconds: 240, highSeconds: 350 },
  paused: false,
  admittedLastMinute: 12,
  moved: 1_000,
  askAgainSeconds: 20,
};

export const waitModel: WaitPageModel = {
  queue: "shop",
  title: "Shop",
  state: waitingState,
  language: "en",
  script: waitAssets().scriptPath,
};

/** A title that tries to inject markup. */
export const hostileTitle = `</script><script>alert("1")</script>'&<img src=x onerror=alert(1)>`;

/** The page without its noscript parts. */
export function withScripts(page: string): string {
  return page.replace(/<noscript>.*?<\/noscript>/gs, "");
}

/** The text of the first element with this `data-live`. */
export function live(page: string, name: string): string | undefined {
  return new RegExp(`data-live="${name}"[^>]*>([^<]*)<`).exec(page)?.[1];
}

/** The visible parts, by their states. */
export function visibleParts(page: string): string[] {
  return [...page.matchAll(/<section data-when="([^"]*)">/g)].map(([, when]) => when);
}
