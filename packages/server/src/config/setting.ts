interface Common {
  /** Never shown in logs or errors (AU4). */
  readonly secret?: true;
  /** By default, `OPENSEAT_` and the setting's name. */
  readonly variable?: string;
}

interface TextTerms extends Common {
  readonly pattern?: { test(text: string): boolean };
  readonly shape?: string;
  /** The meaning of the flag without a value. */
  readonly alone?: string;
  readonly default?: string;
}

interface NumberTerms extends Common {
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}

interface SwitchTerms extends Common {
  readonly default?: boolean;
}

type Described = { readonly help: string } & (
  | ({ readonly kind: "text" } & TextTerms)
  | ({ readonly kind: "number" } & NumberTerms)
  | ({ readonly kind: "switch" } & SwitchTerms)
);

/** A flag, a variable and a key of the JSON file, with its bounds. */
export type Setting = Described & { readonly variable: string };

interface Values {
  readonly text: string;
  readonly number: number;
  readonly switch: boolean;
}

/** The type of a parsed setting. */
export type Value<S extends { readonly kind: keyof Values }> =
  | Values[S["kind"]]
  | (S extends { readonly default: unknown } ? never : undefined);

export function text<const Terms extends TextTerms>(terms: Terms, help: string) {
  return { kind: "text", ...terms, help } as const;
}

export function number<const Terms extends NumberTerms>(terms: Terms, help: string) {
  return { kind: "number", ...terms, help } as const;
}

export function onOff<const Terms extends SwitchTerms>(terms: Terms, help: string) {
  return { kind: "switch", ...terms, help } as const;
}

export function withVariables<Given extends Readonly<Record<string, Described>>>(
  given: Given,
): { readonly [Name in keyof Given]: Given[Name] & { readonly variable: string } } {
  const settings = Object.entries(given).map(([name, setting]) => {
    const variable = `OPENSEAT_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
    return [name, { variable, ...setting }];
  });
  return Object.fromEntries(settings);
}
