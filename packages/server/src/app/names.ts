import { friendlyName } from "@openseat/protocol/friendly-names";

const nameLengthMax = 40;
/** More of it is not even looked at. */
const givenLengthMax = 1_000;

/**
 * What others are shown of a name that somebody gave: without line breaks, not longer than a line, and not turning what
 * stands beside it around. Of characters that nobody sees it would leave an empty row; then it is a name made from `id`.
 */
export function shownName(given: string | undefined, id: string): string {
  return cleanName(given) ?? friendlyName(id);
}

/** What of a name has to be kept: nothing where `shownName` would make the same one from `id`. */
export function ownName(given: string | undefined, id: string): string | undefined {
  const name = cleanName(given);
  return name !== undefined && name === friendlyName(id) ? undefined : name;
}

function cleanName(given: string | undefined): string | undefined {
  const name = given
    ?.slice(0, givenLengthMax)
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ")
    .trim();
  const isSeen = name !== undefined && /[^\s\p{Default_Ignorable_Code_Point}]/u.test(name);
  return isSeen ? [...name].slice(0, nameLengthMax).join("") : undefined;
}
