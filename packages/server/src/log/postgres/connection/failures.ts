import pg from "pg";
import { LogUnavailable } from "../../log.ts";

/** SQLSTATE codes. */
export const refusals = {
  readOnly: "25006",
  diskFull: "53100",
  serialisation: "40001",
  deadlock: "40P01",
  lockTimeout: "55P03",
  /** The database ended the connection after `idle_in_transaction_session_timeout`. */
  idleInTransaction: "25P03",
} as const;

const sentences: Readonly<Record<string, string>> = {
  "28P01": "The database refuses the user name or the password. Please check DATABASE_URL.",
  "28000": "The database rejects this user. Please check DATABASE_URL.",
  "3D000": "There is no such database on that server. Please create it, or check DATABASE_URL.",
  "42501": "The database user lacks a privilege that Openseat needs: it must own the schema openseat.",
  [refusals.readOnly]: "The database is read-only, as a standby is. Openseat needs the primary.",
  [refusals.diskFull]: "The disk of the database is full.",
  "53200": "The database has run out of memory.",
  "53300": "The database has no free connections.",
  "57014": "The database took too long.",
  [refusals.lockTimeout]: "The database took too long.",
  "57P01": "The database is shutting down.",
  "57P02": "The database has crashed and is restarting.",
  "57P03": "The database is starting up or shutting down.",
  ECONNREFUSED: "The database cannot be reached: nothing listens there.",
  ENOTFOUND: "The database cannot be reached: its host name is not known. Please check DATABASE_URL.",
  EAI_AGAIN: "The database cannot be reached: its host name cannot be resolved at the moment.",
  ENOENT: "The database cannot be reached: its socket does not exist.",
  ENETUNREACH: "The database cannot be reached: there is no route to its network.",
  EHOSTUNREACH: "The database cannot be reached: there is no route to its host.",
  ETIMEDOUT: "The database cannot be reached: it does not answer.",
  ECONNRESET: "The database cannot be reached: it has closed the connection.",
  EPIPE: "The database cannot be reached: it has closed the connection.",
  SELF_SIGNED_CERT_IN_CHAIN: "The database's certificate is not trusted.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The database's certificate is not trusted.",
};

/** The message is for operators and contains nothing from the URL. */
export function unavailable(error: unknown): LogUnavailable {
  if (error instanceof LogUnavailable) return error;
  return new LogUnavailable(sentenceOf(error as Error & { readonly code?: string }), { cause: error });
}

function sentenceOf(error: Error & { readonly code?: string }): string {
  const known = sentences[error.code ?? ""];
  if (known) return known;
  if (error instanceof pg.DatabaseError) return `The database refuses: ${error.message}.`;
  // Do not use a system error's message: it contains addresses, and this one is public.
  const reason =
    error.message === "timeout expired"
      ? "it does not answer"
      : (error.code ?? (error.message || "no reason was given"));
  return `The database cannot be reached: ${reason}.`;
}

/** The SQLSTATE code; undefined if the database gave no answer, for example because the connection broke. */
export function refusalOf(error: unknown): string | undefined {
  const cause = error instanceof LogUnavailable ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/** Not everything was sent. A large write to a closed connection fails before the last answer is read. */
export function isUnsent(error: unknown): boolean {
  const cause =
    error instanceof LogUnavailable ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.syscall === "write";
}
