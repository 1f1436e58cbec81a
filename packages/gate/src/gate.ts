import { Availability } from "./openseat/availability.ts";
import { Calls } from "./openseat/calls.ts";
import { GateMisconfigured, OpenseatAway, Reports } from "./openseat/failures.ts";
import { Heartbeats } from "./openseat/heartbeats.ts";
import { KeysCooling } from "./openseat/keys.ts";
import { Background, type Runtime } from "./openseat/runtime.ts";
import { Sessions, type Visitor } from "./openseat/sessions.ts";
import { Tokens } from "./openseat/tokens.ts";
import { type GateOptions, type Settings, settingsOf } from "./options.ts";
import { homeOf, returnAddressOf, type Target, targetOf } from "./visit/address.ts";
import { type Answer, comeAgain, goTo, notHere, wait, waitJson } from "./visit/answers.ts";
import { cookie } from "./visit/cookies.ts";
import { type GateContext, type GateRequest, looksLikeApiCall } from "./visit/request.ts";

/** Why a request reaches the site. */
export interface Visit {
  /** `open`: Openseat does not answer, and the gate is set to let new visitors pass. */
  readonly state: "admitted" | "bypassed" | "open";
  /** Who was admitted. */
  readonly person: string | undefined;
  /** The id of their session. */
  readonly session: string | undefined;
  /** When it ends at the latest, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

export interface Completion {
  /**
   * True if Openseat says that the session is over, also if it had expired before. False if the request has no session that this
   * gate takes for active, or if Openseat does not answer: then the gate tries again in the background.
   */
  readonly ended: boolean;
  /** The value of `Set-Cookie` that deletes the session's cookie. */
  readonly cookie: string;
}

/** Either the gate's own answer, or the request may pass, and `cookies` go into the site's answer. */
export type Decision =
  | { readonly answer: Answer }
  | { readonly visit: Visit; readonly cookies: readonly string[] };

interface Asking {
  readonly request: GateRequest;
  readonly context: GateContext;
  readonly target: Target;
  readonly isApiCall: boolean;
  readonly isBypassed: boolean;
}

/** Decides about requests. Knows no framework. */
export class Gate {
  readonly #settings: Settings;
  readonly #reports: Reports;
  readonly #calls: Calls;
  readonly #tokens: Tokens;
  readonly #availability: Availability;
  readonly #sessions: Sessions;

  constructor(options: GateOptions, runtime?: Runtime) {
    this.#settings = settingsOf(options, runtime);
    const settings = this.#settings;
    this.#reports = new Reports(this.#settings.onError);
    this.#calls = new Calls(this.#settings);
    const background = new Background(settings.runtime, this.#reports);
    const shared = { runtime: settings.runtime, background, reports: this.#reports };
    this.#tokens = new Tokens(settings, { ...shared, calls: this.#calls });
    this.#availability = new Availability(() => this.#calls.probe(), shared);
    this.#sessions = new Sessions(this.#settings, {
      calls: this.#calls,
      tokens: this.#tokens,
      availability: this.#availability,
      reports: this.#reports,
      heartbeats: new Heartbeats(
        (session) => this.#calls.heartbeat(session),
        settings.heartbeatMs,
        settings.runtime,
      ),
      background,
    });
  }

  async decide(request: GateRequest, context: GateContext = {}): Promise<Decision> {
    const { site, bypass, isApiCall = looksLikeApiCall } = this.#settings;
    const target = targetOf(request, site);
    if (!target) return { answer: notHere };
    const isBypassed = bypass(request, target.path);
    if (isBypassed && target.token === undefined) return passed("bypassed");
    const visitor = await this.#sessions.visitorOf(request, context);
    if (visitor && target.token === undefined) return this.#admit(visitor, context);
    if (visitor) return { answer: goTo(target.address, request.method) };
    const asking = { request, context, target, isApiCall: isApiCall(request) === true, isBypassed };
    return target.token === undefined ? this.#turnAway(asking) : this.#claim(asking, target.token);
  }

