import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { tempFolder } from "../support/folder.ts";
import { blocksOf } from "../support/guide-shell.ts";
import { within } from "../support/http.ts";
import { freePort } from "../support/ports.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const [attached, plugin, alone] = blocksOf(readRepoFile("docs/guides/embed.md"), "ts");

/** A program of the guide in its own process and folder, on a free port. */
class Program {
  readonly url: string;
  readonly ended: Promise<number | null>;
  readonly #process: ChildProcess;
  readonly #folder = tempFolder();
  printed = "";

  private constructor(code: string, port: number) {
    const file = join(this.#folder.path, "program.ts");
    const imports = { openseat: "../../src/embed/index.ts", fastify: import.meta.resolve("fastify") };
    let program = code.replaceAll("3000", String(port));
    for (const [name, path] of Object.entries(imports))
      program = program.replaceAll(`from "${name}"`, `from "${new URL(path, import.meta.url).href}"`);
    writeFileSync(join(this.#folder.path, "package.json"), '{ "type": "module" }');
    writeFileSync(file, program);
    this.url = `http://localhost:${port}`;
    const env = { PATH: process.env.PATH };
    this.#process = spawn(process.execPath, [file], {
      ...{ cwd: this.#folder.path, env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process.stdout!.on("data", (chunk: Buffer) => {
      this.printed += chunk.toString("utf8");
    });
    this.ended = new Promise((resolve) => this.#process.once("close", resolve));
  }

  static async start(code: string): Promise<Program> {
    return new Program(code, await freePort());
  }

  /** Waits for the line that says where Openseat is. */
  async said(): Promise<void> {
    const said = new Promise<void>((resolve) => {
      this.#process.stdout!.on("data", () => this.printed.includes("Openseat is at") && resolve());
    });
    await within("the program to listen", Promise.race([said, this.ended]));
    assert.match(this.printed, new RegExp(`^Openseat is at ${this.url}/seats$`, "m"));
  }

  async stop(): Promise<number | null> {
    this.#process.kill("SIGTERM");
    return within("the end of the program", this.ended);
  }

  remove(): void {
    this.#process.kill("SIGKILL");
    this.#folder.remove();
  }
}

describe("docs/guides/embed.md", { skip: skipOnPostgres }, () => {
  for (const [name, code] of [
    ["node:http", attached],
    ["Fastify", plugin],
  ])
    describe(`attached to ${name}`, () => {
      let program: Program;
      before(async () => {
        program = await Program.start(code);
        await program.said();
      });
      after(() => program.remove());

      test("the program answers beside Openseat, and ends on SIGTERM", async () => {
        assert.equal(await (await fetch(program.url)).text(), "My own page");
        assert.equal((await fetch(`${program.url}/seats/healthz`)).status, 200);
        assert.equal((await fetch(`${program.url}/seats/api/v1/games`)).status, 200);
        assert.equal(await program.stop(), 0);
      });
    });

  test("on its own port, the program joins a game and creates a queue", async () => {
    const program = await Program.start(alone);
    try {
      assert.equal(await within("the end of the program", program.ended), 0);
      assert.match(program.printed, /^Bob has seat 1$/m);
    } finally {
      program.remove();
    }
  });
});
