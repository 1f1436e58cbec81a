import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { waitScript, waitStyle } from "./computed.ts";

/** A file whose name contains its hash, so it can be cached forever. */
export interface WaitAsset {
  readonly type: string;
  readonly body: Buffer;
  /** The body, compressed for `Content-Encoding: gzip`. */
  readonly gzip: Uint8Array;
}

interface WaitAssets {
  readonly scriptPath: string;
  readonly stylePath: string;
  /** Files served under `/wait/assets/`, by name. */
  readonly files: ReadonlyMap<string, WaitAsset>;
}

const folder = "/wait/assets/";
let made: WaitAssets | undefined;

/** Made on first use, because removing the types of the script takes a sixth of the server's start. */
export function waitAssets(): WaitAssets {
  made ??= makeAssets();
  return made;
}

function makeAssets(): WaitAssets {
  const files = new Map<string, WaitAsset>();
  const add = (extension: string, type: string, text: string) => {
    const body = Buffer.from(text);
    const hash = createHash("sha256").update(body).digest("base64url").slice(0, 12);
    const name = `wait-${hash}.${extension}`;
    files.set(name, { type: `${type}; charset=utf-8`, body, gzip: gzipSync(body, { level: 9 }) });
    return folder + name;
  };
  const scriptPath = add("js", "text/javascript", waitScript());
  return { scriptPath, stylePath: add("css", "text/css", waitStyle()), files };
}

/** The `Content-Security-Policy` of these pages: no foreign resources and no inline scripts. */
export const waitSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
