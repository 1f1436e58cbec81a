export type WsAnswer = { readonly id: number; readonly status: number };

const idStart = Buffer.from('{"id":');
const afterId = Buffer.from(',"type":"answer","status":');

// One object for all answers: a million of them a second would keep the collector, not the server, busy.
const shared = { id: 0, status: 0 };

/**
 * The id and status of an answer, read from the bytes when they stand in the usual order and by JSON.parse otherwise;
 * undefined for messages that are no answers. The result is valid until the next call.
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
  // Whatever else bears an id is about one of our messages, and it is not the answer that was asked for.
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
