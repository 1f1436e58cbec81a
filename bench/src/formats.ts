/** Numbers for people; a dash for values not measured. */
export function wholeText(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString("en-US") : "–";
}

export function fixedText(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : "–";
}

export function percentText(share: number): string {
  return Number.isFinite(share) ? `${Math.round(100 * share)} %` : "–";
}

/** How many disturbed slices were repeated or kept. */
export function rerunText({
  rerun,
  disturbed,
}: {
  readonly rerun: number;
  readonly disturbed: number;
}): string {
  return disturbed === 0 ? `${rerun} repeated` : `${rerun} repeated, ${disturbed} kept although disturbed`;
}

/** Aligns columns: the first left, the others right. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  return rows.map(line).join("\n");
}
