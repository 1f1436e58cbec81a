import { spawn } from "node:child_process";
import { once } from "node:events";
import { packagesToBuild } from "../../packages/src/packages.ts";
import { root } from "../../packages/src/root.ts";
import { runRelease } from "./release.ts";

process.exitCode = await runRelease(process.argv.slice(2), {
  root,
  today: new Date(),
  packages: packagesToBuild().map(({ name }) => name),
  build: async () => {
    await succeeds("scripts/packages/src/main.ts");
    await succeeds("scripts/test.ts", "scripts/packages/test/older-data.test.ts");
  },
  print: (text) => process.stdout.write(text),
});

/** Runs a program of this repository, in which no test may be skipped. */
async function succeeds(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, OPENSEAT_TEST_REQUIRE_ALL: "1" };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  const [code, signal] = await once(child, "close");
  if (code !== 0) throw new Error(`\`npx node ${args.join(" ")}\` ended with ${signal ?? code}.`);
}
