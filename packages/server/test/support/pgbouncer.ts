import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./http.ts";
import { freePort } from "./ports.ts";
import { type PostgresServer, postgresPassword } from "./postgres.ts";
import { owner } from "./postgres-programs.ts";
import { findProgram } from "./programs.ts";

const variable = "OPENSEAT_TEST_PGBOUNCER";
const program = findProgram({
  variable,
  names: ["pgbouncer"],
  // PATH includes these for some users only.
  paths: ["/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer", "/opt/homebrew/bin/pgbouncer"],
});

/** Why there is no pgbouncer for tests, or undefined if there is one. */
export const missingPgbouncer =
  program === undefined ? `no pgbouncer found; install it or set ${variable}` : undefined;

/** A real pgbouncer in front of a server. It ends with this process. */
export class Pgbouncer {
  readonly port: number;
  said = "";
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #endWithUs = () => this.#process.kill("SIGKILL");

  private constructor(server: PostgresServer, port: number, settings: Readonly<Record<string, string>>) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "openseat-pgbouncer-"));
    const { username } = new URL(server.url());
    const users = this.#write("users.txt", `"${username}" "${postgresPassword}"\n`);
    const given = {
      ...{ listen_addr: "127.0.0.1", listen_port: String(port), unix_socket_dir: "" },
      ...{ auth_type: "plain", auth_file: users, ...settings },
    };
    const lines = Object.entries(given).map(([name, value]) => `${name} = ${value}`);
    const databases = `[databases]\n* = host=127.0.0.1 port=${server.port}`;
    const file = this.#write("pgbouncer.ini", `${databases}\n[pgbouncer]\n${lines.join("\n")}\n`);
    server.give(this.#folder);
    // It refuses to run as root.
    this.#process = spawn(program!, [file], { ...owner(), cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    this.#process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.said += text;
    });
    this.#ended = new Promise((resolve) => this.#process.once("close", () => resolve()));
    process.once("exit", this.#endWithUs);
  }

  static async start(server: PostgresServer, settings: Readonly<Record<string, string>>): Promise<Pgbouncer> {
    const bouncer = new Pgbouncer(server, await freePort(), settings);
    try {
      await until("pgbouncer to listen", () => {
        if (bouncer.#process.exitCode !== null) throw new Error(`pgbouncer has ended: ${bouncer.said}`);
        return bouncer.said.includes("process up");
      });
    } catch (error) {
      await bouncer.stop();
      throw error;
    }
    return bouncer;
  }

  async stop(): Promise<void> {
    process.off("exit", this.#endWithUs);
    this.#process.kill("SIGKILL");
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }
}
