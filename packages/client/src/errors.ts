import type { Failure } from "@openseat/protocol";
import type { ErrorCode } from "./error-codes.ts";

interface Particulars {
  readonly status?: number;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** Why a request failed. */
export class OpenseatError extends Error {
  override readonly name = "OpenseatError";
  /** A refusal code of the server, or one of the client's own. A newer server may send one that is not in the type. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 if the server did not answer. */
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long to wait before retrying, if the server said so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode | (string & {}), message: string, particulars: Particulars = {}) {
    super(message);
    this.code = code as ErrorCode;
    this.status = particulars.status ?? 0;
    this.data = particulars.data ?? {};
    this.retryable = particulars.retryable ?? false;
    this.retryAfterMs = particulars.retryAfterMs;
  }
}

export function unreachable(why: string): OpenseatError {
  return new OpenseatError("client.unreachable", `The server cannot be reached: ${why}.`, {
    retryable: true,
  });
}

export function closed(message = "This client was closed."): OpenseatError {
  return new OpenseatError("client.closed", message);
}

export function noWebSocket(): OpenseatError {
  const message =
    "Watching needs a WebSocket, and this platform has none. Pass one: new Openseat({ webSocket: WebSocket }), for example from the package ws.";
  return new OpenseatError("client.no-websocket", message);
}

export function busy(what: string): OpenseatError {
  return new OpenseatError("client.busy", `Too many ${what} are pending. Wait for some answers first.`, {
    retryable: true,
  });
}

/** The server's refusal in a response; undefined if there is none. */
export function refusalIn(
  body: unknown,
  status: number,
  retryAfterMs: number | undefined,
): OpenseatError | undefined {
  const { success, code, message, data, retryable } = (body ?? {}) as Partial<Failure>;
  if (success !== false || typeof code !== "string") return undefined;
  return new OpenseatError(code, String(message), {
    status,
    data,
    retryAfterMs,
    retryable:
      retryable === true || code === "server.stopping" || (status === 429 && retryAfterMs !== undefined),
  });
}

/** Whether the token itself was refused, rather than the request. */
export function isBadToken(error: unknown): boolean {
  return error instanceof OpenseatError && (error.code === "auth.expired" || error.code === "auth.invalid");
}
