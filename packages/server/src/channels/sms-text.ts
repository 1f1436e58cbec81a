/** Per message, in UTF-16 code units. */
const smsLengthMax = 1_600;

/** The character … is outside the plain SMS alphabet and would more than double the number of parts. */
const ellipsis = "...";

/** Neither XML 1.0 nor a phone can hold these: control characters, halves of surrogate pairs, and non-characters. */
const unsendable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

export function smsText(text: string): string {
  const clean = text.replace(unsendable, "");
  if (clean.length <= smsLengthMax) return clean;
  const cut = clean.slice(0, smsLengthMax - ellipsis.length);
  // Removes half of a surrogate pair.
  return cut.replace(/[\u{D800}-\u{DBFF}]$/u, "") + ellipsis;
}
