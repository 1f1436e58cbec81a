/** What is kept secret, by the name under which it is kept. */
export type SecretName = "secrets" | "signing-keys";

/** Where secrets are kept, and stay over restarts: in the data folder, or in the database that all nodes share. */
export interface SecretStore {
  /** What is kept, checked; undefined when nothing is. What fails the check is told without a word of what it holds. */
  read<Content>(name: SecretName, check: (content: unknown) => Content): Promise<Content | undefined>;
  /** Keeps this, unless something is kept already: false then. Of several who are first, one has made it for all. */
  make(name: SecretName, content: unknown): Promise<boolean>;
  /** Keeps `to` in place of `from`, in one step; false when it is not `from` that is kept any more. */
  replace(name: SecretName, from: unknown, to: unknown): Promise<boolean>;
}

/** The operator is told in a sentence where it is; never what is in it. */
export class SecretsUnreadable extends Error {
  override readonly name = "SecretsUnreadable";

  constructor(where: string, error: unknown) {
    // Never the parser's own words: they quote what they could not read.
    const why = error instanceof SyntaxError ? "they are not JSON" : (error as Error).message;
    super(`The secrets in ${where} cannot be read: ${why}.`, { cause: error });
  }
}
