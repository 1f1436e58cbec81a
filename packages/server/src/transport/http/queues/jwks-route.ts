import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { AdmissionProofs } from "../../../app/queues/admission-proofs.ts";
import { about } from "../docs/operations.ts";

/** The serializer drops fields that are not in this schema, such as the private part of a key. */
const Jwks = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal("OKP"),
      crv: Type.Literal("Ed25519"),
      x: Type.String({ description: "The public key." }),
      kid: Type.String({ description: "Its name, which tokens carry in their header." }),
      alg: Type.Literal("EdDSA"),
      use: Type.Literal("sig"),
    }),
  ),
});

/** AD9: the keys with which a site verifies admissions itself. */
export function jwksRoute(app: FastifyInstance, proofs: AdmissionProofs): void {
  app.get(
    "/.well-known/jwks.json",
    {
      config: { access: "public" },
      schema: {
        ...about("getSigningKeys"),
        response: { 200: Jwks },
      },
    },
    async (_, reply) =>
      reply.header("cache-control", "public, max-age=300").send({ keys: proofs.publicKeys() }),
  );
}
