import { type Identity, isPersonId, personIdShape, type Role } from "../app/identity.ts";
import { invalidInput } from "../app/invalid-input.ts";
import { type Result, refused } from "../app/result.ts";

/** A person with what their token would say. */
export interface Person {
  readonly id: string;
  /** Shown to others. Without it, a name is derived from the id. */
  readonly name?: string | undefined;
  /** The lane in which they join arenas and enter queues. */
  readonly lane?: number | string | undefined;
}

class Privileged {
  readonly identity: Identity;

  constructor(role: Exclude<Role, "person">) {
    this.identity = { role, by: `@${role}` };
  }
}

/** Acts as a service does with its key. */
export const service = new Privileged("service");

/** Acts as an operator does with their key. */
export const operator = new Privileged("operator");

/**
 * Who acts: the id of a person, a person with a name, or `service` or `operator`. These two are objects, because an id may come
 * from a visitor: no text may give more rights.
 */
export type Actor = string | Person | typeof service | typeof operator;

export function identityOf(actor: Actor, roles: readonly Role[]): Result<Identity> {
  const identity = actor instanceof Privileged ? actor.identity : personFrom(actor);
  if (!identity)
    return refused(
      invalidInput(
        "call",
        "actor",
        `must be a person, with an id of ${personIdShape}, and a name that is text`,
      ),
    );
  if (roles.includes(identity.role)) return { value: identity };
  const wanted = roles.map((role) => (role === "operator" ? "an operator" : `a ${role}`)).join(" or ");
  return refused({ code: "auth.forbidden", message: `Only ${wanted} can do this.` });
}

function personFrom(actor: string | Person): Identity | undefined {
  const { id, name, lane } = typeof actor === "string" ? { id: actor } : ((actor ?? {}) as Person);
  if (!isPersonId(id) || (name !== undefined && typeof name !== "string")) return undefined;
  return { role: "person", by: id, name, ...(lane !== undefined && { lane }) };
}
