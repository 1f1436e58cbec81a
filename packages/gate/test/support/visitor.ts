/** A browser that follows redirects among several hosts, and keeps their cookies. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Addresses that lead to another one, such as the public address of a site to the port it listens on. */
  readonly #hosts: Readonly<Record<string, string>>;
  /** The addresses of the last visit. */
  way: string[] = [];

  constructor(hosts: Readonly<Record<string, string>> = {}) {
    this.#hosts = hosts;
  }

  async visit(address: string, init: RequestInit = {}): Promise<Response> {
    this.way = [];
    for (let at = address; ; ) {
      this.way.push(at);
      if (this.way.length > 20) throw new Error(`went in circles: ${this.way.slice(0, 8).join(" ")}`);
      const response = await this.step(at, init);
      const location = response.headers.get("location");
      if (location === null) return response;
      await response.body?.cancel();
      at = new URL(location, at).href;
    }
  }

  async step(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    const jar = this.#jarOf(url.origin);
    const headers = new Headers(init.headers);
    if (!headers.has("accept")) headers.set("accept", "text/html");
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const there = (this.#hosts[url.origin] ?? url.origin) + url.pathname + url.search;
    const response = await fetch(there, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/; Max-Age=0\b/.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#jarOf(origin).get(name);
  }

  #jarOf(origin: string): Map<string, string> {
    let jar = this.#cookies.get(origin);
    if (!jar) {
      jar = new Map();
      this.#cookies.set(origin, jar);
    }
    return jar;
  }
}
