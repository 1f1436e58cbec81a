import assert from "node:assert/strict";
import { type FetchGate, fetchGateOf } from "../../src/fetch.ts";
import { Gate } from "../../src/gate.ts";
import type { GateOptions, GateRequest, Verdict } from "../../src/index.ts";
import { platform } from "../../src/openseat/runtime.ts";
import type { StandIn } from "./stand-in.ts";

export const shop = "https://shop.test";

export interface Seen {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly headers: Headers;
  readonly text: string;
  /** Why the request passed; undefined if it did not. */
  readonly passed: string | undefined;
}

interface Step {
  readonly method?: string;
  readonly cookie?: string;
  readonly headers?: Record<string, string>;
}

/** A gate before a stand-in for Openseat. */
export class Stage {
  readonly openseat: StandIn;
  readonly gate: FetchGate;
  /** What the gate reported. */
  readonly errors: Error[] = [];
  #ticket = 0;
  #advancedMs = 0;

  constructor(openseat: StandIn, options: Partial<GateOptions> = {}, { isPerRequest = false } = {}) {
    this.openseat = openseat;
    const given: GateOptions = {
      openseat: openseat.url,
      issuer: openseat.issuer,
      queue: openseat.queue,
      serviceKey: openseat.serviceKey,
      site: shop,
      timeoutSeconds: 0.5,
      onError: (error) => this.errors.push(error),
      ...options,
    };
    const now = () => performance.now() + this.#advancedMs;
    this.gate = fetchGateOf(new Gate(given, { ...platform, isPerRequest, now }));
  }

  /** Sets the clock of the gate forward. */
  advance(ms: number): void {
    this.#advancedMs += ms;
  }

  /** A request as it was sent: a `Request` would already have resolved its path. */
  async visit(url: string, { method = "GET", cookie, headers = {} }: Step = {}): Promise<Seen> {
    return seen(
      await this.gate.check(requestOf(url, { method, ...(cookie !== undefined && { cookie }), headers })),
    );
  }

  get ticket(): number {
    return this.#ticket;
  }

  admit(changes = {}): string {
    return this.openseat.admit(++this.#ticket, changes);
  }

  /** Arrives with an admission token; returns the cookie of the session. */
  async enter(): Promise<string> {
    const { status, cookies } = await this.visit(`/?openseat_token=${this.admit()}`);
    assert.equal(status, 303);
    assert.equal(cookies.length, 1);
    return cookies[0].split(";")[0];
  }

  waitingPage(back: string): string {
    return `${this.openseat.url}/wait/shop?return=${encodeURIComponent(back)}`;
  }
}

export function requestOf(url: string, { method = "GET", cookie, headers = {} }: Step = {}): GateRequest {
  return { method, url, headers: new Headers({ ...headers, ...(cookie !== undefined && { cookie }) }) };
}

async function seen(verdict: Verdict): Promise<Seen> {
  if ("visit" in verdict) {
    const { visit, cookies } = verdict;
    return { status: 200, location: null, cookies, headers: new Headers(), text: "", passed: visit.state };
  }
  const { response } = verdict;
  return {
    status: response.status,
    location: response.headers.get("location"),
    cookies: response.headers.getSetCookie(),
    headers: response.headers,
    text: await response.text(),
    passed: undefined,
  };
}

/** A token with other header fields or claims, and its old signature or none. */
export function forged(token: string, header: object, claims: object = {}, signature?: string): string {
  const [head, payload, signed] = token.split(".");
  const change = (part: string, more: object) =>
    Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(part, "base64url").toString()), ...more }),
    ).toString("base64url");
  return `${change(head, header)}.${change(payload, claims)}.${signature ?? signed}`;
}
