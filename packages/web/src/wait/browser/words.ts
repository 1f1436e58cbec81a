import type { Plural } from "./live-texts.ts";

const numberFormats = new Map<string, Intl.NumberFormat>();
const pluralRules = new Map<string, Intl.PluralRules>();

/** Caches by language: creating formatters is slow, and a crowd requests thousands of pages per second. */
function kept<T>(store: Map<string, T>, language: string, make: (language: string) => T): T {
  const found = store.get(language) ?? make(language);
  store.set(language, found);
  return found;
}

/** Replaces each `{name}` in a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (mark, name: string) => values[name] ?? mark);
}

/** Formats a number for the language, with halves as ½. */
export function numberText(value: number, language: string): string {
  const format = kept(numberFormats, language, (name) => new Intl.NumberFormat(name));
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return format.format(value);
  return whole === 0 ? "½" : `${format.format(whole)}½`;
}

/** The plural form for this number, with the number filled in. */
export function counted(forms: Plural, value: number, language: string): string {
  const rules = kept(pluralRules, language, (name) => new Intl.PluralRules(name));
  return fill(forms[rules.select(value)] ?? forms.other, { n: numberText(value, language) });
}
