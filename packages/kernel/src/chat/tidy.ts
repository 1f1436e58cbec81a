/** Direction marks, joiners, fillers and the like. A name that contains them would look like another name. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** A message in Unicode normal form, with single spaces and without invisible characters. */
export function tidied(text: string): string {
  // Remove invisible characters first: the characters around them may combine into one letter.
  return text
    .toWellFormed()
    .replace(unseen, "")
    .normalize("NFC")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** The beginning of a text, without cutting a surrogate pair. */
export function clipped(text: string, charactersMax: number): string {
  return text
    .slice(0, charactersMax)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
}
