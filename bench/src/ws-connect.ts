import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type Address, LoadError } from "./load.ts";
import { handshakeProof } from "./ws-frames.ts";

const readBufferBytes = 64 * 1024;

// Shared by all connections: each read is processed before the next, and ten thousand buffers would not fit into a
// processor's cache.
const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);

export type WsEvents = {
  /** Bytes after the handshake. They are overwritten as soon as this returns. */
  received(bytes: Buffer): void;
  /** The connection ended, or received invalid data. Called once. */
  failed(error: Error): void;
};

/**
 * Opens a WebSocket and leaves its frames to the caller: a library's work per frame would distort the measurement.
 */
export function connectWebSocket(address: Address, path: string, events: WsEvents): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString("base64");
    let handshake: string | undefined = "";
    let hasFailed = false;
    const fail = (error: Error): void => {
      if (hasFailed) return;
      hasFailed = true;
      if (handshake === undefined) events.failed(error);
      else reject(error);
      socket.destroy();
    };
    const receive = (bytes: Buffer): void => {
      if (handshake === undefined) {
        events.received(bytes);
        return;
      }
      handshake += bytes.toString("latin1");
      const headEnd = handshake.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      checkHandshake(path, handshake.slice(0, headEnd), key);
      const rest = Buffer.from(handshake.slice(headEnd + 4), "latin1");
      handshake = undefined;
      resolve(socket);
      if (rest.length > 0) events.received(rest);
    };
    const socket = connect({
      ...address,
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback(length) {
          try {
            receive(readBuffer.subarray(0, length));
          } catch (error) {
            fail(error as Error);
          }
          return true;
        },
      },
    });
    socket.once("connect", () => socket.write(handshakeRequest(address, path, key), "latin1"));
    socket.on("error", fail);
    socket.on("close", () => fail(new LoadError("The server closed a WebSocket.")));
  });
}

function handshakeRequest({ host, port }: Address, path: string, key: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
    "\r\n",
  ].join("\r\n");
}

function checkHandshake(path: string, head: string, key: string): void {
  const [statusLine, ...headers] = head.split("\r\n");
  if (!statusLine.startsWith("HTTP/1.1 101 ")) throw new LoadError(`No WebSocket at ${path}: ${statusLine}`);
  const proof = `sec-websocket-accept: ${handshakeProof(key)}`;
  if (!headers.some((header) => header.toLowerCase() === proof.toLowerCase())) {
    throw new LoadError("The WebSocket handshake answer does not match its key.");
  }
}
