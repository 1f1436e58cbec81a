import type { Settings } from "../options.ts";
import { idInCookies, tokensInCookies } from "../visit/cookies.ts";
import type { GateContext, GateRequest } from "../visit/request.ts";
import type { Availability } from "./availability.ts";
import type { Calls, SessionStatus } from "./calls.ts";
import { GateMisconfigured, OpenseatAway, type Reports } from "./failures.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { KeysCooling } from "./keys.ts";
import { Recent } from "./recent.ts";
import type { Background } from "./runtime.ts";
import type { Claims, Tokens } from "./tokens.ts";

const endedMax = 10_000;
/** Waits before the further tries to end a session. */
const retryMs = [1_000, 5_000];

/** Someone with an active session. */
export interface Visitor extends Claims {
  readonly session: string;
  /** Goes into the cookie, if the visitor has none yet. */
  readonly newToken?: string;
}

interface SessionDeps {
  readonly calls: Calls;
  readonly tokens: Tokens;
  readonly availability: Availability;
  readonly reports: Reports;
  readonly heartbeats: Heartbeats;
  readonly background: Background;
}

/** The sessions of visitors: which are active, which were ended, and what Openseat is told about them. */
export class Sessions {
  readonly #settings: Settings;
  readonly #deps: SessionDeps;
  /** Ended before their tokens expire. */
  readonly #ended = new Recent<true>(endedMax);
  /** Ids in Openseat's own cookie that are no active session. Made-up ones must not push out those that have ended. */
  readonly #refused = new Recent<true>(endedMax);

  constructor(settings: Settings, deps: SessionDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  async visitorOf(request: GateRequest, context: GateContext): Promise<Visitor | undefined> {
    const header = request.headers.get("cookie");
    for (const token of tokensInCookies(header, this.#settings.cookieName)) {
      const visitor = await this.#visitorWith(token, context);
      if (visitor && (await this.#isActive(visitor.session, context))) return visitor;
    }
    return this.#settings.sharesOrigin ? this.#visitorOfOpenseat(header, context) : undefined;
  }

  /** Whether Openseat has answered. If not, tries again in the background. */
  async end(session: string, context: GateContext): Promise<boolean> {
    this.#ended.set(session, true);
    if (await this.#complete(session)) return true;
    await this.#deps.background.run(context, this.#completeLater(session));
    return false;
  }

  async #visitorWith(token: string, context: GateContext): Promise<Visitor | undefined> {
    try {
      const claims = await this.#deps.tokens.check(token, "session", context);
      const session = claims?.session;
      return claims && session !== undefined && !this.#ended.get(session)
        ? { ...claims, session }
        : undefined;
    } catch (error) {
      this.#note(error);
      return undefined;
    }
  }

  /** While Openseat does not answer, visitors with a valid token stay in. */
  async #isActive(session: string, context: GateContext): Promise<boolean> {
    const { availability, calls, heartbeats, background } = this.#deps;
    if (this.#settings.check === "call") {
      if (await availability.isAway(context)) return true;
      return (await this.#noteStatus(session, calls.check(session))) === "active";
    }
    if (heartbeats.isDue(session)) {
      // Looks again from time to time: otherwise heartbeats would stop until the next new visitor.
      if (availability.seemsAway) await availability.isAway(context);
      else await background.run(context, this.#noteStatus(session, heartbeats.send(session)));
    }
    return true;
  }

  async #noteStatus(session: string, asking: Promise<SessionStatus>): Promise<SessionStatus> {
    try {
      const status = await asking;
      this.#deps.availability.confirm();
      if (status === "over") this.#ended.set(session, true);
      return status;
    } catch (error) {
      this.#note(error);
      return "active";
    }
  }

  async #visitorOfOpenseat(header: string | null, context: GateContext): Promise<Visitor | undefined> {
    const { availability, calls } = this.#deps;
    const id = idInCookies(header, `openseat_session_${this.#settings.queue}`);
    if (id === undefined || this.#ended.get(id) || this.#refused.get(id)) return undefined;
    if (await availability.isAway(context)) return undefined;
    try {
      const newToken = await calls.tokenOf(id);
      if (newToken === undefined) {
        this.#refused.set(id, true);
        return undefined;
      }
      const visitor = await this.#visitorWith(newToken, context);
      return visitor && { ...visitor, newToken };
    } catch (error) {
      this.#note(error);
      return undefined;
    }
  }

  async #complete(session: string): Promise<boolean> {
    try {
      await this.#deps.calls.complete(session);
      return true;
    } catch (error) {
      this.#note(error);
      return false;
    }
  }

  async #completeLater(session: string): Promise<void> {
    for (const ms of retryMs) {
      await this.#settings.runtime.pause(ms);
      if (await this.#complete(session)) return;
    }
  }

  #note(error: unknown): void {
    if (error instanceof OpenseatAway) this.#deps.availability.doubt(error);
    else if (error instanceof GateMisconfigured) this.#deps.reports.report(error);
    else if (!(error instanceof KeysCooling)) throw error;
  }
}
