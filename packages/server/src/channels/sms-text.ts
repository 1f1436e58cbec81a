/** What Twilio takes as one message, in UTF-16 code units. */
const smsLengthMax = 1_600;

/** Three dots, not the one character: that is outside the alphabet of plain SMS, and would more than double its parts. */
const ellipsis = "...";

/** Neither XML 1.0 nor a phone can hold these: control characters, halves of surrogate pairs, and non-characters. */
const unsendable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** The text as it can be sent in one message: without what it cannot hold, and cut where it is too long. */
export function smsText(text: string): string {
  const clean = text.replace(unsendable, "");
  if (clean.length <= smsLengthMax) return clean;
  const cut = clean.slice(0, smsLengthMax - ellipsis.length);
  // The cut may have gone through the middle of an emoji.
  return cut.replace(/[\u{D800}-\u{DBFF}]$/u, "") + ellipsis;
}
