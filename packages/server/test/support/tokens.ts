import { createHmac } from "node:crypto";

/** The tests' own issuer: it creates people without asking the server. */
export const issuer = "https://issuer.test";
export const issuerSecret = "a shared secret of thirty-two characters and more";
export const issuerFlags = ["--issuer", issuer, "--issuer-secret", issuerSecret] as const;

type Claims = Readonly<Record<string, unknown>>;

export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Implemented again here instead of using the server's code, so that a bug there cannot cancel itself out. */
export function sign(
  claims: Claims,
  secret: string | Buffer,
  header: Claims = { alg: "HS256", typ: "JWT" },
): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** A token of the own issuer. `changes` replace claims; undefined ones are omitted. */
export function tokenOf(person: string, changes: Claims = {}, secret: string = issuerSecret): string {
  return sign({ iss: issuer, sub: person, exp: inSeconds(3600), ...changes }, secret);
}

/** The token with one of its three parts replaced. */
export function withPart(token: string, index: 0 | 1 | 2, part: (old: string) => string): string {
  return token
    .split(".")
    .map((old, at) => (at === index ? part(old) : old))
    .join(".");
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString("utf8"));
}

/** The token with another header under its old signature. */
export function altered(token: string, changes: Claims): string {
  return withPart(token, 1, () => encode({ ...claimsOf(token), ...changes }));
}
