import { de } from "./de.ts";
import { en } from "./en.ts";
import type { Texts } from "./texts.ts";

/** The languages of the waiting pages. To add one, add a file and its name here. */
export const languages = { en, de } as const satisfies Record<string, Texts>;

export type Language = keyof typeof languages;

const fallback: Language = "en";

/** No browser lists more languages; a longer header is not from a browser. */
const wishesRead = 20;

export function textsOf(language: Language): Texts {
  return languages[language];
}

/** The most preferred language of the header that the pages support. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? "").split(",", wishesRead).map(wishOf);
  wishes.sort((a, b) => b.weight - a.weight);
  for (const { name, weight } of wishes) {
    if (weight > 0 && isLanguage(name)) return name;
    if (weight > 0 && name === "*") break;
  }
  return fallback;
}

/** `de-AT;q=0.8` is German with weight 0.8. */
function wishOf(text: string): { readonly name: string; readonly weight: number } {
  const [range, ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { name: range.split("-")[0], weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(languages, name);
}
