/** Direction marks, joiners, fillers and the like; a name with them inside would look like another. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** A message in one normal form, with one space between words, and without what nobody sees. */
export function tidied(text: string): string {
  // What nobody sees goes first: what stands on both sides of it may be one letter.
  return text
    .toWellFormed()
    .replace(unseen, "")
    .normalize("NFC")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** The beginning of a text, of whole characters. */
export function clipped(text: string, charactersMax: number): string {
  return text
    .slice(0, charactersMax)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
}
