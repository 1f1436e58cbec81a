import type { Effect } from "@openseat/kernel";

export type Sending =
  | "sent"
  /** Try again later, after `afterMs` if the other side said so. */
  | { readonly retry: string; readonly afterMs?: number }
  /** Not attempted. Try again after `waitMs`; this does not count as a failure. */
  | { readonly waitMs: number }
  /** It can never be sent. */
  | { readonly failure: string };

export interface ChannelSender {
  /** `id` is what follows the kind in the `to` of an effect. It may be called again with the same message. */
  send(id: string, body: Effect["body"]): Promise<Sending>;
}
