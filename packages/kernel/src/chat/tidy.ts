/** Direction marks and joiners that nobody sees; a name with them inside would look like another. */
const unseen = /[\p{Cf}\u115f\u1160\u3164\uffa0]/gu;

/** A message in one normal form, with one space between words, and without what nobody sees. */
export function tidied(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFC")
    .replace(unseen, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** The beginning of a text, of whole characters. */
export function clipped(text: string, charactersMax: number): string {
  return text.slice(0, charactersMax).toWellFormed();
}
