import type { Socket } from "node:net";
import type { OperatorPort } from "../http/connections/operator-port.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Proof } from "./proof.ts";

export type Prover = Pick<Authenticator, "prove" | "renew">;

/** AU7: if there is an operator port, operator keys are accepted only there. */
export class Entrances {
  readonly #everybody: Prover;
  readonly #operatorPort: Pick<OperatorPort, "has"> | undefined;
  readonly #public: Prover;

  constructor(authenticator: Prover, operatorPort?: Pick<OperatorPort, "has">) {
    this.#everybody = authenticator;
    this.#operatorPort = operatorPort;
    this.#public = operatorPort ? withoutOperators(authenticator) : authenticator;
  }

  admitsOperators(socket: Socket): boolean {
    return this.#operatorPort?.has(socket) ?? true;
  }

  proverFor(socket: Socket): Prover {
    return this.admitsOperators(socket) ? this.#everybody : this.#public;
  }
}

function withoutOperators(authenticator: Prover): Prover {
  return {
    prove(token) {
      const proof = authenticator.prove(token);
      // Only tokens of people are checked asynchronously.
      const isOperator = "identity" in proof && proof.identity.role === "operator";
      return isOperator ? elsewhere : proof;
    },
    renew: (identity) => authenticator.renew(identity),
  };
}

const elsewhere: Proof = {
  refusal: {
    code: "auth.forbidden",
    message: "Operator keys are not accepted here. Use the operator port (the setting operatorPort).",
  },
};
