import type { Settings } from "../options.ts";
import { isTokenShaped } from "../visit/cookies.ts";
import { GateMisconfigured, OpenseatAway, OpenseatBusy } from "./failures.ts";
import { Slots } from "./slots.ts";

const answerBytesMax = 256 * 1024;

interface Asked {
  readonly method?: "GET" | "POST";
  /** Replaces `:session` in the route. */
  readonly session?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

export type SessionStatus = "active" | "over";

/** The calls of a gate to Openseat. Each takes at most the timeout, and the number of concurrent ones is bounded. */
export class Calls {
  readonly #settings: Settings;
  readonly #claims: Slots;
  readonly #checks: Slots;
  /** Apart from the claims, because anyone can make up the ids. */
  readonly #lookups: Slots;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#claims = new Slots(64, 512, settings.runtime);
    this.#lookups = new Slots(16, 64, settings.runtime);
    this.#checks = new Slots(256, 1_024, settings.runtime);
  }

  /** The session's token; undefined if the place is over. Repeating the call returns the same session. */
  claim(token: string): Promise<string | undefined> {
    const { queue } = this.#settings;
    return this.#claims.run(async () => {
      const answer = await this.#ask("/api/v1/sessions", { method: "POST", body: { token, queue } });
      return answer.status < 400 ? sessionTokenIn(answer) : undefined;
    });
  }

  /** The token of an active session, of which only the id is known. */
  tokenOf(session: string): Promise<string | undefined> {
    return this.#lookups.run(async () => {
      const answer = await this.#ask("/api/v1/sessions/:session/heartbeat", { method: "POST", session });
      return answer.status < 400 ? sessionTokenIn(answer) : undefined;
    });
  }

  async heartbeat(session: string): Promise<SessionStatus> {
    const { status } = await this.#ask("/api/v1/sessions/:session/heartbeat", { method: "POST", session });
    return status < 400 ? "active" : "over";
  }

  /** Whether Openseat regards the session as active now. Asking is a heartbeat. */
  check(session: string): Promise<SessionStatus> {
    return this.#checks.run(async () => {
      const headers = { "X-Openseat-Session": session };
      const { status } = await this.#ask(`/gate/${this.#settings.queue}`, { headers });
      if (status === 200) throw notOpenseat(`${this.#settings.openseatInternal}/gate/`, status);
      return status < 400 ? "active" : "over";
    });
  }

  /** Also succeeds if the session is already over. */
  complete(session: string): Promise<void> {
    return this.#claims.run(async () => {
      await this.#ask("/api/v1/sessions/:session/complete", { method: "POST", session });
    });
  }

  /** Whether the queue can be reached. */
  async probe(): Promise<void> {
    const { openseat, queue } = this.#settings;
    const { status } = await this.#ask(`/api/v1/queues/${queue}`);
    if (status === 404) throw new GateMisconfigured(`Openseat at ${openseat} has no queue ${queue}.`);
  }

  async keys(): Promise<unknown> {
    // A cache in between would delay a rotation.
    const answer = await this.#ask("/.well-known/jwks.json", { headers: { "Cache-Control": "no-cache" } });
    if (answer.status !== 200)
      throw new OpenseatAway(`Openseat answered ${answer.status} instead of its keys.`);
    return parsed(answer);
  }

  async #ask(
    route: string,
    { method = "GET", session = "", body, headers = {} }: Asked = {},
  ): Promise<Answered> {
    const { openseatInternal, serviceKey, timeoutMs, fetch } = this.#settings;
    const isGate = route.startsWith("/gate/");
    let answer: Answered;
    try {
      const response = await fetch(openseatInternal + route.replace(":session", session), {
        method,
        headers: {
          Accept: "application/json",
          // The gate of a site takes no key: it asks on behalf of the visitor.
          ...(!isGate && { Authorization: `Bearer ${serviceKey}` }),
          ...(body && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      answer = { status: response.status, text: await textOf(response) };
    } catch (error) {
      throw new OpenseatAway(`Openseat does not answer at ${openseatInternal}.`, { cause: error });
    }
    // An id in the message would make each report a new one, and is a credential on the origin of Openseat.
    return usable(answer, method, openseatInternal + route, isGate);
  }
}

function usable(answer: Answered, method: string, at: string, isGate: boolean): Answered {
  const { status } = answer;
  if (status >= 500 || status === 429) {
    const isBusy = status === 429 || (status === 503 && isRefusal(answer));
    const Failure = isBusy ? OpenseatBusy : OpenseatAway;
    throw new Failure(`Openseat answered ${method} ${at} with ${status}.`);
  }
  if (status < 200 || (status >= 300 && status < 400))
    throw new GateMisconfigured(`${at} redirects. Give the gate the final address of Openseat.`);
  if ((status === 401 || status === 403) && !isGate)
    throw new GateMisconfigured(
      `Openseat refused the service key of the gate with ${status}. Set serviceKey.`,
    );
  if (status >= 400 && !isRefusal(answer)) throw notOpenseat(at, status);
  return answer;
}

/** Openseat names the reason. Another server, such as a proxy with a wrong route, does not, and must not end sessions. */
function isRefusal({ text }: Answered): boolean {
  try {
    return typeof JSON.parse(text).code === "string";
  } catch {
    return false;
  }
}

function notOpenseat(address: string, status: number): GateMisconfigured {
  return new GateMisconfigured(
    `Openseat is not at ${address}, which answers ${status}. Set openseatInternal.`,
  );
}

function sessionTokenIn(answer: Answered): string {
  const { data } = (parsed(answer) ?? {}) as { data?: { session?: { token?: unknown } } };
  const token = data?.session?.token;
  if (typeof token === "string" && isTokenShaped(token)) return token;
  throw new OpenseatAway("Openseat answered a claim without a session.");
}

function parsed({ text }: Answered): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OpenseatAway("Openseat answered something that is not JSON.", { cause: error });
  }
}

/** Whatever answers at the address, this does not read it without end. */
async function textOf(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > answerBytesMax) {
      await reader.cancel();
      throw new Error(`The answer is longer than ${answerBytesMax} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
