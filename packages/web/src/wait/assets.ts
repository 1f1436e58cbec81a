import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { browserScript } from "./browser-script.ts";

/** A file that never changes under its name, so it may be cached for ever. */
export interface WaitAsset {
  readonly type: string;
  readonly body: string;
  /** The body, ready to be sent with `Content-Encoding: gzip`. */
  readonly gzip: Uint8Array;
}

const folder = "/wait/assets/";

const style = [
  "../ui/style/colours",
  "./style/layout",
  "./style/waiting",
  "./style/outcome",
  "./style/move",
  "./style/motion",
]
  .map((path) => readFileSync(new URL(`${path}.css`, import.meta.url), "utf8"))
  .join("")
  .replace(/\/\*.*?\*\/|^\s+/gms, "");

const assets = new Map<string, WaitAsset>();

function add(extension: string, type: string, body: string): string {
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 12);
  const name = `wait-${hash}.${extension}`;
  assets.set(name, { type: `${type}; charset=utf-8`, body, gzip: gzipSync(body, { level: 9 }) });
  return folder + name;
}

export const waitScriptPath: string = add("js", "text/javascript", browserScript());
export const waitStylePath: string = add("css", "text/css", style);

/** By file name: what is served under `/wait/assets/`. */
export const waitAssets: ReadonlyMap<string, WaitAsset> = assets;

/** `Content-Security-Policy` of every page here: nothing from elsewhere, nothing inline that runs. */
export const waitSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
