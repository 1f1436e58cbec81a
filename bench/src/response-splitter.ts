type OnResponse = (status: number, bytes: Buffer, bodyStart: number, bodyEnd: number) => void;

const headBytesMax = 16 * 1024;
const colon = 0x3a;
const space = 0x20;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const contentLength = Buffer.from("content-length");

/** Splits the bytes of one keep-alive connection into HTTP/1.1 responses, whatever the packet boundaries. */
export class ResponseSplitter {
  readonly #onResponse: OnResponse;
  #carried: Buffer | undefined;
  #status = 0;
  #bodyStart = 0;

  constructor(onResponse: OnResponse) {
    this.#onResponse = onResponse;
  }

  push(received: Buffer): void {
    const bytes = this.#carried === undefined ? received : Buffer.concat([this.#carried, received]);
    this.#carried = undefined;
    let start = 0;
    while (start < bytes.length) {
      const end = this.#endOfResponse(bytes, start);
      if (end === undefined || end > bytes.length) {
        // The connection's read buffer is reused for the next packet, so keep a copy.
        this.#carried = Buffer.from(bytes.subarray(start));
        return;
      }
      this.#onResponse(this.#status, bytes, this.#bodyStart, end);
      start = end;
    }
  }

  /** Where the response that starts at `start` ends; undefined while its head is incomplete. */
  #endOfResponse(bytes: Buffer, start: number): number | undefined {
    let bodyBytes = -1;
    let lineStart = start;
    for (let at = start; at < bytes.length; at++) {
      if (bytes[at] !== lineFeed) continue;
      const isEmptyLine = at - lineStart === 1 && bytes[lineStart] === carriageReturn;
      if (isEmptyLine) {
        if (bodyBytes < 0)
          throw new Error("A response without Content-Length, which the benchmark cannot read.");
        this.#status = numberAt(bytes, start + "HTTP/1.1 ".length);
        this.#bodyStart = at + 1;
        return at + 1 + bodyBytes;
      }
      if (isContentLength(bytes, lineStart, at))
        bodyBytes = numberAt(bytes, lineStart + contentLength.length + 1);
      lineStart = at + 1;
    }
    if (bytes.length - start > headBytesMax)
      throw new Error(`A response head of more than ${headBytesMax} bytes.`);
    return undefined;
  }
}

function isContentLength(bytes: Buffer, start: number, end: number): boolean {
  if (end - start <= contentLength.length || bytes[start + contentLength.length] !== colon) return false;
  for (let index = 0; index < contentLength.length; index++) {
    // Header names may be in capitals. This bit turns A–Z into a–z and leaves "-" unchanged.
    if ((bytes[start + index] | 0x20) !== contentLength[index]) return false;
  }
  return true;
}

function numberAt(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === space) at++;
  let value = 0;
  for (; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) value = value * 10 + bytes[at] - 0x30;
  return value;
}
