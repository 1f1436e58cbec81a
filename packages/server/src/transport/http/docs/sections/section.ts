import type { Html } from "@openseat/web";

/** A part of the page, and what the contents list shows of it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly { readonly id: string; readonly title: Html | string }[];
  readonly body: Html;
}
