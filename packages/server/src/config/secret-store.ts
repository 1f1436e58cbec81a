/** The names of stored secrets. */
export type SecretName = "secrets" | "signing-keys";

/** Persistent storage of secrets: in the data folder, or in the database that all nodes share. */
export interface SecretStore {
  /** The stored and checked content; undefined if there is none. The error of a failed check reveals nothing of the content. */
  read<Content>(name: SecretName, check: (content: unknown) => Content): Promise<Content | undefined>;
  /** Stores the content unless there is some already; then it returns false. Of several concurrent calls, one succeeds. */
  make(name: SecretName, content: unknown): Promise<boolean>;
  /** Atomically replaces `from` by `to`; returns false if `from` is no longer stored. */
  replace(name: SecretName, from: unknown, to: unknown): Promise<boolean>;
}

/** Says where the secrets are, but never what they are. */
export class SecretsUnreadable extends Error {
  override readonly name = "SecretsUnreadable";

  constructor(where: string, error: unknown) {
    // Do not show the parser's message: it quotes the text.
    const why = error instanceof SyntaxError ? "they are not JSON" : (error as Error).message;
    super(`The secrets in ${where} cannot be read: ${why}.`, { cause: error });
  }
}
