/** A row of a CSV file (RFC 4180). */
export function csvRow(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: string | number | boolean | null): string {
  if (value === null) return "";
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets would evaluate a name that begins with a formula character. */
function harmless(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** Removes what `harmless` added. */
function asWritten(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

/** One line of commas must not block the thread. */
const columnsMax = 100;
/** Finding the end of a field of many megabytes would take long. */
const fieldLengthMax = 10_000;

const separators = /,|\r\n|\n|\r|$/y;
const unquoted = /[^",\r\n]*/y;
const blankLines = /[\r\n]*/y;

/** Passes each row to `take` until that returns false. Returns what is wrong with the text, if anything. */
export function csvRows(
  text: string,
  rowsMax: number,
  take: (row: readonly string[]) => boolean,
): string | undefined {
  let rows = 0;
  let row: string[] = [];
  const whole = text.replace(/^\ufeff/, "");
  let at = 0;
  while (at < whole.length || row.length > 0) {
    if (row.length === 0) at += matchAt(blankLines, whole, at)!.length;
    if (row.length === 0 && at === whole.length) break;
    const field = fieldAt(whole, at);
    const separator = field && matchAt(separators, whole, field.end);
    if (separator === undefined)
      return "The file has an unclosed or misplaced quote, or a field that is too long.";
    at = field!.end + separator.length;
    if (row.push(asWritten(field!.text)) > columnsMax) return `A row has more than ${columnsMax} columns.`;
    if (separator === ",") continue;
    if (++rows > rowsMax) return `The file has more than ${rowsMax} lines. Please send it in parts.`;
    if (!take(row)) return undefined;
    row = [];
  }
  return undefined;
}

/** Quoted fields are parsed by hand: a regular expression would overflow the stack on a field of several megabytes. */
function fieldAt(whole: string, at: number): { readonly text: string; readonly end: number } | undefined {
  if (whole[at] !== '"') {
    const text = matchAt(unquoted, whole, at)!;
    return { text, end: at + text.length };
  }
  let close = whole.indexOf('"', at + 1);
  while (close >= 0 && whole[close + 1] === '"' && close - at < fieldLengthMax)
    close = whole.indexOf('"', close + 2);
  if (close < 0 || close - at >= fieldLengthMax) return undefined;
  return { text: whole.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 };
}

/** The match of the pattern at exactly this index. */
function matchAt(pattern: RegExp, whole: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(whole)?.[0];
}
