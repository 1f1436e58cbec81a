import type { Socket } from "node:net";

export type TakeBytes = (this: Socket, bytes: Buffer) => void;

const pieceBytes = 4_096;

/**
 * Gives Node's parser a packet in pieces. In one go it would parse thousands of tiny requests before anything could
 * stop it; between pieces, a connection that was closed, paused or upgraded is noticed.
 */
export function inPieces(socket: Socket, parse: TakeBytes): TakeBytes {
  const isListening = () => (socket.rawListeners("data") as unknown[]).includes(feed);
  const feed = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      if (socket.destroyed) return;
      // The parser must not be given bytes while it is paused; after an upgrade they are not for the parser.
      if (at > 0 && (socket.isPaused() || !isListening())) {
        socket.unshift(bytes.subarray(at));
        return;
      }
      parse.call(socket, bytes.subarray(at, at + pieceBytes));
    }
  };
  // When Node removes its own listener at an upgrade, this one is removed in its place.
  return Object.assign(feed, { listener: parse });
}
