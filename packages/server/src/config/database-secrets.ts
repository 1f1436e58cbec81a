import { type SecretName, type SecretStore, SecretsUnreadable } from "./secret-store.ts";

/** Runs a query on the database and returns the rows. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Secrets as rows in the database, shared by all nodes. Anyone who can read its tables can read them. */
export class DatabaseSecrets implements SecretStore {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  async read<Content>(name: SecretName, check: (content: unknown) => Content): Promise<Content | undefined> {
    const [row] = await this.#query("SELECT content FROM secrets WHERE name = $1", [name]);
    if (!row) return undefined;
    try {
      return check(row.content);
    } catch (error) {
      throw new SecretsUnreadable(`the table secrets under ${name}`, error);
    }
  }

  async make(name: SecretName, content: unknown): Promise<boolean> {
    const made = await this.#query(
      "INSERT INTO secrets (name, content) VALUES ($1, $2::jsonb) ON CONFLICT (name) DO NOTHING RETURNING name",
      [name, JSON.stringify(content)],
    );
    return made.length > 0;
  }

  async replace(name: SecretName, from: unknown, to: unknown): Promise<boolean> {
    const replaced = await this.#query(
      "UPDATE secrets SET content = $3::jsonb WHERE name = $1 AND content = $2::jsonb RETURNING name",
      [name, JSON.stringify(from), JSON.stringify(to)],
    );
    return replaced.length > 0;
  }
}
