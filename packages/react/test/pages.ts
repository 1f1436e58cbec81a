import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A site with pages of one script each, on its own origin. */
export class Pages {
  readonly #pages = new Map<string, { readonly script: string; readonly html: string }>();
  readonly #server = createServer(({ url = "/" }, response) => {
    const [path, kind] = url.split(/[?.]/);
    const page = this.#pages.get(path);
    response.setHeader("content-type", kind === "js" ? "text/javascript" : "text/html; charset=utf-8");
    if (page && kind === "js") response.end(page.script);
    else if (page)
      response.end(`<!doctype html><div id="root">${page.html}</div><script src="${path}.js"></script>`);
    else response.writeHead(204).end();
  });

  static async open(): Promise<Pages> {
    const pages = new Pages();
    await new Promise<void>((resolve) => void pages.#server.listen(0, "127.0.0.1", resolve));
    return pages;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `html` is what the server has rendered. */
  add(path: string, script: string, html = ""): string {
    this.#pages.set(path, { script, html });
    return `${this.origin}${path}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
