import type { Refusal } from "@openseat/kernel";
import { type ClientMessage, clientMessages } from "@openseat/protocol";
import { invalidInput } from "../../app/invalid-input.ts";
import type { Refused } from "../../app/result.ts";
import { validator } from "../../app/validation.ts";
import type { Access } from "../auth/access.ts";
import type { Answer } from "../http/envelope.ts";
import { free, type Traits } from "../limits/gatekeeper.ts";

/** A refusal becomes an answer when it is sent. */
export type Reply = Answer | Refused;

/** AU2, LM3, LM4: which roles may send a message, and what it costs. */
interface MessageRule extends Traits {
  readonly access: Access;
}

const begun: Traits = { isBegun: true, cost: 0 };
const begunWrite: Traits = { isBegun: true, cost: 1 };
const newWrite: Traits = { isBegun: false, cost: 1 };

const byPersons = { access: ["person"] } as const;
const byAnyone = { access: "public" } as const;

export const messageRules: Readonly<Record<ClientMessage["type"], MessageRule>> = {
  auth: { ...byAnyone, ...begun },
  join: { ...byPersons, ...newWrite },
  leave: { ...byPersons, ...begunWrite },
  move: { ...byPersons, ...begunWrite },
  resign: { ...byPersons, ...begunWrite },
  "can-join": { ...byPersons, ...free },
  enter: { ...byPersons, ...newWrite },
  heartbeat: { ...byPersons, ...begun },
  attend: { ...byPersons, ...begun },
  unattend: { ...byPersons, ...begun },
  watch: { ...byAnyone, ...free },
  unwatch: { ...byAnyone, ...begun },
  ping: { ...byAnyone, ...begun },
};

const faultsByType = new Map(
  Object.entries(clientMessages).map(([type, schema]) => [type, validator(schema)]),
);

/** Validated by its type: a validator of the union could only say that no branch matches. */
function faultsOf(message: object): Refusal | undefined {
  const { type } = message as { type?: unknown };
  const faults = faultsByType.get(type as string);
  return faults
    ? faults(message)
    : invalidInput("message", "type", `must be one of ${[...faultsByType.keys()].join(", ")}`);
}

/** A message, or why it is invalid, with its id if it has one. `text` is undefined for binary frames. */
export function parseMessage(
  text: string | undefined,
): ClientMessage | { readonly id: number | null; readonly refusal: Refusal } {
  let message: unknown;
  try {
    if (text !== undefined) message = JSON.parse(text);
  } catch {
    // Not JSON: refused below.
  }
  if (typeof message !== "object" || message === null) {
    return { id: null, refusal: invalidInput("message", "message", "must be one JSON object, as text") };
  }
  const refusal = faultsOf(message);
  if (!refusal) return message as ClientMessage;
  const { id } = message as { id?: unknown };
  return { id: Number.isSafeInteger(id) ? (id as number) : null, refusal };
}
