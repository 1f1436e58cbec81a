import { copyHelp, runCopy } from "../copy/run-copy.ts";
import type { Command } from "./command.ts";

/** `openseat copy`: copies a log from one store to another. */
export const copy: Command = {
  help: copyHelp,
  async run(args) {
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    const { stdout, stderr } = process;
    process.exitCode = await runCopy(args, { stdout, stderr, signal: stop.signal });
  },
};
