export interface DatabaseServer {
  /** Host and port, without user and password. */
  readonly name: string;
  readonly url: string;
}

/** Values of `target_session_attrs` that lead to a server that accepts writes. */
const writable: readonly (string | null)[] = [null, "read-write", "primary", "any"];

/**
 * Parses a URL like libpq: postgres://user:password@one:5432,two:5433/name. Undefined if it is malformed: discovered only while
 * connecting, a typo would look like an outage.
 */
export function serversOf(text: string): readonly DatabaseServer[] | undefined {
  // Reject unescaped # and / in a password: the text after them would count as the rest of the address.
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
  // Without a host, the local socket is meant. With a user name before it, that is not a valid URL, so insert a host.
  const url = URL.parse(text.replace("@/", "@socket/"));
  if (url === null || url.pathname.includes("@")) return undefined;
  if (![url.username, url.password, url.hostname, url.pathname].every(isDecodable)) return undefined;
  // node-postgres treats several hosts in a parameter as a single name.
  if (["host", "port"].some((name) => url.searchParams.get(name)?.includes(","))) return undefined;
  return writable.includes(url.searchParams.get("target_session_attrs")) ? url : undefined;
}

function nameOf({ hostname, port, searchParams }: URL): string {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  return `${host}:${searchParams.get("port") ?? (port || 5432)}`;
}

/** A % in a password that is not written as %25 would be misread. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
