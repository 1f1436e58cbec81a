import type { Refusal } from "@openseat/kernel";
import { NewImport } from "@openseat/protocol";
import { invalidInput } from "../../invalid-input.ts";
import { validator } from "../../validation.ts";

const rowLengthMax = 100_000;
/** Faults in a longer body are not explained in detail. */
const explainedLengthMax = 65_536;

/** The two accepted shapes: that of the API and that of exports. */
const shapes = [
  { opening: /\s*\{\s*"matches"\s*:\s*\[/y, closing: /\s*\}\s*$/y },
  { opening: /\s*\[/y, closing: /\s*$/y },
] as const;
const shapeFault = validator(NewImport, "body");

/**
 * Passes each element of `{"matches": […]}` or `[…]` to `take` until that returns false. Elements are parsed one at a time: a whole
 * body of empty or deeply nested ones would take fifty times its size in memory. Returns why the text is no such body.
 */
export function jsonRows(
  text: string,
  rowsMax: number,
  take: (row: unknown) => boolean,
): Refusal | undefined {
  const shape = shapes.find(({ opening }) => matchesAt(opening, text, 0));
  if (!shape) return otherShape(text);
  let start = shape.opening.lastIndex;
  for (let rows = 1; ; rows++) {
    const end = endOfElement(text, start);
    if (end === undefined) return rowTooLong(rows);
    const element = text.slice(start, end);
    if (rows === 1 && text[end] === "]" && element.trim() === "") return otherShape(text);
    if (rows > rowsMax) return invalidInput("body", "matches", `must NOT have more than ${rowsMax} items`);
    let row: unknown;
    try {
      row = JSON.parse(element);
    } catch {
      return notJson;
    }
    if (!take(row)) return undefined;
    start = end + 1;
    if (text[end] === ",") continue;
    if (text[end] !== "]") return notJson;
    return matchesAt(shape.closing, text, start) ? undefined : otherShape(text);
  }
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const quote = '"'.charCodeAt(0);
const backslash = "\\".charCodeAt(0);
const comma = ",".charCodeAt(0);
const [openBracket, closeBracket, openBrace, closeBrace] = [..."[]{}"].map((mark) => mark.charCodeAt(0));

/** The index of the comma or bracket after the element, or the end of the text; undefined if the element is too long. */
function endOfElement(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  const last = Math.min(text.length, start + rowLengthMax);
  for (let at = start; at < last; at++) {
    const mark = text.charCodeAt(at);
    const isEnd = mark === closeBracket || mark === closeBrace;
    if (isQuoted) {
      if (mark === backslash) at++;
      else if (mark === quote) isQuoted = false;
    } else if (mark === quote) isQuoted = true;
    else if (depth === 0 && (isEnd || mark === comma)) return at;
    else if (isEnd) depth--;
    else if (mark === openBracket || mark === openBrace) depth++;
  }
  return last === text.length ? last : undefined;
}

const notJson = invalidInput("body", "body", "is not valid JSON");

function rowTooLong(row: number): Refusal {
  const message = `Row ${row} has more than ${rowLengthMax} characters. Nothing was imported.`;
  return { code: "import.invalid", message };
}

function otherShape(text: string): Refusal {
  const other = invalidInput("body", "body", 'must be {"matches": […]} or […], and nothing else');
  if (text.length > explainedLengthMax) return other;
  try {
    const body: unknown = JSON.parse(text);
    return shapeFault(Array.isArray(body) ? { matches: body } : body) ?? other;
  } catch {
    return notJson;
  }
}
