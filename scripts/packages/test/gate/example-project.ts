import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskFolder } from "../../../../packages/server/test/support/folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

/** A program of `examples/gate`, a Worker, or a folder with Next. */
export type Example = { readonly file: string } | { readonly worker: string } | { readonly next: string };

/** `examples/gate` in a folder outside of the repository, with the packed gate and the frameworks from npm. */
export class ExampleProject {
  readonly #folder = diskFolder();

  get path(): string {
    return this.#folder.path;
  }

  async install(): Promise<void> {
    cpSync(join(root, "examples/gate"), this.path, { recursive: true });
    const [tarball] = globSync("build/tarballs/openseat-gate-[0-9]*.tgz", { cwd: root });
    assert.ok(tarball, "Run `npm run packages` first: it packs the gate.");
    const gate = join(root, tarball);
    await this.#npm(".", gate, "typescript@5.9.3", "@types/node@26");
    // The example for Express 5 also runs on Express 4.
    mkdirSync(join(this.path, "express-4"));
    for (const file of ["express.ts", "settings.ts"])
      cpSync(join(this.path, file), join(this.path, "express-4", file));
    writeFileSync(join(this.path, "express-4/package.json"), '{ "private": true, "type": "module" }');
    await this.#npm("express-4", "express@4");
    await this.#npm("next", gate, "typescript@5.9.3", "@types/node@26", "@types/react@19");
    await this.run("npx", ["next", "build"], "next", {
      SITE_URL: "http://localhost:1",
      OPENSEAT_SERVICE_KEY: "x",
    });
  }

  async compile(): Promise<void> {
    const readme = readFileSync(join(root, "packages/gate/README.md"), "utf8");
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
    assert.ok(blocks.length >= 6);
    for (const [index, code] of blocks.entries()) writeFileSync(join(this.path, `readme-${index}.ts`), code);
    const options = {
      ...{ target: "es2024", lib: ["es2024", "dom", "dom.iterable"], module: "nodenext", types: ["node"] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true },
      ...{ allowImportingTsExtensions: true, noUncheckedIndexedAccess: true },
    };
    // The types of the frameworks have errors of their own under these settings.
    const config = { compilerOptions: { ...options, skipLibCheck: true }, include: ["*.ts"] };
    writeFileSync(join(this.path, "tsconfig.json"), JSON.stringify(config));
    await this.run("npx", ["tsc", "-p", "tsconfig.json"]);
  }

  async run(
    program: string,
    args: readonly string[],
    folder = ".",
    env: Record<string, string> = {},
  ): Promise<void> {
    try {
      await run(program, [...args], { cwd: join(this.path, folder), env: { ...plainEnvironment(), ...env } });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${[program, ...args].join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  remove(): void {
    this.#folder.remove();
  }

  #npm(folder: string, ...packages: readonly string[]): Promise<void> {
    return this.run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", ...packages], folder);
  }
}

/** Without what `npm run` has set for this repository. */
export function plainEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?!config_)|NODE_|INIT_CWD)/i.test(name),
  );
  return { ...(Object.fromEntries(entries) as Record<string, string>), NEXT_TELEMETRY_DISABLED: "1" };
}
