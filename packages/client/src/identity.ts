import type { Guest } from "@openseat/protocol";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { isBadToken, OpenseatError } from "./errors.ts";
import type { Http } from "./http/http.ts";
import type { Clock } from "./platform.ts";
import type { Storage } from "./storage.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
}

/** `replaced`: the old token was no longer good, and this is another guest. */
export type PersonChange = "new" | "renamed" | "replaced";

/** A token, and who it is for; as it is stored. */
interface Known {
  readonly token: string;
  readonly person: Person;
}

export interface IdentityDeps {
  readonly http: Http;
  readonly storage: Storage;
  readonly storageKey: string;
  /** A token of one's own instead of a guest's. */
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly onChange: (person: Person, change: PersonChange) => void;
}

/** A server that refuses the guests it has just made would be asked for new ones for ever. */
const replaceEveryMs = 60_000;

/** Who this client is: whoever its token names, or a guest that is remembered. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #given: Known | undefined;
  /** Who it was when last looked at, to notice what other tabs do. */
  #known: Person | undefined;
  #becoming: Promise<Known> | undefined;
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: IdentityDeps) {
    this.#deps = parts;
    this.#given =
      parts.token === undefined ? undefined : { token: parts.token, person: personIn(parts.token) };
    this.#known = this.me;
  }

  get me(): Person | undefined {
    const person = this.#current()?.person;
    return person?.id === "" ? undefined : person;
  }

  get token(): string | undefined {
    return this.#current()?.token;
  }

  /** Who this is; a new guest when it is nobody yet. */
  async guest(name?: string): Promise<Person> {
    const { person } = this.#current() ?? (await this.#become(name, "new"));
    if (person.id !== "") return person;
    const message = "The token is that of a service or an operator, who is nobody in particular.";
    throw new OpenseatError("auth.forbidden", message, { status: 403 });
  }

  async tokenOfSomebody(): Promise<string> {
    return (this.#current() ?? (await this.#become(undefined, "new"))).token;
  }

  async rename(name: string): Promise<Person> {
    if (!this.#current()) return this.guest(name);
    const rename = (token: string | undefined) =>
      this.#deps.http.request<Guest>({ method: "PATCH", path: "/api/v1/guests/me", body: { name }, token });
    const { token } = this;
    const guest = await rename(token).catch(async (error) => {
      if (!(await this.replaceAfter(error, token))) throw error;
      return rename(this.token);
    });
    return this.#remember(guest, "renamed").person;
  }

  /**
   * After a refusal: whether there is another token to try with. A guest's that was no longer good is replaced by a
   * new guest's, once; anybody else has to bring a new token themselves.
   */
  async replaceAfter(error: unknown, token: string | undefined): Promise<boolean> {
    if (!isBadToken(error) || this.#given || token === undefined) return false;
    const current = this.#current();
    // Somebody else here has replaced it meanwhile.
    if (current?.token !== token) return current !== undefined;
    const now = this.#deps.clock.now();
    if (!this.#becoming && now - this.#replacedAt < replaceEveryMs) return false;
    this.#replacedAt = now;
    const { id, name } = current.person;
    await this.#become(name === friendlyName(id) ? undefined : name, "replaced", token);
    return true;
  }

  /** Another tab may have taken a name, or become somebody. */
  lookAgain(): void {
    const me = this.me;
    const known = this.#known;
    if (!me || (me.id === known?.id && me.name === known.name)) return;
    this.#known = me;
    this.#deps.onChange(me, known === undefined ? "new" : me.id === known.id ? "renamed" : "replaced");
  }

  #current(): Known | undefined {
    return this.#given ?? guestIn(this.#deps.storage.get(this.#deps.storageKey));
  }

  /** All who ask at the same time become the same guest. */
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
    // Another tab was faster: of two guests in one browser, one would hold a place that nobody sees.
    if (current && current.token !== instead) {
      this.lookAgain();
      return current;
    }
    return this.#remember(made, change);
  }

  #remember({ token, person }: Guest, change: PersonChange): Known {
    const { storage, storageKey, onChange } = this.#deps;
    // Older servers say `id` alone.
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

/** What a token says of its person; it is for the server to believe it. Keys of roles name nobody. */
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
