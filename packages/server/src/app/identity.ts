import type { PersonId } from "@openseat/kernel";

export type Role = "person" | "service" | "operator";

/** The actor of a request. `by` is stored in the log. Roles start with `@`, which person ids may not. */
export interface Identity {
  readonly role: Role;
  readonly by: string;
  readonly name?: string | undefined;
  /** LN9: the lane that the token grants, by number or name. */
  readonly lane?: number | string;
  /** When the token expires, in seconds since 1970. Role keys do not expire. */
  readonly expires?: number;
  /** AU5: the key of a remote issuer that signed the token, which is invalid once the issuer withdraws the key. */
  readonly issuerKey?: string;
}

export const guestPrefix = "guest_";
/** For people known only by an address on a chat channel. */
export const chatPrefix = "chat_";

/** Only this server may issue ids with these prefixes. */
export const ownPrefixes = [guestPrefix, chatPrefix] as const;

export function isGuest({ role, by }: Identity): boolean {
  return role === "person" && by.startsWith(guestPrefix);
}

export function personOf(identity: Identity): PersonId {
  return identity.by as PersonId;
}

/** A faster check for most ids. An id may not look like a role or a path segment such as `..`. */
const plainPattern = /^(?!@|\.{1,2}$)[\x21-\x7e]{1,128}$/;
const personPattern = /^(?!@|\.{1,2}$)(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u;

export const personIdShape = "1 to 128 characters, none of them a control character, and not begin with @";

export function isPersonId(value: unknown): value is PersonId {
  return typeof value === "string" && (plainPattern.test(value) || personPattern.test(value));
}
