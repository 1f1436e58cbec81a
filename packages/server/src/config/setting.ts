type Kind =
  | {
      readonly kind: "text";
      readonly pattern?: { test(text: string): boolean };
      readonly shape?: string;
      /** What the flag means when it is given without a value. */
      readonly alone?: string;
      readonly default?: string;
    }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly default?: number }
  | { readonly kind: "switch"; readonly default?: boolean };

/** A flag, a variable and a key of the JSON file, with its bounds. */
export type Setting = Kind & {
  readonly variable: string;
  readonly help: string;
  /** Never shown, neither in logs nor in errors (AU4). */
  readonly secret?: true;
};

/** What the setting is once it has been read. */
export type Value<S> = S extends { kind: "number"; default: number }
  ? number
  : S extends { kind: "number" }
    ? number | undefined
    : S extends { kind: "switch"; default: boolean }
      ? boolean
      : S extends { kind: "switch" }
        ? boolean | undefined
        : S extends { default: string }
          ? string
          : string | undefined;
