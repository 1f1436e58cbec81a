import type { Attacker } from "./attacker.ts";
import { PipelinedConnection } from "./pipelined-connection.ts";

const beforeReconnectMs = 50;

export type Volley = {
  readonly connections: number;
  /** Requests under way per connection. */
  readonly inFlight: number;
  /** The local address of each connection. */
  readonly from: (connection: number) => string;
  /** The next request of a connection; undefined if none is left. */
  readonly next: (connection: number) => string | Buffer | undefined;
  /** How to count an answer; by status by default. */
  readonly countAs?: (connection: number, status: number) => string;
};

/**
 * Sends requests on all connections as fast as the server answers, until the attack is over. Reopens connections
 * that were cut.
 */
export async function hammer(attacker: Attacker, volley: Volley): Promise<void> {
  const open = new Set<PipelinedConnection>();
  const start = (number: number): void => {
    const fill = (): void => {
      while (!attacker.isOver && connection.isOpen && connection.unanswered < volley.inFlight) {
        const request = volley.next(number);
        if (request === undefined) return;
        connection.send(request, 1);
      }
    };
    const connection = new PipelinedConnection(attacker.from(volley.from(number)), {
      opened() {
        attacker.opened();
        fill();
      },
      answered(status) {
        attacker.count(volley.countAs?.(number, status) ?? status);
        fill();
      },
      closed(error) {
        open.delete(connection);
        attacker.cut(error);
        void attacker.pause(beforeReconnectMs).then(() => attacker.isOver || start(number));
      },
    });
    open.add(connection);
  };
  for (let number = 0; number < volley.connections; number++) start(number);
  await attacker.over();
  for (const connection of open) connection.destroy();
}

/** A request in an attacker's form. */
export function requestText(method: string, path: string, token?: string, body?: string): string {
  return textOf("", method, path, token, body);
}

/** The same with an idempotency key. */
export function keyedRequestText(
  key: string,
  method: string,
  path: string,
  token: string,
  body: string,
): string {
  return textOf(`Idempotency-Key: ${key}\r\n`, method, path, token, body);
}

/** The same as forwarded by a proxy for the client at this address. */
export function forwardedRequestText(client: string, method: string, path: string): string {
  return textOf(`X-Forwarded-For: ${client}\r\n`, method, path);
}

function textOf(header: string, method: string, path: string, token?: string, body?: string): string {
  const proof = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  const content =
    body === undefined
      ? method === "GET"
        ? ""
        : "Content-Length: 0\r\n"
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}${proof}${content}\r\n${body ?? ""}`;
}
