import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { within } from "./http.ts";

/** Endless text, produced as fast as the reader takes it. */
export async function* endlessText(): AsyncGenerator<string> {
  for (;;) {
    yield "x".repeat(100_000);
    await new Promise(setImmediate);
  }
}

/** Sends a request from this address behind a proxy, and reads only the beginning of the answer. */
export async function stuckReader(url: string, path: string, address: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  const [head] = await within("the answer begins", once(socket, "data"));
  socket.pause();
  assert.match(String(head), /^HTTP\/1\.1 200 /);
  return socket;
}
