import { createHash } from "node:crypto";
import type { RequestBook } from "./request-book.ts";

/** Opcodes of RFC 6455, section 5.2. */
export const opcodes = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const;

const payloadBytesMax = 1 << 20;
const length16 = 126;
const length64 = 127;

type OnFrame = (opcode: number, bytes: Buffer, start: number, end: number) => void;

/** Splits the bytes of one WebSocket into server frames, whatever the packet boundaries. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  #carried: Buffer | undefined;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  push(received: Buffer): void {
    const bytes = this.#carried === undefined ? received : Buffer.concat([this.#carried, received]);
    this.#carried = undefined;
    let at = 0;
    while (at < bytes.length) {
      const payloadStart = at + headLength(bytes, at);
      const payloadEnd =
        payloadStart <= bytes.length ? payloadStart + payloadLength(bytes, at) : payloadStart;
      if (payloadEnd > bytes.length) {
        // The connection's read buffer is reused for the next packet, so keep a copy.
        this.#carried = Buffer.from(bytes.subarray(at));
        return;
      }
      if ((bytes[at] & 0xf0) !== 0x80)
        throw new Error("A WebSocket frame that is a fragment or uses an extension.");
      this.#onFrame(bytes[at] & 0x0f, bytes, payloadStart, payloadEnd);
      at = payloadEnd;
    }
  }
}

function headLength(bytes: Buffer, at: number): number {
  const second = bytes[at + 1];
  if (at + 1 >= bytes.length) return 2;
  if (second > 0x7f) throw new Error("A masked WebSocket frame from a server.");
  if (second === length16) return 4;
  return second === length64 ? 10 : 2;
}

function payloadLength(bytes: Buffer, at: number): number {
  const second = bytes[at + 1];
  if (second < length16) return second;
  const length = second === length16 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  if (length > payloadBytesMax) throw new Error(`A WebSocket frame of ${length} bytes.`);
  return length;
}

/** Adds a client's text frame to the book. Texts are ASCII with 126 to 65,535 characters, as joins are. */
export function addTextFrame(book: RequestBook, text: string): void {
  const start = book.reserve(8 + text.length);
  const { bytes } = book;
  bytes[start] = 0x80 | opcodes.text;
  bytes[start + 1] = 0x80 | length16;
  bytes.writeUInt16BE(text.length, start + 2);
  writeMasked(bytes, start + 4, text);
}

/** A client's text frame. The text is ASCII and shorter than 65,536 characters. */
export function textFrame(text: string): Buffer {
  const isShort = text.length < length16;
  const headBytes = isShort ? 2 : 4;
  const bytes = Buffer.allocUnsafe(headBytes + 4 + text.length);
  bytes[0] = 0x80 | opcodes.text;
  bytes[1] = 0x80 | (isShort ? text.length : length16);
  if (!isShort) bytes.writeUInt16BE(text.length, 2);
  writeMasked(bytes, headBytes, text);
  return bytes;
}

/** The mask, and the masked text. */
function writeMasked(bytes: Buffer, start: number, text: string): void {
  // A zero mask would be faster, but would flatter the server, which could skip unmasking.
  const mask = (Math.random() * 0xffffffff + 1) >>> 0;
  bytes.writeUInt32BE(mask, start);
  const payload = start + 4;
  bytes.write(text, payload, text.length, "latin1");
  for (let index = 0; index < text.length; index++) bytes[payload + index] ^= bytes[start + (index & 3)];
}

/** A client's control frame, masked with zeros: there are too few of them to matter. */
export function controlFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

/** The server's answer to a handshake with this key (RFC 6455, section 1.3). */
export function handshakeProof(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
