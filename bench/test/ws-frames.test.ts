import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RequestBook } from "../src/request-book.ts";
import {
  addTextFrame,
  controlFrame,
  FrameReader,
  handshakeProof,
  opcodes,
  textFrame,
} from "../src/ws-frames.ts";
import { cuts, receive } from "./packets.ts";

type Frame = { opcode: number; text: string };

function serverFrame({ opcode, text }: Frame): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) {
    head[1] = payload.length;
    return Buffer.concat([head.subarray(0, 2), payload]);
  }
  if (payload.length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
    return Buffer.concat([head.subarray(0, 4), payload]);
  }
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** Takes masked client frames apart as a server would. */
function unmask(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    assert.equal(bytes[at], 0x81, "one whole text frame");
    assert.equal(bytes[at + 1], 0xfe, "masked, with a length of 16 bits");
    const length = bytes.readUInt16BE(at + 2);
    const payload = bytes
      .subarray(at + 8, at + 8 + length)
      .map((byte, index) => byte ^ bytes[at + 4 + (index & 3)]);
    texts.push(Buffer.from(payload).toString("latin1"));
    at += 8 + length;
  }
  return texts;
}

const frame = fc.record(
  {
    opcode: fc.constantFrom(opcodes.text, opcodes.ping, opcodes.pong),
    text: fc.constantFrom("", "{}", "x".repeat(125), "y".repeat(126), "z".repeat(400), "ü".repeat(40_000)),
  },
  { noNullPrototype: true },
);
const frames = fc.array(frame, { maxLength: 6 });

test("frames come out whole, however the packets fall", () => {
  fc.assert(
    fc.property(frames, cuts, (sent, places) => {
      const seen: Frame[] = [];
      const reader = new FrameReader((opcode, bytes, start, end) =>
        seen.push({ opcode, text: bytes.toString("utf8", start, end) }),
      );
      receive(Buffer.concat(sent.map(serverFrame)), places, (packet) => reader.push(packet));
      assert.deepEqual(seen, sent);
    }),
  );
});

test("fragments, masked frames and enormous ones are refused", () => {
  const push = (...bytes: number[]) => new FrameReader(() => {}).push(Buffer.from(bytes));
  assert.throws(() => push(0x01, 0x01, 0x61), /fragment/);
  assert.throws(() => push(0x81, 0x81, 1, 2, 3, 4, 0x61), /masked/);
  assert.throws(() => push(0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0), /4294967296 bytes/);
});

test("what a client sends can be unmasked, frame by frame and several in one write", () => {
  const book = new RequestBook();
  const texts = Array.from({ length: 5_000 }, (_, index) => `${index}`.padStart(126 + (index % 300), "."));
  for (const text of texts) addTextFrame(book, text);
  assert.deepEqual(unmask(book.bytesOf(0, texts.length)), texts);
  assert.deepEqual(unmask(book.bytesOf(4_321)), [texts[4_321]]);
});

test("one frame at a time is written as those in a book, and short ones as short frames", () => {
  const long = "y".repeat(126);
  assert.deepEqual(unmask(textFrame(long)), [long]);
  const short = textFrame("z".repeat(125));
  assert.deepEqual([...short.subarray(0, 2)], [0x81, 0x80 | 125]);
  assert.equal(short.length, 2 + 4 + 125);
  assert.equal(short[6] ^ short[2], "z".charCodeAt(0));
  assert.equal(short[130] ^ short[2], "z".charCodeAt(0));
});

test("a pong carries the ping's payload", () => {
  assert.deepEqual(
    controlFrame(opcodes.pong, Buffer.from("hi")),
    Buffer.from([0x8a, 0x82, 0, 0, 0, 0, 0x68, 0x69]),
  );
});

test("the handshake's proof is that of RFC 6455", () => {
  assert.equal(handshakeProof("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});
