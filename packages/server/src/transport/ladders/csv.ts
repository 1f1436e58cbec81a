/** A row of a CSV file (RFC 4180). */
export function csvRow(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: string | number | boolean | null): string {
  if (value === null) return "";
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A name that begins like a formula would be worked out by whoever opens the file in a spreadsheet. */
function harmless(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** What `harmless` added is taken away again. */
function asWritten(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

/** Rows of fields; a quoted field may hold anything. Undefined when a quote is never closed, or stands where none may. */
export function csvRows(text: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  const token = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  const whole = text.replace(/^\ufeff/, "");
  while (token.lastIndex < whole.length || row.length > 0) {
    const found = token.exec(whole);
    if (!found) return undefined;
    const [, quoted, plain, end] = found;
    row.push(asWritten(quoted?.replaceAll('""', '"') ?? plain));
    if (end === ",") continue;
    // A line with nothing on it is no row: files end in one.
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    if (end === "") return rows;
  }
  return rows;
}
