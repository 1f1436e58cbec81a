import { runCopy } from "../copy/run-copy.ts";

/** `openseat copy`: copies a log from one store to another. */
export async function copy(args: readonly string[]): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const { stdout, stderr } = process;
  process.exitCode = await runCopy(args, { stdout, stderr, signal: stop.signal });
}
