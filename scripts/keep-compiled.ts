/**
 * `npm test`: everything, or the files that are named. What Node has compiled is kept for the next of the many short
 * processes that tests are: it is a tenth of all their time.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

const everything = ["packages", "sim", "bench", "e2e"].map((folder) => `${folder}/**/*.test.ts`);
const given = process.argv.slice(2);

const tests = spawn(
  process.execPath,
  ["--test", "--test-concurrency=2", ...(given.length > 0 ? given : everything)],
  {
    stdio: "inherit",
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/openseat-compiled"),
      ...process.env,
    },
  },
);
tests.on("close", (code) => {
  process.exitCode = code ?? 1;
});
