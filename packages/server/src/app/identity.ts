import type { PersonId } from "@openseat/kernel";

export type Role = "person" | "service" | "operator";

/** Who asks. `by` is how the log names them; roles start with `@`, which no person's id may. */
export interface Identity {
  readonly role: Role;
  readonly by: string;
  readonly name?: string | undefined;
  /** LN9: the lane that the token gives in waiting rooms, by number or name. */
  readonly lane?: number | string;
  /** When the proof runs out, in seconds since 1970; keys of roles do not. */
  readonly expires?: number;
  /** AU5: the key of a remote issuer that signed the proof, which ends when the issuer withdraws it. */
  readonly issuerKey?: string;
}

export const guestPrefix = "guest_";
/** How the directory calls people who are known by an address on a chat channel alone. */
export const chatPrefix = "chat_";

/** No issuer but this server may call anyone so: the id alone tells who they are. */
export const ownPrefixes = [guestPrefix, chatPrefix] as const;

export function isGuest({ role, by }: Identity): boolean {
  return role === "person" && by.startsWith(guestPrefix);
}

export function personOf(identity: Identity): PersonId {
  return identity.by as PersonId;
}

/** Most ids, which take half as long to check. An id may not look like a role, nor like a step in an address. */
const plainPattern = /^(?!@|\.{1,2}$)[\x21-\x7e]{1,128}$/;
const personPattern = /^(?!@|\.{1,2}$)(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u;

/** What an id may not have, in words. */
export const personIdShape = "1 to 128 characters, none of them a control character, and not begin with @";

export function isPersonId(value: unknown): value is PersonId {
  return typeof value === "string" && (plainPattern.test(value) || personPattern.test(value));
}
