import { friendlyName } from "@openseat/protocol/friendly-names";

const nameLengthMax = 40;
/** Longer input is ignored from here on. */
const givenLengthMax = 1_000;

/** A name that fits on a line and cannot reverse the text beside it. An invisible name is replaced by one made from `id`. */
export function shownName(given: string | undefined, id: string): string {
  return cleanName(given) ?? friendlyName(id);
}

/** The name to store; undefined if `shownName` would make the same one from `id`. */
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
