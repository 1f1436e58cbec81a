import type { LiveTexts, Plural } from "../browser/live-texts.ts";

/** The kinds of error page. */
export const errorKinds = [
  "closed",
  "no-such-queue",
  "return-not-allowed",
  "busy",
  "line-full",
  "too-fast",
  "guests-off",
  "failed",
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/** Why a code from another device was refused. */
export const moveProblems = ["unknown-code", "used-code", "too-many-tries"] as const;

export type MoveProblem = (typeof moveProblems)[number];

/** All texts of the pages in one language. A missing text does not compile. */
export interface Texts {
  readonly direction: "ltr" | "rtl";
  readonly live: LiveTexts;
  readonly wait: {
    readonly position: string;
    readonly estimate: string;
    readonly happening: string;
    readonly kept: string;
    readonly keptSentence: string;
    readonly refreshes: Plural;
    readonly refresh: string;
    readonly stuck: string;
    readonly otherDevice: string;
    readonly leave: string;
    readonly leaveWarning: string;
    readonly leaveSure: string;
    readonly yourTurn: string;
    readonly yourTurnSentence: string;
    readonly inside: string;
    readonly insideSentence: string;
    readonly continue: string;
    readonly enterAgain: string;
  };
  readonly move: {
    readonly documentTitle: string;
    readonly heading: string;
    readonly headingWithoutPlace: string;
    readonly send: string;
    readonly openThere: string;
    readonly openThereUnaddressed: string;
    readonly enterThere: string;
    readonly code: string;
    readonly validUntil: string;
    readonly newCode: string;
    readonly bring: string;
    readonly bringSentence: string;
    readonly replaces: string;
    readonly codeLabel: string;
    readonly bringHere: string;
    readonly back: string;
    readonly problems: Readonly<Record<MoveProblem, string>>;
  };
  readonly errors: Readonly<
    Record<
      ErrorKind,
      {
        readonly heading: string;
        readonly sentence: string /** What its link says. */;
        readonly wayOn: string;
      }
    >
  >;
}
