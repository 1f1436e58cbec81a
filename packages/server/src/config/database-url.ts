/** Whether it is an address of a PostgreSQL that can be taken apart: found out only when connecting, a slip would look like an outage. */
export function isDatabaseUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) return false;
  // Without a host, the socket of this machine is meant; with a name before it, that is no URL in itself.
  const url = URL.parse(text.replace("@/", "@socket/"));
  // What stands after a # or a / that belongs to the password would be taken for the rest of the address.
  if (url === null || url.hash !== "" || url.pathname.includes("@")) return false;
  return [url.username, url.password, url.hostname, url.pathname].every(isDecodable);
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
