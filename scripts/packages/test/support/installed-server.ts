import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { diskFolder } from "../../../../packages/server/test/support/folder.ts";
import { until, within } from "../../../../packages/server/test/support/http.ts";
import { NpmProject, plainEnvironment } from "./npm-project.ts";

const project = new NpmProject();
let installed: Promise<NpmProject> | undefined;

/** A project in which `openseat` is installed, once for all tests of this process. */
export function installOpenseat(): Promise<NpmProject> {
  installed ??= project.install(["openseat"]).then(() => project);
  return installed;
}

interface StartOptions {
  /** The flags that say where its data is; by default, in a new folder. */
  readonly store?: readonly string[];
  readonly flags?: readonly string[];
  /** The folder of the Node that npx finds first; by default, that of this process. */
  readonly nodeFolder?: string;
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** `npx openseat` in a folder where it is installed, with new data. */
export class InstalledServer {
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(process: ChildProcess, ended: Promise<void>, url: string, said: Said) {
    this.#process = process;
    this.#ended = ended;
    this.url = url;
    this.stdout = () => said.stdout;
    this.stderr = () => said.stderr;
  }

  static readonly operatorKey: string = randomBytes(32).toString("hex");

  static async start({
    store = ["--data", diskFolder().path],
    flags = [],
    nodeFolder = dirname(process.execPath),
  }: StartOptions = {}): Promise<InstalledServer> {
    const { folder } = await installOpenseat();
    const child = spawn("npx", ["openseat", "--port", "0", ...store, ...flags], {
      cwd: folder,
      env: { ...plainEnvironment(nodeFolder), OPENSEAT_OPERATOR_KEY: InstalledServer.operatorKey },
      stdio: ["ignore", "pipe", "pipe"],
      // Its own group: npx starts a shell, which starts the server, and all of them must end.
      detached: true,
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const endWithUs = () => endGroup(child, "SIGKILL");
    process.once("exit", endWithUs);
    void ended.then(() => process.off("exit", endWithUs));
    const address = await until("npx openseat", () => {
      if (child.exitCode !== null) throw new Error(`it ended while starting: ${said.stderr}`);
      return /Openseat is at (http:\/\/\S+)\n/.exec(said.stderr)?.[1];
    });
    return new InstalledServer(child, ended, address, said);
  }

  async stop(): Promise<void> {
    endGroup(this.#process, "SIGTERM");
    await within("the end of npx openseat", this.#ended);
  }
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
