import { withSecrets } from "../boot/store.ts";
import { ConfigError, loadConfig } from "../config/load-config.ts";
import { readSecrets } from "../config/secrets.ts";
import type { Environment } from "../config/unknown-variables.ts";
import type { Command } from "./command.ts";

/** `openseat keys`: prints the operator and service keys as JSON, for scripts. */
export const keys: Command = {
  help: `Prints the keys of operators and services as JSON. The server may be running.

Usage: npx openseat keys [settings]

It takes the settings of the server, and needs those that say where its data is
  --data FOLDER         the data folder (data)
  --database-url URL    the database, if the server uses one
`,
  run: showKeys,
};

async function showKeys(args: readonly string[], environment: Environment): Promise<void> {
  const config = loadConfig(args, environment);
  const kept = await withSecrets(config, readSecrets);
  const operatorKey = config.operatorKey ?? kept?.operatorKey;
  const serviceKey = config.serviceKey ?? kept?.serviceKey;
  if (operatorKey === undefined || serviceKey === undefined)
    throw new ConfigError(["There are no keys yet: start the server once to create them."]);
  process.stdout.write(`${JSON.stringify({ operatorKey, serviceKey }, null, 2)}\n`);
}
