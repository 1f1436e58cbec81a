import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./folder.ts";
import { until } from "./http.ts";
import { freePort } from "./ports.ts";
import { findProgram } from "./programs.ts";

const examples = join(import.meta.dirname, "../../../../examples/caddy");
const variable = "OPENSEAT_TEST_CADDY";
const program = findProgram({
  variable,
  names: ["caddy"],
  versionFlag: "version",
  paths: ["/usr/bin/caddy", "/usr/local/bin/caddy", "/opt/homebrew/bin/caddy"],
});

/** Why there is no Caddy for tests, or undefined if there is one. */
export const missingCaddy =
  program === undefined ? `no caddy found; install it or set ${variable}` : undefined;

/** A real Caddy with the example's configuration, changed only in its ports. */
export function startCaddy(openseatPort: number, sitePort: number): Promise<Caddy> {
  return Caddy.start("Caddyfile", {
    "127.0.0.1:8080": `127.0.0.1:${openseatPort}`,
    "127.0.0.1:3000": `127.0.0.1:${sitePort}`,
  });
}

/** The same with the configuration for several nodes. */
export function startCaddyInFrontOf(nodePorts: readonly number[]): Promise<Caddy> {
  const nodes = nodePorts.map((port) => `127.0.0.1:${port}`);
  return Caddy.start("several-nodes.Caddyfile", { "node-1:8080 node-2:8080 node-3:8080": nodes.join(" ") });
}

export class Caddy {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #folder = tempFolder();
  #said = "";

  private constructor(port: number, configuration: string) {
    this.url = `http://127.0.0.1:${port}`;
    const file = join(this.#folder.path, "Caddyfile");
    // Its administration would take a fixed port.
    writeFileSync(file, `{\n\tadmin off\n}\n${configuration}`);
    const { PATH } = process.env;
    this.#process = spawn(program!, ["run", "--adapter", "caddyfile", "--config", file], {
      // It keeps certificates and its configuration in these folders.
      env: {
        PATH,
        HOME: this.#folder.path,
        XDG_DATA_HOME: this.#folder.path,
        XDG_CONFIG_HOME: this.#folder.path,
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process.stderr!.on("data", (chunk: Buffer) => {
      this.#said += chunk.toString("utf8");
    });
    this.#ended = new Promise((resolve) => this.#process.once("close", resolve));
    process.once("exit", this.#endWithUs);
  }

  readonly #endWithUs = () => this.#process.kill("SIGKILL");

  /** Caddy cannot choose a port itself, and another process may take the free one meanwhile. */
  static async start(example: string, changes: Readonly<Record<string, string>>): Promise<Caddy> {
    const written = readFileSync(join(examples, example), "utf8");
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const all = { "\n:8000 {": `\nhttp://127.0.0.1:${port} {`, ...changes };
      const caddy = new Caddy(port, replaced(written, all));
      try {
        await until("Caddy to answer", () => caddy.#answers());
        return caddy;
      } catch (error) {
        await caddy.stop();
        const said = caddy.#said;
        if (attempt === 5 || !said.includes("address already in use"))
          throw new Error(`${(error as Error).message}; it said: ${said}`, { cause: error });
      }
    }
  }

  async #answers(): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error("Caddy ended while starting");
    // It writes this when it has its port. Before that, another process may be answering.
    if (!this.#said.includes("serving initial configuration")) return false;
    return fetch(`${this.url}/.well-known/jwks.json`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  async stop(): Promise<void> {
    process.off("exit", this.#endWithUs);
    this.#process.kill("SIGKILL");
    await this.#ended;
    this.#folder.remove();
  }
}

function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  let changed = text;
  for (const [written, actual] of Object.entries(changes)) {
    if (!changed.includes(written)) throw new Error(`the example no longer says ${written}`);
    changed = changed.replaceAll(written, actual);
  }
  return changed;
}
