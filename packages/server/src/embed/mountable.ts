import { ConfigError, type Settings } from "../config/load-config.ts";

const prefixShape = /^(\/[^\s/?#;]+)+$/;

/** Throws if a server with these settings cannot answer below a path of another server. */
export function checkMountable(prefix: string, { publicUrl, port, host, demo }: Settings): void {
  const problems: string[] = [];
  if (!prefixShape.test(prefix))
    problems.push(
      `prefix must be a path such as /seats, without a slash at its end, not ${JSON.stringify(prefix)}.`,
    );
  else if (publicUrl !== undefined && !new URL(publicUrl).pathname.endsWith(prefix))
    problems.push(
      `publicUrl must end with the prefix ${prefix}, because people reach Openseat below it, not be ${publicUrl}.`,
    );
  if (port !== undefined || host !== undefined)
    problems.push("An attached Openseat does not listen. Leave out port and host.");
  if (demo === true)
    problems.push("The bots of the demo need a port: do not attach Openseat, or leave out demo.");
  if (problems.length > 0) throw new ConfigError(problems);
}
