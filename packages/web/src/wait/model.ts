import type { WaitState } from "./browser/state.ts";
import type { Language } from "./texts/languages.ts";
import type { ErrorKind, MoveProblem } from "./texts/texts.ts";

/** The data of every page. */
export interface PageModel {
  readonly language: Language;
  /** The base path of the server, such as `/openseat`; by default the root of its host. */
  readonly base?: string;
  /** `scriptPath` of `waitAssets`, below `base`. */
  readonly script: string;
  readonly nonce?: string;
}

export interface WaitPageModel extends PageModel {
  readonly queue: string;
  /** What the line is for, as its creator titled it. */
  readonly title: string;
  readonly state: WaitState;
  /** An address that has been checked. Every link and form of the page passes it on as `return`. */
  readonly returnTo?: string;
}

export interface MovePageModel extends PageModel {
  readonly queue: string;
  readonly title: string;
  /** The place on this device. Without it, the page only takes codes. */
  readonly place?: { readonly state: WaitState; readonly code: string; readonly codeExpiresAt: string };
  /** The full address of this page, to open on the other device. */
  readonly address?: string;
  /** Why the code that was entered did not work. */
  readonly problem?: MoveProblem;
  readonly returnTo?: string;
}

export interface ErrorPageModel extends PageModel {
  readonly kind: ErrorKind;
  readonly status: number;
  /** The refusal code, to quote when asking for help. */
  readonly code?: string;
  /** The line that the page links to, if any. */
  readonly queue?: string;
  readonly returnTo?: string;
  /** A checked address of the site. A line that has closed cannot be joined, so that page links there, or nowhere. */
  readonly site?: string;
  readonly retryAfterSeconds?: number;
}
