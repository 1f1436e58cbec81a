import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../identity.ts";

/** Rooms whose makers are not operators alone, and may name an id. */
type Kind = "arena" | "ladder";

/** Whether the server uses this id for a room of its own. */
type IsReserved = (kind: Kind, id: string) => boolean;

/** AU6: who may choose which id for a new room. A person with the id of everybody's ladder would own it. */
export class ChosenIds {
  readonly #isReserved: IsReserved;

  constructor(isReserved: IsReserved) {
    this.#isReserved = isReserved;
  }

  /** Why the id is refused; undefined when it may be had, or none was named. */
  obstacle(kind: Kind, { role }: Identity, id: string | undefined): Refusal | undefined {
    if (id === undefined || role === "operator") return undefined;
    if (role === "person") return notForPersons;
    return this.#isReserved(kind, id) ? reserved : undefined;
  }
}

const data = { in: "body", field: "id" };

const notForPersons: Refusal = {
  code: "auth.forbidden",
  message: "You cannot choose an id. Omit it, and the server assigns one.",
  data,
};

const reserved: Refusal = {
  code: "auth.forbidden",
  message: "This id is reserved. Choose another one.",
  data,
};
