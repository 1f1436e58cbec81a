import { once } from "node:events";
import { chownSync } from "node:fs";
import { owner } from "../../packages/server/test/support/postgres-programs.ts";
import { Child, dropFolder, newFolder } from "./children.ts";
import { LoadError } from "./load.ts";

/** The benchmark's handle for a program with a PostgreSQL: it executes one order after the other. */
export class PostgresProgram<Order extends object | string, Report extends object> {
  readonly folder: string;
  readonly #child: Child;

  constructor(program: string) {
    this.folder = newFolder("openseat-bench-pg-");
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
    this.#child = new Child(program, { channel: true, endsWithChannel: true });
  }

  get pid(): number {
    return this.#child.pid;
  }

  async ask(order: Order): Promise<Report> {
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

  async stop(): Promise<void> {
    await this.#child.stop("SIGTERM");
    dropFolder(this.folder);
  }
}
