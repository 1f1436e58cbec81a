import { nearestOf } from "./nearest.ts";
import { settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const prefix = "OPENSEAT_";

const known: readonly string[] = Object.values(settings).map(({ variable }) => variable);

/**
 * Variables that Kubernetes sets in every pod for a service whose name begins with `openseat`: `OPENSEAT_SERVICE_HOST`,
 * `OPENSEAT_SERVICE_PORT_HTTP`, `OPENSEAT_PORT_8080_TCP_ADDR` and so on.
 */
const serviceLink =
  /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;

/** Whether Kubernetes set this variable for a service, so it is not a misspelt setting. */
export function isServiceLink(name: string, value: string): boolean {
  if (!name.startsWith(prefix)) return false;
  return serviceLink.test(name) || (name.endsWith("_PORT") && serviceAddress.test(value));
}

/** One sentence for each variable that looks like a setting but is not one. */
export function unknownVariables(environment: Environment): string[] {
  return Object.entries(environment)
    .filter(
      ([name, value]) =>
        name.startsWith(prefix) && !known.includes(name) && !isServiceLink(name, value ?? ""),
    )
    .map(([name]) => {
      const near = nearest(name);
      return `${name} is not a setting. ${near === undefined ? "--help shows all settings." : `Did you mean ${near}?`}`;
    });
}

function nearest(name: string): string | undefined {
  const bare = name.slice(prefix.length);
  return known.includes(bare) ? bare : nearestOf(known, name, bare.length);
}
