import { fileURLToPath } from "node:url";
import type { Address } from "../load.ts";
import { PostgresProgram } from "../postgres-program.ts";
import type { Way } from "./textbook.ts";
import type { TextbookOrder, TextbookReport, TextbookTotals } from "./textbook-server.ts";

const program = fileURLToPath(new URL("./textbook-server.ts", import.meta.url));
const seatsMax = 1_000_000;

/** The benchmark's handle for the scenario's PostgreSQL and the textbook server on it. */
export class Textbook {
  readonly #program = new PostgresProgram<TextbookOrder, TextbookReport>(program);
  #port = 0;
  #games = 0;

  static async start(): Promise<Textbook> {
    const textbook = new Textbook();
    try {
      const report = await textbook.#program.ask({ folder: textbook.#program.folder });
      textbook.#port = (report as { port: number }).port;
      return textbook;
    } catch (error) {
      await textbook.stop();
      throw error;
    }
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** Of the server; PostgreSQL's processes are its children. */
  get pid(): number {
    return this.#program.pid;
  }

  /** Selects the way of joining. Nothing may be in flight. */
  async choose(way: Way, connections: number): Promise<void> {
    await this.#program.ask({ way, connections });
  }

  async createGames(count: number, seats = seatsMax): Promise<string[]> {
    const games = Array.from({ length: count }, () => `textbook-${String(++this.#games).padStart(11, "0")}`);
    await this.#program.ask({ games, seats });
    return games;
  }

  /** Creates an empty database on the same PostgreSQL and returns its address. */
  async createDatabase(database: string): Promise<string> {
    return ((await this.#program.ask({ database })) as { url: string }).url;
  }

  async totals(): Promise<TextbookTotals> {
    return ((await this.#program.ask("totals")) as { totals: TextbookTotals }).totals;
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}
