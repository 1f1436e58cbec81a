import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { Child, dropFolder, newFolder } from "./children.ts";
import { LoadError } from "./load.ts";

/** A program that has a PostgreSQL, as seen by the benchmark: it is told what to do, and answers one order after the other. */
export class PostgresProgram<Order extends object | string, Report extends object> {
  readonly folder: string;
  readonly #child: Child;

  constructor(program: string) {
    this.folder = newFolder("openseat-bench-pg-");
    const user = lesserUser();
    if (user !== undefined) chownSync(this.folder, user.uid, user.gid);
    this.#child = new Child(program, { channel: true, endsWithChannel: true, user });
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

/** PostgreSQL refuses to run as root: then it runs as nobody. Undefined when we are somebody else anyway. */
function lesserUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
