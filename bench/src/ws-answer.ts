export type WsAnswer = { readonly id: number; readonly status: number };

const idStart = Buffer.from('{"id":');
const afterId = Buffer.from(',"type":"answer","status":');

// One reused object: a million objects per second would make this client's garbage collector the bottleneck.
const shared = { id: 0, status: 0 };

/**
 * The id and status of an answer, read directly from the bytes if the fields are in the usual order, otherwise with
 * JSON.parse; undefined for other messages. The result is valid until the next call.
 */
export function readAnswer(bytes: Buffer, start: number, end: number): WsAnswer | undefined {
  if (!startsWith(bytes, start, idStart)) return parseAnswer(bytes, start, end);
  let at = start + idStart.length;
  let id = 0;
  for (; isDigit(bytes[at]); at++) id = id * 10 + bytes[at] - 0x30;
  if (!startsWith(bytes, at, afterId)) return parseAnswer(bytes, start, end);
  at += afterId.length;
  let status = 0;
  for (; isDigit(bytes[at]); at++) status = status * 10 + bytes[at] - 0x30;
  shared.id = id;
  shared.status = status;
  return shared;
}

function parseAnswer(bytes: Buffer, start: number, end: number): WsAnswer | undefined {
  const message = JSON.parse(bytes.toString("utf8", start, end));
  if (message.type === "answer") return { id: message.id, status: message.status };
  // Another message with an id refers to our message, but is not the expected answer.
  return message.id === undefined ? undefined : { id: message.id, status: message.status ?? 0 };
}

function startsWith(bytes: Buffer, start: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[start + index] !== expected[index]) return false;
  }
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
