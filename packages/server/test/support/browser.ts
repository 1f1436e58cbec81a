import { type Answer, type Call, Client } from "./http.ts";

interface Kept {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Everything after the value, unparsed. */
  readonly terms: string;
}

interface Step {
  readonly headers?: Call["headers"];
  readonly form?: Readonly<Record<string, string>>;
}

/** Acts like a browser: it keeps cookies by path, sends forms, and follows redirects. */
export class Browser {
  readonly client: Client;
  readonly #headers: Readonly<Record<string, string>>;
  #kept: Kept[] = [];

  /** Uses a single connection. */
  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.client = new Client(url, 1);
    this.#headers = headers;
  }

  get(path: string, step: Step = {}): Promise<Answer> {
    return this.#ask(path, "GET", step);
  }

  post(path: string, step: Step = {}): Promise<Answer> {
    return this.#ask(path, "POST", step);
  }

  /** Follows redirects on this host until a page is shown; returns the addresses on the way. */
  async visit(path: string): Promise<Answer & { readonly way: readonly string[] }> {
    const way = [path];
    for (let answer = await this.get(path); ; answer = await this.get(way[way.length - 1])) {
      const { location } = answer.headers;
      if (location === undefined || !location.startsWith("/")) return { ...answer, way };
      if (way.length > 20) throw new Error(`round in circles: ${way.join(" ")}`);
      way.push(location);
    }
  }

  async #ask(path: string, method: string, { headers, form }: Step): Promise<Answer> {
    const cookies = this.cookiesFor(path);
    const answer = await this.client.call(path, {
      method,
      ...(form && { rawBody: new URLSearchParams(form).toString() }),
      headers: {
        ...this.#headers,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...(cookies !== "" && { cookie: cookies }),
        ...headers,
      },
    });
    for (const line of answer.headers["set-cookie"] ?? []) this.#keep(line);
    return answer;
  }

  /** The same browser at another address of the server, for example after a restart. */
  at(url: string): Browser {
    this.close();
    const moved = new Browser(url, this.#headers);
    moved.#kept = this.#kept;
    return moved;
  }

  cookiesFor(path: string): string {
    const [bare] = path.split("?");
    return this.#kept
      .filter((it) => it.path === "/" || bare === it.path || bare.startsWith(`${it.path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  #keep(line: string): void {
    const [, name, value, terms] = /^([^=]+)=([^;]*); (.*)$/.exec(line)!;
    const path = /Path=([^;]*)/.exec(terms)?.[1] ?? "/";
    this.#kept = this.#kept.filter((it) => it.name !== name || it.path !== path);
    if (!terms.includes("Max-Age=0")) this.#kept.push({ name, value, path, terms });
  }

  cookie(name: string): Kept | undefined {
    return this.#kept.find((it) => it.name === name);
  }

  /** Replaces the value of a cookie, or deletes it. */
  tamper(name: string, value: string | undefined): void {
    const old = this.cookie(name);
    this.#kept = this.#kept.filter((it) => it.name !== name);
    if (value !== undefined) this.#kept.push({ path: "/", terms: "", ...old, name, value });
  }

  close(): void {
    this.client.close();
  }
}

/** The state that a place's page passes to its script, from when the page was created. */
export function stateIn({ text }: Answer) {
  const json = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(text)?.[1];
  return json === undefined ? undefined : JSON.parse(json).state;
}
