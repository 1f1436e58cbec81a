import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { escapeHtml } from "../html.ts";
import { pagesFolder } from "./pages-folder.ts";

/** A file whose name contains its hash, so it can be cached forever. */
export interface PageAsset {
  readonly type: string;
  readonly body: Buffer;
  /** The body, compressed for `Content-Encoding: gzip`. */
  readonly gzip: Uint8Array;
}

export interface Pages {
  /** One document for every address; its script routes by the address. */
  readonly document: PageAsset & { readonly etag: string };
  /** The script that shows /docs. */
  readonly apiReference: PageAsset & { readonly name: string };
  /** Files served under `/assets/`, by name. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const compressed = ".gz";

interface ReadPages {
  readonly folder?: string | undefined;
  /** The base path of the server, such as `/openseat`; empty at the root of a host. */
  readonly base?: string;
}

/** The built pages; undefined if they have not been built. */
export function readPages({ folder = pagesFolder(), base = "" }: ReadPages = {}): Pages | undefined {
  if (folder === undefined) return undefined;
  const names = compressedIn(join(folder, "assets"));
  const [script] = compressedIn(folder);
  const document = documentAt(base, join(folder, "index.html"));
  const hash = createHash("sha256").update(document.body).digest("base64url").slice(0, 22);
  return {
    document: { ...document, etag: `W/"${hash}"` },
    apiReference: Object.assign(builtAsset(join(folder, script)), { name: script }),
    assets: new Map(names.map((name) => [name, builtAsset(join(folder, "assets", name))])),
  };
}

/** Pages have addresses of different depths, so relative references are rewritten to start at the root. */
function documentAt(base: string, path: string): PageAsset {
  const root = escapeHtml(base);
  const text = readFileSync(path, "utf8")
    .replaceAll('"./', `"${root}/`)
    .replace('data-base=""', `data-base="${root}"`);
  const body = Buffer.from(text);
  return { type: types[".html"], body, gzip: gzipSync(body, { level: 9 }) };
}

/** The names of a folder's assets without `.gz`. */
function compressedIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(compressed));
  return names.map((name) => name.slice(0, -compressed.length));
}

/** Assets are stored compressed only. They are decompressed for the first client that does not accept gzip. */
function builtAsset(path: string): PageAsset {
  const gzip = readFileSync(path + compressed);
  let body: Buffer | undefined;
  return {
    type: types[extname(path)],
    gzip,
    get body() {
      body ??= gunzipSync(gzip);
      return body;
    },
  };
}
