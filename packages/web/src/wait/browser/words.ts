import type { Plural } from "./live-texts.ts";

const numberFormats = new Map<string, Intl.NumberFormat>();
const pluralRules = new Map<string, Intl.PluralRules>();

/** Making these costs more than using them, and a crowd asks for thousands of pages a second. */
function kept<T>(store: Map<string, T>, language: string, make: (language: string) => T): T {
  const found = store.get(language) ?? make(language);
  store.set(language, found);
  return found;
}

/** Puts values where a text has `{name}`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (mark, name: string) => values[name] ?? mark);
}

/** 12480 as the language writes it; halves as ½. */
export function numberText(value: number, language: string): string {
  const format = kept(numberFormats, language, (name) => new Intl.NumberFormat(name));
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return format.format(value);
  return whole === 0 ? "½" : `${format.format(whole)}½`;
}

/** The form of a sentence that goes with this number, with the number in it. */
export function counted(forms: Plural, value: number, language: string): string {
  const rules = kept(pluralRules, language, (name) => new Intl.PluralRules(name));
  return fill(forms[rules.select(value)] ?? forms.other, { n: numberText(value, language) });
}
