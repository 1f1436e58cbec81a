import type { Effect } from "@openseat/kernel";

export type Sending =
  | "sent"
  /** Try again later, after `afterMs` if the receiver asked for it. */
  | { readonly retry: string; readonly afterMs?: number }
  /** Not attempted. Try again after `waitMs`; this does not count as a failure. */
  | { readonly waitMs: number }
  /** It can never be delivered. */
  | { readonly failure: string };

export interface ChannelSender {
  /** `id` is the part of the effect's `to` after the kind. The same message may be sent more than once. */
  send(id: string, body: Effect["body"]): Promise<Sending>;
}
