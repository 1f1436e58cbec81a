export interface DatabaseServer {
  /** Host and port, without the user and the password. */
  readonly name: string;
  readonly url: string;
}

/** All of these lead to a server that accepts writes. */
const writable: readonly (string | null)[] = [null, "read-write", "primary", "any"];

/**
 * As libpq reads a URL: postgres://user:password@one:5432,two:5433/name. Undefined for a malformed one. Noticed only when connecting,
 * a typo would look like an outage.
 */
export function serversOf(text: string): readonly DatabaseServer[] | undefined {
  // What stands after a # or a / that belongs to the password would be taken for the rest of the address.
  const parts = /^(postgres(?:ql)?:\/\/(?:[^\s/?#]*@)?)([^\s/?#@]*)((?:[/?][^\s#]*)?)$/.exec(text);
  if (!parts || parts[2] + parts[3] === "") return undefined;
  const [, start, hosts, rest] = parts;
  const servers: DatabaseServer[] = [];
  for (const host of hosts.split(",")) {
    const url = `${start}${host}${rest}`;
    const read = readUrl(url);
    if (!read) return undefined;
    if (hosts !== host && (host === "" || read.searchParams.has("host") || read.searchParams.has("port")))
      return undefined;
    servers.push({ name: nameOf(read), url });
  }
  return servers;
}

export function isDatabaseUrl(text: string): boolean {
  return serversOf(text) !== undefined;
}

function readUrl(text: string): URL | undefined {
  // Without a host, the socket of this machine is meant; with a name before it, that is no URL in itself.
  const url = URL.parse(text.replace("@/", "@socket/"));
  if (url === null || url.pathname.includes("@")) return undefined;
  if (![url.username, url.password, url.hostname, url.pathname].every(isDecodable)) return undefined;
  // node-postgres reads several hosts in a parameter as the name of one.
  if (["host", "port"].some((name) => url.searchParams.get(name)?.includes(","))) return undefined;
  return writable.includes(url.searchParams.get("target_session_attrs")) ? url : undefined;
}

function nameOf({ hostname, port, searchParams }: URL): string {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  return `${host}:${searchParams.get("port") ?? (port || 5432)}`;
}

/** A % in a password that was not written as %25 would be read as something else. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
