import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { escapeHtml } from "../html.ts";
import { pagesFolder } from "./build-pages.ts";

/** A file that never changes under its name, so it may be cached for ever. */
export interface PageAsset {
  readonly type: string;
  readonly body: Buffer;
  /** The body, ready to be sent with `Content-Encoding: gzip`. */
  readonly gzip: Uint8Array;
}

export interface Pages {
  /** One document for all addresses: its script looks at the address. */
  readonly document: PageAsset & { readonly etag: string };
  /** The script that shows /docs. */
  readonly apiReference: PageAsset & { readonly name: string };
  /** By file name: what is served under `/assets/`. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

interface ReadPages {
  readonly folder?: string | undefined;
  /** The path that the server is at, such as `/openseat`; empty at the root of a host. */
  readonly base?: string;
}

/** The built pages, ready to be sent; undefined when they have not been built. */
export function readPages({ folder = pagesFolder(), base = "" }: ReadPages = {}): Pages | undefined {
  if (folder === undefined) return undefined;
  const names = readdirSync(join(folder, "assets")).filter((name) => extname(name) in types);
  const script = readdirSync(folder).find((name) => extname(name) === ".js")!;
  const document = documentAt(base, join(folder, "index.html"));
  const hash = createHash("sha256").update(document.body).digest("base64url").slice(0, 22);
  return {
    document: { ...document, etag: `W/"${hash}"` },
    apiReference: { name: script, ...builtAsset(join(folder, script)) },
    assets: new Map(names.map((name) => [name, builtAsset(join(folder, "assets", name))])),
  };
}

/** Each page has addresses of another depth, so what the document refers to is written out from the root. */
function documentAt(base: string, path: string): PageAsset {
  const root = escapeHtml(base);
  const text = readFileSync(path, "utf8")
    .replaceAll('"./', `"${root}/`)
    .replace('data-base=""', `data-base="${root}"`);
  const body = Buffer.from(text);
  return { type: types[".html"], body, gzip: gzipSync(body, { level: 9 }) };
}

function builtAsset(path: string): PageAsset {
  return { type: types[extname(path)], body: readFileSync(path), gzip: readFileSync(`${path}.gz`) };
}
