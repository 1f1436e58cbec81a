import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Child, dropFolder, newFolder } from "../children.ts";
import { type Address, LoadError } from "../load.ts";
import type { PostgresOrder, PostgresReport, PostgresStart, PostgresTotals } from "./postgres-server.ts";

const program = fileURLToPath(new URL("./postgres-server.ts", import.meta.url));

/** The server over PostgreSQL, as seen by the benchmark. */
export class Postgres {
  readonly #folder: string;
  readonly #child: Child;
  #port = 0;

  private constructor() {
    this.#folder = newFolder("openseat-bench-pg-");
    const user = lesserUser();
    if (user !== undefined) chownSync(this.#folder, user.uid, user.gid);
    this.#child = new Child(program, { channel: true, endsWithChannel: true, user });
  }

  static async start(ladder: Omit<PostgresStart, "folder">): Promise<Postgres> {
    const postgres = new Postgres();
    try {
      const report = await postgres.#ask({ folder: postgres.#folder, ...ladder });
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
    return this.#child.pid;
  }

  /** How many connections to PostgreSQL its pool has from now on. Nothing may be in flight. */
  async setConnections(connections: number): Promise<void> {
    await this.#ask({ connections });
  }

  async totals(): Promise<PostgresTotals> {
    return ((await this.#ask("totals")) as { totals: PostgresTotals }).totals;
  }

  async stop(): Promise<void> {
    await this.#child.stop("SIGTERM");
    dropFolder(this.#folder);
  }

  async #ask(order: PostgresOrder): Promise<PostgresReport> {
    const child = this.#child;
    const answered = new AbortController();
    const { signal } = answered;
    try {
      child.process.send(order);
      const [report] = await Promise.race([
        once(child.process, "message", { signal }),
        once(child.process, "exit", { signal }).then(() => [{ error: "its server has ended." }]),
      ]);
      if ("error" in report) throw new LoadError(`PostgreSQL: ${report.error}\n${child.output}`);
      return report;
    } finally {
      answered.abort();
    }
  }
}

/** PostgreSQL refuses to run as root: then it runs as nobody. Undefined when we are somebody else anyway. */
function lesserUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
