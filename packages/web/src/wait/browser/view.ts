import { rangeText } from "./duration.ts";
import type { LiveTexts } from "./live-texts.ts";
import { progressOf } from "./position.ts";
import type { Shown } from "./shown.ts";
import { type GoneReason, goneReasons } from "./state.ts";
import { counted, fill, numberText } from "./words.ts";

/** The texts and numbers on the screen. Server and script both use it, so they cannot disagree. */
export interface View {
  readonly documentTitle: string;
  readonly number: string;
  readonly ahead: string;
  readonly behind: string;
  /** Progress in whole per cent. */
  readonly percent: number;
  readonly progress: string;
  readonly estimate: string;
  readonly happening: string;
  readonly goneHeading: string;
  readonly goneSentence: string;
}

export function viewOf(shown: Shown, title: string, texts: LiveTexts): View {
  const { state, position } = shown;
  const { language } = texts;
  const percent = Math.floor(100 * progressOf(position, state.enteredPosition));
  const behind = Math.max(0, shown.waiting - position);
  const gone = texts.gone[goneReasonOf(state.reason)];
  return {
    documentTitle: documentTitle(shown, title, gone.heading, texts),
    number: numberText(position, language),
    ahead: position <= 1 ? texts.next : counted(texts.ahead, position - 1, language),
    behind: behind === 0 ? "" : counted(texts.behind, behind, language),
    percent,
    progress: fill(texts.progress, { percent: numberText(percent, language) }),
    estimate: shown.paused ? texts.estimate.paused : rangeText(shown.estimate.estimate, texts),
    happening: happening(shown, texts),
    goneHeading: gone.heading,
    goneSentence: gone.sentence,
  };
}

function goneReasonOf(reason: string | undefined): GoneReason {
  return goneReasons.find((known) => known === reason) ?? "unknown";
}

function documentTitle({ state, position }: Shown, title: string, heading: string, texts: LiveTexts): string {
  const { waiting, yourTurn, gone } = texts.documentTitle;
  const template = state.status === "waiting" ? waiting : state.status === "gone" ? gone : yourTurn;
  return fill(template, { n: numberText(position, texts.language), heading, title });
}

function happening({ state, note, paused, admittedLastMinute }: Shown, texts: LiveTexts): string {
  const { language, happening: sentences } = texts;
  if (state.away || note?.kind === "away") return sentences.away;
  if (note?.kind === "overtaken")
    return fill(sentences.overtaken, {
      from: numberText(note.from, language),
      to: numberText(note.to, language),
    });
  if (paused) return sentences.paused;
  if (note) return sentences.slower;
  return admittedLastMinute > 0
    ? counted(sentences.letIn, admittedLastMinute, language)
    : sentences.nobodyLetIn;
}

/** The announcement for a change. The caller decides whether it interrupts. */
export function sayingText(shown: Shown, view: View, texts: LiveTexts): string {
  const { said } = texts;
  switch (shown.saying) {
    case undefined:
      return "";
    case "your-turn":
      return said.yourTurn;
    case "gone":
      return `${view.goneHeading}. ${view.goneSentence}`;
    case "overtaken":
    case "paused":
      return view.happening;
    case "resumed":
      return said.resumed;
    case "position":
      return shown.position <= 1
        ? said.next
        : fill(said.position, { n: view.number, estimate: view.estimate });
  }
}
