#!/usr/bin/env node
import { commandNamed } from "./cli/commands.ts";
import { showHelp } from "./cli/help.ts";
import { ConfigError } from "./config/load-config.ts";
import type { LogUnavailable } from "./log/log.ts";
import { nodeProblem } from "./node-needs.ts";

/** The only place that reads the environment. Together with the commands, it prints for people and ends the process. */
async function main(): Promise<void> {
  // Ignore write errors on stdout: a full disk under the logs must not stop the server.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  const problem = nodeProblem();
  if (problem !== undefined) throw new ConfigError([problem]);
  const given = process.argv.slice(2);
  const name = given[0]?.startsWith("-") === false ? given[0] : undefined;
  const args = name === undefined ? given : given.slice(1);
  if (name === "help") await showHelp(args[0]);
  else if (isAsked(args, "-h", "--help")) await showHelp(name);
  else await (await commandNamed(name ?? impliedBy(args))).run(args, process.env);
}

/** The command of arguments that begin with a flag. */
function impliedBy(args: readonly string[]): string {
  // The flag from before there were commands.
  if (isAsked(args, "--rotate-keys")) return "rotate-keys";
  return isAsked(args, "-v", "--version") ? "version" : "start";
}

function isAsked(args: readonly string[], ...flags: readonly string[]): boolean {
  return args.some((arg) => flags.includes(arg));
}

main().catch((error: unknown) => {
  const { name, stack } = error as Error;
  const message = name === "LogUnavailable" ? (error as LogUnavailable).detail : (error as Error).message;
  // These errors explain themselves in a sentence, so print no stack.
  const known = ["ConfigError", "FolderTaken", "LogUnusable", "LogUnavailable", "SecretsUnreadable"];
  const expected = known.includes(name) || "code" in (error as object);
  const inUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  const text = inUse
    ? `${message}. Another program uses that port; choose one with --port, or --operator-port for that of operators.`
    : message;
  process.stderr.write(`${expected ? text : stack}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
