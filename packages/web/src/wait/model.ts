import type { WaitState } from "./browser/state.ts";
import type { Language } from "./texts/languages.ts";
import type { ErrorKind, MoveProblem } from "./texts/texts.ts";

/** What every page is made from. */
export interface PageModel {
  readonly language: Language;
  /** The path that the server is at, such as `/openseat`; by default the root of its host. */
  readonly base?: string;
  /** `waitScriptPath`, below `base`. */
  readonly script: string;
  readonly nonce?: string;
}

export interface WaitPageModel extends PageModel {
  readonly queue: string;
  /** What the line is for, in the operator's words. */
  readonly title: string;
  readonly state: WaitState;
  /** An address that is allowed already; every link and form of the page hands it on as `return`. */
  readonly returnTo?: string;
}

export interface MovePageModel extends PageModel {
  readonly queue: string;
  readonly title: string;
  /** The place on this device. Without one, a code can only be entered. */
  readonly place?: { readonly state: WaitState; readonly code: string; readonly codeExpiresAt: string };
  /** The whole address of this page, to be opened on the other device. */
  readonly address?: string;
  /** Why the code that was entered did not work. */
  readonly problem?: MoveProblem;
  readonly returnTo?: string;
}

export interface ErrorPageModel extends PageModel {
  readonly kind: ErrorKind;
  readonly status: number;
  /** The word from the catalogue of refusals, for whoever is asked for help. */
  readonly code?: string;
  /** The line to go on with, if there is one. */
  readonly queue?: string;
  readonly returnTo?: string;
  readonly retryAfterSeconds?: number;
}
