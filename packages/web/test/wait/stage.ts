import { type WaitPageModel, type WaitState, waitScriptPath } from "../../src/index.ts";

/** Someone well on the way through a line that moves. */
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
  script: waitScriptPath,
};

/** A title as nobody should choose it. */
export const hostileTitle = `</script><script>alert("1")</script>'&<img src=x onerror=alert(1)>`;

/** The page without what only those without scripts get. */
export function withScripts(page: string): string {
  return page.replace(/<noscript>.*?<\/noscript>/gs, "");
}

/** The text of the first element with this `data-live`. */
export function live(page: string, name: string): string | undefined {
  return new RegExp(`data-live="${name}"[^>]*>([^<]*)<`).exec(page)?.[1];
}

/** The parts that are to be seen, by the states that they are for. */
export function visibleParts(page: string): string[] {
  return [...page.matchAll(/<section data-when="([^"]*)">/g)].map(([, when]) => when);
}
