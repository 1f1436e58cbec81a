import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { waitScript, waitStyle } from "./computed.ts";

/** A file whose name contains its hash, so it can be cached forever. */
export interface WaitAsset {
  readonly type: string;
  readonly body: string;
  /** The body, compressed for `Content-Encoding: gzip`. */
  readonly gzip: Uint8Array;
}

const folder = "/wait/assets/";

const assets = new Map<string, WaitAsset>();

function add(extension: string, type: string, body: string): string {
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 12);
  const name = `wait-${hash}.${extension}`;
  assets.set(name, { type: `${type}; charset=utf-8`, body, gzip: gzipSync(body, { level: 9 }) });
  return folder + name;
}

export const waitScriptPath: string = add("js", "text/javascript", waitScript);
export const waitStylePath: string = add("css", "text/css", waitStyle);

/** Files served under `/wait/assets/`, by name. */
export const waitAssets: ReadonlyMap<string, WaitAsset> = assets;

/** The `Content-Security-Policy` of these pages: no foreign resources and no inline scripts. */
export const waitSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
