import { ConfigError } from "../config/load-config.ts";
import { nearestOf } from "../config/nearest.ts";
import type { Command } from "./command.ts";

interface Listed {
  readonly does: string;
  /** Loaded on demand: printing a key needs only a small part of the server. */
  load(): Promise<Command>;
}

/** All commands by name, in the order of the help. */
export const commands: Readonly<Record<string, Listed>> = {
  start: {
    does: "Starts the server. This is the default.",
    load: async () => (await import("./start.ts")).start,
  },
  keys: {
    does: "Prints the keys of operators and services as JSON.",
    load: async () => (await import("./keys.ts")).keys,
  },
  "rotate-keys": {
    does: "Creates a new key that signs admission tokens.",
    load: async () => (await import("./rotate-keys.ts")).rotateKeys,
  },
  copy: {
    does: "Copies a log from one store to another, such as a data folder to PostgreSQL.",
    load: async () => (await import("./copy.ts")).copy,
  },
  version: { does: "Prints the version.", load: async () => (await import("./version.ts")).showVersion },
};

export async function commandNamed(name: string): Promise<Command> {
  if (Object.hasOwn(commands, name)) return commands[name].load();
  const near = nearestOf(Object.keys(commands), name);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new ConfigError([
    `There is no command ${JSON.stringify(name)}.${hint} npx openseat --help lists all commands.`,
  ]);
}
