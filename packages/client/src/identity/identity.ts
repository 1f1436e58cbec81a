import type { Guest } from "@openseat/protocol";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { isBadToken, OpenseatError } from "../errors.ts";
import type { Http } from "../http/http.ts";
import type { Clock } from "../platform.ts";
import { OwnToken, type TokenSource } from "./own-token.ts";
import type { Storage } from "./storage.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
}

/** `replaced`: the old token was no longer good, and this is another guest. */
export type PersonChange = "new" | "renamed" | "replaced";

/** A token and its person, as stored. */
interface Known {
  readonly token: string;
  readonly person: Person;
}

export interface IdentityDeps {
  readonly http: Http;
  readonly storage: Storage;
  readonly storageKey: string;
  /** The application's own token, used instead of a guest's. */
  readonly token: TokenSource | undefined;
  readonly clock: Clock;
  readonly onChange: (person: Person, change: PersonChange) => void;
  /** The application has a new token for the same person. */
  readonly onRenewed: () => void;
}

/** Limits new guests, because a server that refuses the guests it creates would be asked for new ones forever. */
const replaceEveryMs = 60_000;

/** Who this client is: the person of its token, or a stored guest. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #own: OwnToken | undefined;
  #ownKnown: Known | undefined;
  /** The person at the last check, to notice changes by other tabs. */
  #known: Person | undefined;
  #becoming: Promise<Known> | undefined;
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.#own =
      deps.token === undefined ? undefined : new OwnToken(deps.token, deps.clock, () => this.#onOwnToken());
    this.#known = this.me;
  }

  get me(): Person | undefined {
    const person = this.#current()?.person;
    return person?.id === "" ? undefined : person;
  }

  /** Whether a refused token may be followed by another one. */
  get canRenew(): boolean {
    return this.#own?.canChange ?? false;
  }

  /** The token of this client; undefined if it has no person yet. */
  async token(): Promise<string | undefined> {
    return this.#own ? this.#own.get() : this.#current()?.token;
  }

  /** The server has accepted this token. */
  confirm(token: string | undefined): void {
    if (token !== undefined) this.#own?.confirm(token);
  }

  /** The person of this client. Creates a guest if there is none. */
  async guest(name?: string): Promise<Person> {
    const { person } = await this.#ensure(name);
    if (person.id !== "") return person;
    const message = "This key belongs to a service or an operator, not to a person.";
    throw new OpenseatError("auth.forbidden", message, { status: 403 });
  }

  async personToken(): Promise<string> {
    return (await this.#ensure()).token;
  }

  async rename(name: string): Promise<Person> {
    if (!this.#own && !this.#current()) return this.guest(name);
    const rename = (token: string | undefined) =>
      this.#deps.http.request<Guest>({ method: "PATCH", path: "/api/v1/guests/me", body: { name }, token });
    const token = await this.token();
    const guest = await rename(token).catch(async (error) => {
      if (!(await this.replaceAfter(error, token))) throw error;
      return rename(await this.token());
    });
    return this.#remember(guest, "renamed").person;
  }

  /**
   * After a refusal, returns whether there is another token to try. An expired guest token is replaced once, by a new
   * guest. An application's own token is replaced if it was given as a function.
   */
  async replaceAfter(error: unknown, token: string | undefined): Promise<boolean> {
    if (!isBadToken(error) || token === undefined) return false;
    if (this.#own) return this.#own.replace(token);
    const current = this.#current();
    // Another request or tab has replaced it in the meantime.
    if (current?.token !== token) return current !== undefined;
    const now = this.#deps.clock.now();
    if (!this.#becoming && now - this.#replacedAt < replaceEveryMs) return false;
    this.#replacedAt = now;
    const { id, name } = current.person;
    await this.#become(name === friendlyName(id) ? undefined : name, "replaced", token);
    return true;
  }

  /** Checks whether another tab has changed the person. */
  syncPerson(): void {
    const me = this.me;
    const known = this.#known;
    if (!me || (me.id === known?.id && me.name === known.name)) return;
    this.#known = me;
    this.#deps.onChange(me, known === undefined ? "new" : me.id === known.id ? "renamed" : "replaced");
  }

  #current(): Known | undefined {
    if (!this.#own) return guestIn(this.#deps.storage.get(this.#deps.storageKey));
    const token = this.#own.current;
    if (token !== undefined && this.#ownKnown?.token !== token)
      this.#ownKnown = { token, person: personIn(token) };
    return this.#ownKnown;
  }

  async #ensure(name?: string): Promise<Known> {
    await this.#own?.get();
    return this.#current() ?? this.#become(name, "new");
  }

  #onOwnToken(): void {
    const before = this.#known;
    this.syncPerson();
    if (this.#known === before) this.#deps.onRenewed();
  }

  /** Concurrent calls create one guest. */
  #become(name: string | undefined, change: PersonChange, instead?: string): Promise<Known> {
    this.#becoming ??= this.#makeGuest(name, change, instead).finally(() => {
      this.#becoming = undefined;
    });
    return this.#becoming;
  }

  async #makeGuest(
    name: string | undefined,
    change: PersonChange,
    instead: string | undefined,
  ): Promise<Known> {
    const body = name === undefined ? {} : { name };
    const made = await this.#deps.http.request<Guest>({ method: "POST", path: "/api/v1/guests", body });
    const current = this.#current();
    // Another tab was faster. Use its guest: with two guests in one browser, one would hold a place that nobody sees.
    if (current && current.token !== instead) {
      this.syncPerson();
      return current;
    }
    return this.#remember(made, change);
  }

  #remember({ token, person }: Guest, change: PersonChange): Known {
    const { storage, storageKey, onChange } = this.#deps;
    // Older servers send only `id`.
    const known = { token, person: { id: person.userId ?? person.id, name: person.name } };
    storage.set(storageKey, JSON.stringify(known));
    this.#known = known.person;
    onChange(known.person, change);
    return known;
  }
}

function guestIn(stored: string | null | undefined): Known | undefined {
  try {
    const { token, person } = JSON.parse(stored ?? "null") as Known;
    return typeof token === "string" && typeof person.id === "string" && typeof person.name === "string"
      ? { token, person }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The person that a token names, unverified: the server checks it. Role keys name nobody. */
function personIn(token: string): Person {
  try {
    const payload = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const { sub, name } = JSON.parse(new TextDecoder().decode(bytes));
    return { id: String(sub), name: typeof name === "string" ? name : friendlyName(String(sub)) };
  } catch {
    return { id: "", name: "" };
  }
}
