import type { GoneReason } from "./state.ts";

/** A sentence for each plural form of the language; `{n}` stands for the number. */
export interface Plural extends Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> {
  readonly other: string;
}

/** The texts that change while the page is open. They are part of the page, so that one script serves all languages. */
export interface LiveTexts {
  readonly language: string;
  readonly documentTitle: { readonly waiting: string; readonly yourTurn: string; readonly gone: string };
  readonly next: string;
  readonly ahead: Plural;
  readonly behind: Plural;
  readonly progress: string;
  readonly happening: {
    readonly letIn: Plural;
    readonly nobodyLetIn: string;
    readonly paused: string;
    readonly overtaken: string;
    readonly away: string;
    readonly slower: string;
  };
  readonly estimate: {
    readonly soon: string;
    readonly about: string;
    readonly range: string;
    readonly upTo: string;
    readonly moreThan: string;
    readonly unknown: string;
    readonly paused: string;
    readonly minutes: Plural;
    readonly hours: Plural;
  };
  readonly link: { readonly connecting: string; readonly connected: string; readonly reconnecting: string };
  readonly said: {
    readonly position: string;
    readonly next: string;
    readonly resumed: string;
    readonly yourTurn: string;
    readonly reconnected: string;
  };
  readonly heldUntil: string;
  readonly gone: Readonly<Record<GoneReason, { readonly heading: string; readonly sentence: string }>>;
}
