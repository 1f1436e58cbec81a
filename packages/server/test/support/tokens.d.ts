/** The tests' own issuer: it creates people without asking the server. */
export declare const issuer = "https://issuer.test";
export declare const issuerSecret = "a shared secret of thirty-two characters and more";
export declare const issuerFlags: readonly ["--issuer", "https://issuer.test", "--issuer-secret", "a shared secret of thirty-two characters and more"];
type Claims = Readonly<Record<string, unknown>>;
export declare const inSeconds: (seconds: number) => number;
/** Implemented again here instead of using the server's code, so that a bug there cannot cancel itself out. */
export declare function sign(claims: Claims, secret: string | Buffer, header?: Claims): string;
/** A token of the own issuer. `changes` replace claims; undefined ones are omitted. */
export declare function tokenOf(person: string, changes?: Claims, secret?: string): string;
/** The token with one of its three parts replaced. */
export declare function withPart(token: string, index: 0 | 1 | 2, part: (old: string) => string): string;
export declare function claimsOf(token: string): Record<string, unknown>;
/** The token with another header under its old signature. */
export declare function altered(token: string, changes: Claims): string;
export {};
