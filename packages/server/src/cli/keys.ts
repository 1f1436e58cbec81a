import { withSecrets } from "../boot/store.ts";
import { ConfigError, loadConfig } from "../config/load-config.ts";
import { readSecrets } from "../config/secrets.ts";
import type { Environment } from "../config/unknown-variables.ts";

/** `openseat keys`: the operator's and the service's key, for whoever may read where they are kept. As JSON, for scripts. */
export async function showKeys(args: readonly string[], environment: Environment): Promise<void> {
  const config = loadConfig(args, environment);
  const kept = await withSecrets(config, readSecrets);
  const operatorKey = config.operatorKey ?? kept?.operatorKey;
  const serviceKey = config.serviceKey ?? kept?.serviceKey;
  if (operatorKey === undefined || serviceKey === undefined)
    throw new ConfigError([
      "There are no keys yet: they are made when the server starts for the first time.",
    ]);
  process.stdout.write(`${JSON.stringify({ operatorKey, serviceKey }, null, 2)}\n`);
}
