import { version } from "../version.ts";
import type { Command } from "./command.ts";

/** `openseat version`, and `openseat --version`. */
export const showVersion: Command = {
  help: `Prints the version.

Usage: npx openseat version, or npx openseat --version
`,
  async run() {
    process.stdout.write(`${version}\n`);
  },
};
