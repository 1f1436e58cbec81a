import { platform, type Runtime } from "./openseat/runtime.ts";
import { type Bypass, type BypassRule, bypassOf } from "./visit/bypass.ts";
import type { GateRequest } from "./visit/request.ts";

export interface GateOptions {
  /** The public address of Openseat, such as `https://wait.example`. Visitors are sent there. */
  readonly openseat: string;
  /** The id of the queue in front of this site. */
  readonly queue: string;
  /** Openseat's service key. It stays on this server. */
  readonly serviceKey: string | undefined;
  /**
   * The public address of the root of this site, such as `https://shop.example`. It is not taken from the Host header, which
   * clients can forge.
   */
  readonly site: string;
  /** The address at which this server reaches Openseat, if it differs from the public one. */
  readonly openseatInternal?: string | undefined;
  /** The `iss` of Openseat's tokens. By default its public address or `openseat`. */
  readonly issuer?: string | undefined;
  /** `local` checks signatures without a call; `call` asks Openseat about each request. Default: `local`. */
  readonly check?: "local" | "call" | undefined;
  /** What new visitors get while Openseat does not answer: a page that reloads, or the site. Default: `closed`. */
  readonly whenAway?: "closed" | "open" | undefined;
  /** Requests that need no session, such as health checks, assets and webhooks. */
  readonly bypass?: Bypass | undefined;
  /** Requests that get 401 as JSON instead of a redirect. Default: those of scripts and webhooks, by their method and headers. */
  readonly isApiCall?: ((request: GateRequest) => boolean) | undefined;
  /** Default: `openseat_admission_` and the queue. */
  readonly cookieName?: string | undefined;
  /** The path that the cookie is limited to. Default: the path below which the gate is mounted. */
  readonly cookiePath?: string | undefined;
  /** How long a call to Openseat may take. Default: 3. */
  readonly timeoutSeconds?: number | undefined;
  /** The shortest time between two heartbeats of a visitor; 0 sends none. Default: 10. */
  readonly heartbeatSeconds?: number | undefined;
  /** Default: `console.error`. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Settings {
  readonly openseat: string;
  readonly openseatInternal: string;
  readonly queue: string;
  readonly serviceKey: string;
  readonly site: URL;
  /** On its own origin, the waiting page adds no token to the address: its cookie reaches the site. */
  readonly sharesOrigin: boolean;
  readonly issuers: string[];
  readonly check: "local" | "call";
  readonly whenAway: "closed" | "open";
  readonly bypass: BypassRule;
  readonly isApiCall: ((request: GateRequest) => boolean) | undefined;
  readonly cookieName: string;
  readonly cookiePath: string | undefined;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly onError: (error: Error) => void;
  readonly fetch: typeof globalThis.fetch;
  readonly runtime: Runtime;
}

const known: Record<keyof GateOptions, true> = {
  openseat: true,
  queue: true,
  serviceKey: true,
  site: true,
  openseatInternal: true,
  issuer: true,
  check: true,
  whenAway: true,
  bypass: true,
  isApiCall: true,
  cookieName: true,
  cookiePath: true,
  timeoutSeconds: true,
  heartbeatSeconds: true,
  onError: true,
  fetch: true,
};

/** Throws one error that names everything that is wrong, so that a deployment fails at its start and not at its first visitor. */
export function settingsOf(options: GateOptions, runtime: Runtime = platform): Settings {
  const problems: string[] = [];
  const given: GateOptions = options ?? {};
  for (const name of Object.keys(given)) if (!(name in known)) problems.push(`There is no option ${name}.`);
  const must = <T>(name: keyof GateOptions, value: T | undefined, isGood: boolean, rule: string) => {
    if (value === undefined) problems.push(`${name} is missing: ${rule}.`);
    else if (!isGood) problems.push(`${name} is invalid: ${rule}.`);
  };
  const can = (name: keyof GateOptions, isGood: boolean, rule: string) => {
    if (given[name] !== undefined && !isGood) problems.push(`${name} is invalid: ${rule}.`);
  };
  const { openseat, queue, serviceKey, site, openseatInternal, issuer } = given;
  const { cookieName, cookiePath, timeoutSeconds = 3, heartbeatSeconds = 10 } = given;
  const address = "an http or https address without a query, such as https://wait.example";
  must("openseat", openseat, isAddress(openseat), `it is the public address of Openseat, ${address}`);
  must("site", site, isAddress(site), `it is the public address of your site, ${address}`);
  must("queue", queue, isText(queue, /^[\w-]{1,64}$/), "it is the id of a queue, such as shop");
  const keyRule = "it is Openseat's service key, serviceKey in secrets.json in its data folder";
  must("serviceKey", serviceKey || undefined, isText(serviceKey, /^[\x21-\x7e]+$/), keyRule);
  can("openseatInternal", isAddress(openseatInternal), `it is ${address}`);
  can("issuer", isText(issuer, /./), "it is Openseat's publicUrl, or openseat");
  can("check", given.check === "local" || given.check === "call", 'it is "local" or "call"');
  can("whenAway", given.whenAway === "closed" || given.whenAway === "open", 'it is "closed" or "open"');
  can("cookieName", isText(cookieName, /^[\w-]{1,100}$/), "it has letters, digits, _ and -");
  can("cookiePath", isText(cookiePath, /^\/[\w.~!$&'()*+:@%/-]*$/), "it is a path, such as /shop");
  can("timeoutSeconds", isNumber(timeoutSeconds, 0.1, 60), "it is a number from 0.1 to 60");
  can("heartbeatSeconds", isNumber(heartbeatSeconds, 0, 3_600), "it is a number from 0 to 3600");
  for (const name of ["isApiCall", "onError", "fetch"] as const)
    can(name, typeof given[name] === "function", "it is a function");
  const bypass = bypassOf(given.bypass, (problem) => problems.push(problem));
  if (problems.length > 0) throw new TypeError(`The gate cannot start. ${problems.join(" ")}`);
  return {
    openseat: withoutSlash(openseat),
    openseatInternal: withoutSlash(openseatInternal ?? openseat),
    queue,
    serviceKey: serviceKey!,
    site: new URL(withoutSlash(site)),
    sharesOrigin: new URL(openseat).origin === new URL(site).origin,
    issuers: issuer === undefined ? [openseat, withoutSlash(openseat), "openseat"] : [issuer],
    check: given.check ?? "local",
    whenAway: given.whenAway ?? "closed",
    bypass,
    isApiCall: given.isApiCall,
    cookieName: cookieName ?? `openseat_admission_${queue}`,
    cookiePath,
    timeoutMs: timeoutSeconds * 1_000,
    heartbeatMs: heartbeatSeconds * 1_000,
    onError: given.onError ?? ((error) => console.error(error)),
    // Called without a receiver, because browsers and Workers refuse another one.
    fetch: given.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    runtime,
  };
}

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

function isNumber(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function isAddress(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash } = new URL(value);
  return username === "" && password === "" && search === "" && hash === "" && !/[?#\s]/.test(value);
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