  /** Ends the session of a request, so that the next in line does not have to wait until it expires. */
  async complete(request: GateRequest, context: GateContext = {}): Promise<Completion> {
    const deletion = cookie(this.#cookieTerms(context), "", 0);
    const visitor = await this.#sessions.visitorOf(request, context);
    if (!visitor) return { ended: false, cookie: deletion };
    return { ended: await this.#sessions.end(visitor.session, context), cookie: deletion };
  }

  #admit(visitor: Visitor, context: GateContext): Decision {
    const { person, session, expiresAt, newToken } = visitor;
    const visit = { state: "admitted", person, session, expiresAt: expiresAt * 1_000 } as const;
    return {
      visit,
      cookies: newToken === undefined ? [] : [this.#sessionCookie(visitor, newToken, context)],
    };
  }

  /** Starts the session of a person who returns from the waiting page. */
  async #claim(asking: Asking, token: string): Promise<Decision> {
    const { request, context, target, isApiCall } = asking;
    try {
      const admission = await this.#tokens.check(token, "admission", context);
      const session = admission && (await this.#calls.claim(token));
      if (session === undefined) return await this.#turnAway(asking);
      const claims = await this.#tokens.check(session, "session", context);
      if (!claims) throw new OpenseatAway("Openseat answered a claim with a session that is not valid.");
      this.#availability.confirm();
      const cookies = [this.#sessionCookie(claims, session, context)];
      return { answer: goTo(target.address, request.method, cookies) };
    } catch (error) {
      if (error instanceof OpenseatAway) {
        this.#availability.doubt(error);
        if (await this.#availability.isAway(context)) return { answer: goTo(target.address, request.method) };
      } else if (error instanceof GateMisconfigured) this.#reports.report(error);
      else if (!(error instanceof KeysCooling)) throw error;
      return { answer: comeAgain(isApiCall, target.address) };
    }
  }

  async #turnAway({ request, context, target, isApiCall, isBypassed }: Asking): Promise<Decision> {
    const { openseat, queue, site, whenAway } = this.#settings;
    // Also with a token that counts for nothing: it must not stay in the address.
    if (isBypassed) return { answer: goTo(target.address, request.method) };
    if (await this.#availability.isAway(context)) {
      if (whenAway === "closed") return { answer: comeAgain(isApiCall) };
      return target.token === undefined ? passed("open") : { answer: goTo(target.address, request.method) };
    }
    const home = homeOf(site, mountOf(context));
    const back = returnAddressOf(request, target, { site, home, isApiCall });
    const address = `${openseat}/wait/${queue}?return=${encodeURIComponent(back)}`;
    return { answer: isApiCall ? waitJson(address) : wait(address) };
  }

  #sessionCookie(
    { issuedAt, expiresAt }: Pick<Visitor, "issuedAt" | "expiresAt">,
    token: string,
    context: GateContext,
  ): string {
    // The length of the session, because this server's clock may differ. The token has its own expiry.
    return cookie(this.#cookieTerms(context), token, expiresAt - issuedAt);
  }

  #cookieTerms(context: GateContext) {
    const { cookieName: name, cookiePath, site } = this.#settings;
    const path = cookiePath ?? new URL(homeOf(site, mountOf(context))).pathname;
    return { name, path: path.replace(/(?<=.)\/$/, ""), isSecure: site.protocol === "https:" };
  }
}

/** Frameworks take it from the address, so it may hold what would end the path in a cookie. */
function mountOf({ mount = "" }: GateContext): string {
  return /^(?:\/[\w.~!$&'()*+:@%-]+)+$/.test(mount) ? mount : "";
}

function passed(state: "bypassed" | "open"): Decision {
  return { visit: { state, person: undefined, session: undefined, expiresAt: undefined }, cookies: [] };
}
