import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./http.ts";
import { freePort } from "./ports.ts";
import { findProgram } from "./programs.ts";

const examples = join(import.meta.dirname, "../../../../examples");
const variable = "OPENSEAT_TEST_NGINX";
const program = findProgram({
  variable,
  names: ["nginx"],
  versionFlag: "-v",
  // PATH includes these for some users only.
  paths: ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"],
});

/** Why there is no nginx for tests, or undefined if there is one. */
export const missingNginx =
  program === undefined ? `no nginx found; install it or set ${variable}` : undefined;

type Files = Readonly<Record<string, string>>;

export interface Nginx {
  /** Its public address: `http://127.0.0.1:…`. */
  readonly url: string;
  readonly port: number;
  /** Its output. */
  readonly said: string;
  stop(): Promise<void>;
}

/** A real nginx with the example's configuration, changed only in its ports, in its own folder. */
export async function startNginx({
  openseatPort,
  sitePort,
}: {
  readonly openseatPort: number;
  readonly sitePort: number;
}): Promise<Nginx> {
  return runSomewhere((listening) => {
    const ports = { "listen 8000": listening, "127.0.0.1:8080": openseatPort, "127.0.0.1:3000": sitePort };
    let conf = exampleFile("nginx/openseat.conf");
    for (const [written, actual] of Object.entries(ports))
      conf = replaced(conf, `${written};`, `${written.replace(/\d+$/, String(actual))};`);
    return { "openseat.conf": conf };
  });
}

/** The same with the configuration for several nodes. */
export async function startNginxInFrontOf(nodePorts: readonly number[]): Promise<Nginx> {
  const [line] = exampleFile("several-nodes/openseat-nodes.conf").match(/^server .*$/m)!;
  const nodes = nodePorts.map((port) => replaced(line, "node-1:8080", `127.0.0.1:${port}`));
  return runSomewhere((listening) => ({
    "openseat.conf": replaced(
      exampleFile("several-nodes/openseat.conf"),
      "listen 8080;",
      `listen 127.0.0.1:${listening};`,
    ),
    "openseat-nodes.conf": nodes.join("\n"),
  }));
}

/**
 * The same with the guide's configuration, for an Openseat below a path. `openseatAt` starts it for the given public address
 * and returns its port.
 */
export async function startNginxBelowAPath(
  openseatAt: (publicUrl: string) => Promise<number>,
  { strips = false } = {},
): Promise<Nginx> {
  const guide = readFileSync(join(examples, "../docs/guides/behind-a-proxy.md"), "utf8");
  const [, conf] = /^```nginx\n(.*?)^```/ms.exec(guide)!;
  return runSomewhere(async (listening) => {
    const openseatPort = await openseatAt(`http://127.0.0.1:${listening}/openseat`);
    const listened = replaced(conf, "listen 8000;", `listen 127.0.0.1:${listening};`);
    const target = `127.0.0.1:${openseatPort}${strips ? "/" : ""};`;
    return { "openseat.conf": replaced(listened, "127.0.0.1:8080;", target) };
  });
}

/** nginx cannot choose a port itself, and another process may take the free one meanwhile. */
async function runSomewhere(filesFor: (listening: number) => Files | Promise<Files>): Promise<Nginx> {
  for (let attempt = 1; ; attempt++) {
    const listening = await freePort();
    try {
      return await run(listening, await filesFor(listening));
    } catch (error) {
      if (attempt === 5 || !(error as Error).message.includes("Address already in use")) throw error;
    }
  }
}

function exampleFile(name: string): string {
  return readFileSync(join(examples, name), "utf8");
}

function replaced(text: string, written: string, actual: string): string {
  if (!text.includes(written)) throw new Error(`the example no longer says ${written}`);
  return text.replace(written, actual);
}

async function run(listening: number, files: Files): Promise<Nginx> {
  if (program === undefined) throw new Error(missingNginx);
  const folder = mkdtempSync(join(tmpdir(), "openseat-nginx-"));
  // Started as root, it runs as another user, who needs access to its folder.
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries({ ...files, "nginx.conf": exampleFile("nginx/nginx.conf") }))
    writeFileSync(join(folder, name), text);
  const running = new Running(program, folder);
  const url = `http://127.0.0.1:${listening}`;
  try {
    await until("nginx to answer", () => running.answers(url));
  } catch (error) {
    await running.stop();
    throw new Error(`${(error as Error).message}; it said: ${running.said}`, { cause: error });
  }
  return {
    url,
    port: listening,
    get said() {
      return running.said;
    },
    stop: () => running.stop(),
  };
}

class Running {
  said = "";
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(program: string, folder: string) {
    this.#folder = folder;
    const args = ["-e", "stderr", "-p", `${folder}/`, "-c", "nginx.conf"];
    this.#process = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#process.stderr!.on("data", (chunk: Buffer) => {
      this.said += chunk.toString("utf8");
    });
    this.#ended = new Promise((resolve) => this.#process.once("close", () => resolve()));
    process.once("exit", this.#endWithUs);
  }

  readonly #endWithUs = () => this.#process.kill("SIGTERM");

  async answers(url: string): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error("nginx ended while starting");
    // It writes this file when it has its port. Before that, another process may be answering.
    if (!existsSync(join(this.#folder, "nginx.pid"))) return false;
    return fetch(`${url}/.well-known/jwks.json`, { redirect: "manual" }).then(
      ({ status }) => status > 0,
      () => false,
    );
  }

  async stop(): Promise<void> {
    process.off("exit", this.#endWithUs);
    this.#process.kill("SIGTERM");
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
