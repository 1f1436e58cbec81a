import { withSecrets } from "../boot/store.ts";
import { loadConfig } from "../config/load-config.ts";
import { rotateKeys } from "../config/signing-keys.ts";
import type { Environment } from "../config/unknown-variables.ts";

const leakedFlag = "--leaked";

/** `openseat rotate-keys`: creates a new key for admission tokens. Running nodes pick it up by themselves. */
export async function rotate(args: readonly string[], environment: Environment): Promise<void> {
  const config = loadConfig(
    args.filter((arg) => arg !== leakedFlag),
    environment,
  );
  const leaked = args.includes(leakedFlag);
  const kid = await withSecrets(config, (secrets) => rotateKeys(secrets, Date.now(), { leaked }));
  process.stdout.write(`Admission tokens are now signed with the new key ${kid}.\n`);
}
