import type { Effect } from "@openseat/kernel";

/** What became of something that was to be sent out. */
export type Sending =
  | "sent"
  /** It may well be taken later; `afterMs` when the other side said how much. */
  | { readonly retry: string; readonly afterMs?: number }
  /** Not attempted. It is tried again after `waitMs`, and this does not count as a failure. */
  | { readonly waitMs: number }
  /** It never will be. */
  | { readonly failure: string };

/** Takes what entries cause outside the server to where it is for: to one conversation of a channel, say. */
export interface Courier {
  /** `id` is what stands behind the kind in the `to` of an effect. It may be asked to send the same again. */
  send(id: string, body: Effect["body"]): Promise<Sending>;
}
