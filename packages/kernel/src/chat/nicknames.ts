import { tidied } from "./tidy.ts";

const nicknameLengthMin = 2;
const nicknameLengthMax = 20;

/** Marks belong to letters in many scripts; more than a few upon one would draw over the lines around it. */
const shape = /^(?:[\p{L}\p{N}_-]\p{M}{0,3})+$/u;

/** NM2: as it will be shown, which is as it was typed, in one normal form; undefined when nobody may be called so. */
export function nicknameFrom(typed: string): string | undefined {
  const name = tidied(typed);
  const { length } = [...name];
  const isFit = length >= nicknameLengthMin && length <= nicknameLengthMax;
  // Dashes alone look like nobody.
  return isFit && shape.test(name) && /[\p{L}\p{N}]/u.test(name) ? name : undefined;
}

/**
 * NM1: what two names that are taken for one have in common: no difference of case, nor of how a letter is encoded. Up in
 * between, as `ß` and `SS` meet only there, and down before it, as the capital `ẞ` stays what it is; and of the two small
 * sigmas one.
 */
export function folded(name: string): string {
  // Taken apart first: one mark of Greek becomes a letter, and letters are not put in order as marks are.
  const letters = tidied(name.normalize("NFKC")).normalize("NFKD");
  return letters.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
}
