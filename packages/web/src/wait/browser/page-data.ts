import type { WaitState } from "./state.ts";

/** What a page hands to its script, as JSON in the element `page-data`; the texts are in `page-texts`. */
export type PageData =
  | {
      readonly kind: "place";
      readonly title: string;
      /** While waiting, instead of the position: for a page that is about something else. */
      readonly waitingTitle?: string;
      /** Of the line, such as `/wait/shop`. */
      readonly address: string;
      /** Where to go once admitted; absent where the person has something else in hand. */
      readonly goTo?: string;
      readonly state: WaitState;
    }
  | { readonly kind: "retry"; readonly address: string; readonly retryAfterSeconds: number };
