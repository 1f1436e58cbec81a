import { fileURLToPath } from "node:url";
import type { Address } from "../load.ts";
import { PostgresProgram } from "../postgres-program.ts";
import type { PostgresOrder, PostgresReport, PostgresStart, PostgresTotals } from "./postgres-server.ts";

const program = fileURLToPath(new URL("./postgres-server.ts", import.meta.url));

/** The benchmark's handle for the server over PostgreSQL. */
export class Postgres {
  readonly #program = new PostgresProgram<PostgresOrder, PostgresReport>(program);
  #port = 0;

  static async start(ladder: Omit<PostgresStart, "folder">): Promise<Postgres> {
    const postgres = new Postgres();
    try {
      const report = await postgres.#program.ask({ folder: postgres.#program.folder, ...ladder });
      postgres.#port = (report as { port: number }).port;
      return postgres;
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.#port };
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Sets the size of its PostgreSQL connection pool. Nothing may be in flight. */
  async setConnections(connections: number): Promise<void> {
    await this.#program.ask({ connections });
  }

  async totals(): Promise<PostgresTotals> {
    return ((await this.#program.ask("totals")) as { totals: PostgresTotals }).totals;
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}
