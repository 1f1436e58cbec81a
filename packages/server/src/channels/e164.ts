/** Numbers of phones as E.164 writes them: a plus, the country, the rest. Anything else cannot be written back to. */
const e164Pattern = /^\+[1-9]\d{6,14}$/;

export function isE164(text: string): boolean {
  return e164Pattern.test(text);
}

/** As many digits as the shortest number has, however they are set apart. */
const numberPattern = /[+(]*\p{Nd}(?:[\s().\-/\u2010-\u2015]*\p{Nd}){6,}/gu;

/** The text, with nobody's number in it: what others say of a message often names whom it was for. */
export function withoutNumbers(text: string): string {
  return text.replace(numberPattern, "[number]");
}
