import type { WaitState } from "./state.ts";

/** The JSON in the element `page-data`, for the script; the texts are in `page-texts`. */
export type PageData =
  | {
      readonly kind: "place";
      readonly title: string;
      /** The document title while waiting, for pages that do not show the position. */
      readonly waitingTitle?: string;
      /** The address of the line, such as `/wait/shop`. */
      readonly address: string;
      /** Where to go once admitted; absent on pages that must not navigate by themselves. */
      readonly goTo?: string;
      readonly state: WaitState;
    }
  | { readonly kind: "retry"; readonly address: string; readonly retryAfterSeconds: number };
