import type { FeedMessage } from "../../feed/watch.ts";

/** RFC 6455: an unfragmented, unmasked text. */
const wholeText = 0x81;
const length16 = 126;
const length64 = 127;

export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headBytes = length < length16 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = wholeText;
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) {
    frame[1] = length16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = length64;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headBytes, "utf8");
  return frame;
}

const frames = new WeakMap<FeedMessage, Buffer>();

/** Encoded once for all receivers: encoding per receiver would cost more than deciding the change. */
export function feedFrame(message: FeedMessage): Buffer {
  let frame = frames.get(message);
  if (!frame) {
    frame = textFrame(message.json);
    frames.set(message, frame);
  }
  return frame;
}
