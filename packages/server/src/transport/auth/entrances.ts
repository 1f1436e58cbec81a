import type { Socket } from "node:net";
import type { OperatorPort } from "../http/connections/operator-port.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Proof } from "./proof.ts";

/** What turns tokens into identities. */
export type Prover = Pick<Authenticator, "prove" | "renew">;

/** AU7: whose tokens are taken where. With a port of their own, operators come in there and nowhere else. */
export class Entrances {
  readonly #everybody: Prover;
  readonly #operatorPort: Pick<OperatorPort, "has"> | undefined;
  /** For the public port. */
  readonly publicProver: Prover;

  constructor(authenticator: Prover, operatorPort?: Pick<OperatorPort, "has">) {
    this.#everybody = authenticator;
    this.#operatorPort = operatorPort;
    this.publicProver = operatorPort ? withoutOperators(authenticator) : authenticator;
  }

  /** Whether this connection is one for operators, and shows what is theirs alone. */
  admitsOperators(socket: Socket): boolean {
    return this.#operatorPort?.has(socket) ?? true;
  }

  proverFor(socket: Socket): Prover {
    return this.admitsOperators(socket) ? this.#everybody : this.publicProver;
  }
}

function withoutOperators(authenticator: Prover): Prover {
  return {
    prove(token) {
      const proof = authenticator.prove(token);
      // Keys of roles are proved at once: only persons' tokens may have to wait.
      return !(proof instanceof Promise) && isOperator(proof) ? elsewhere : proof;
    },
    renew: (identity) => authenticator.renew(identity),
  };
}

function isOperator(proof: Proof): boolean {
  return "identity" in proof && proof.identity.role === "operator";
}

const elsewhere: Proof = {
  refusal: {
    code: "auth.forbidden",
    message: "Operator keys are not accepted here. Use the operator port (the setting operatorPort).",
  },
};
