import { tidied } from "./tidy.ts";

const nicknameLengthMin = 2;
const nicknameLengthMax = 20;

/** Many scripts need combining marks, but more than a few per letter would draw over neighbouring lines. */
const shape = /^(?:[\p{L}\p{N}_-]\p{M}{0,3})+$/u;

/** NM2: the nickname as it will be shown: as typed, in normal form; undefined if it is not valid. */
export function nicknameFrom(typed: string): string | undefined {
  const name = tidied(typed);
  const { length } = [...name];
  const isFit = length >= nicknameLengthMin && length <= nicknameLengthMax;
  // A name of dashes alone would be invisible.
  return isFit && shape.test(name) && /[\p{L}\p{N}]/u.test(name) ? name : undefined;
}

/**
 * NM1: the form that names are compared by: equal for names that differ only in case or encoding. Upper case in
 * between, because only there `ß` equals `SS`; lower case before, because capital `ẞ` stays the same in upper case.
 * Both small sigmas are one.
 */
export function folded(name: string): string {
  // Decompose first: one Greek mark becomes a letter, and letters are not reordered as marks are.
  const letters = tidied(name.normalize("NFKC")).normalize("NFKD");
  return letters.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
}
