import { withSecrets } from "../boot/store.ts";
import { loadConfig } from "../config/load-config.ts";
import { rotateKeys as newSigningKey } from "../config/signing-keys.ts";
import type { Environment } from "../config/unknown-variables.ts";
import type { Command } from "./command.ts";

const leakedFlag = "--leaked";
/** From before there were commands: the flag that asked for this one. */
const formerFlag = "--rotate-keys";

/** `openseat rotate-keys`: creates a new key for admission tokens. Running nodes pick it up by themselves. */
export const rotateKeys: Command = {
  help: `Creates a new key that signs admission tokens. Running servers use it by themselves.

Usage: npx openseat rotate-keys [--leaked] [settings]

  --leaked              refuse tokens of the older keys at once; by default, they stay valid until they expire

It takes the settings of the server, and needs those that say where its data is
  --data FOLDER         the data folder (data)
  --database-url URL    the database, if the servers use one
`,
  run: rotate,
};

async function rotate(args: readonly string[], environment: Environment): Promise<void> {
  const config = loadConfig(
    args.filter((arg) => arg !== leakedFlag && arg !== formerFlag),
    environment,
  );
  const leaked = args.includes(leakedFlag);
  const kid = await withSecrets(config, (secrets) => newSigningKey(secrets, Date.now(), { leaked }));
  process.stdout.write(`Admission tokens are now signed with the new key ${kid}.\n`);
}
