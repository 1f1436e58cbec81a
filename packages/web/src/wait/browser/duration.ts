import type { LiveTexts } from "./live-texts.ts";
import type { Estimate } from "./state.ts";
import { counted, fill, numberText } from "./words.ts";

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;

/** Shorter waits are given in minutes: "80 minutes" is easier to grasp than "1⅓ hours". */
const minutesUntilSeconds = 90 * minuteSeconds;

/** Long waits are rounded more coarsely, because their estimates are less certain. */
function stepSeconds(seconds: number): number {
  if (seconds <= 10 * minuteSeconds) return minuteSeconds;
  if (seconds <= hourSeconds) return 5 * minuteSeconds;
  if (seconds <= minutesUntilSeconds) return 10 * minuteSeconds;
  return seconds <= 6 * hourSeconds ? hourSeconds / 2 : hourSeconds;
}

type Unit = "minutes" | "hours";

function inUnit(seconds: number, unit: Unit): number {
  return seconds / (unit === "hours" ? hourSeconds : minuteSeconds);
}

/** "about 4 to 6 minutes". Rounds outwards, so that the text covers the whole range. */
export function rangeText(estimate: Estimate | null, { estimate: texts, language }: LiveTexts): string {
  const high = estimate?.highSeconds ?? Number.NaN;
  const low = Math.max(0, Math.min(estimate?.lowSeconds ?? Number.NaN, high));
  if (Number.isNaN(low) || low === Number.POSITIVE_INFINITY) return texts.unknown;
  if (high < minuteSeconds) return texts.soon;

  const highStep = stepSeconds(high);
  const highUnit: Unit = high > minutesUntilSeconds ? "hours" : "minutes";
  const lowUnit: Unit = highUnit === "hours" && low >= hourSeconds ? "hours" : "minutes";
  const lowStep = lowUnit === highUnit && lowUnit === "hours" ? hourSeconds / 2 : stepSeconds(low);
  const lowShown = inUnit(Math.floor(Math.min(low, daySeconds) / lowStep) * lowStep, lowUnit);
  const highShown = inUnit(Math.ceil(high / highStep) * highStep, highUnit);
  const lowAmount = counted(texts[lowUnit], lowShown, language);

  if (high > daySeconds) return lowShown === 0 ? texts.unknown : fill(texts.moreThan, { amount: lowAmount });
  const highAmount = counted(texts[highUnit], highShown, language);
  if (lowShown === 0) return fill(texts.upTo, { amount: highAmount });
  if (lowUnit !== highUnit) return fill(texts.range, { low: lowAmount, high: highAmount });
  if (lowShown === highShown) return fill(texts.about, { amount: highAmount });
  return fill(texts.range, { low: numberText(lowShown, language), high: highAmount });
}
