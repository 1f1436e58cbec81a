#!/usr/bin/env node
import { ConfigError, helpText } from "./config/load-config.ts";
import type { Environment } from "./config/unknown-variables.ts";
import type { LogUnavailable } from "./log/log.ts";

type Command = (args: readonly string[], environment: Environment) => Promise<void>;

/** Commands by name. Each module is loaded on demand: printing a key needs only a small part of the server. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import("./cli/start.ts")).start,
  keys: async () => (await import("./cli/keys.ts")).showKeys,
  "rotate-keys": async () => (await import("./cli/rotate-keys.ts")).rotate,
  copy: async () => (await import("./cli/copy.ts")).copy,
};

/** The only place that reads the environment. Together with the commands, it prints for people and ends the process. */
async function main(): Promise<void> {
  // Ignore write errors on stdout: a full disk under the logs must not stop the server.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  const [word, args] = wordAndArgs(process.argv.slice(2));
  // `copy` has no settings and prints its own help.
  if (args.includes("--help") && word !== "copy") process.stdout.write(helpText());
  else if (Object.hasOwn(commands, word)) await (await commands[word]())(args, process.env);
  else throw new ConfigError([`There is no command ${JSON.stringify(word)}. --help lists all commands.`]);
}

function wordAndArgs(args: readonly string[]): [string, readonly string[]] {
  // The flag from before there were commands.
  if (args.includes("--rotate-keys")) return ["rotate-keys", args.filter((arg) => arg !== "--rotate-keys")];
  const [first] = args;
  return first === undefined || first.startsWith("-") ? ["start", args] : [first, args.slice(1)];
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
