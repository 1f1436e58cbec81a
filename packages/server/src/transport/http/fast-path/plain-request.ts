/**
 * A head of the plainest form: one target, HTTP/1.1, one header a line, nothing but printable ASCII in it. No two
 * programs can read such a head differently; whatever has another form is left to Node's own parser. Each line can be
 * matched in one way only, so a head that fails late costs no more than one that fits.
 */
const plainHead = /[A-Z]{3,7} \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\x20-\x7e]*\r\n)+\r\n/y;

/** Node refuses more than 1,000 headers. Requests with more than this are rare, so Node may judge them. */
const headersMax = 100;

const plainLength = /^(?:0|[1-9]\d{0,5})$/;

/** Where one request lies in what has been received, and what its headers say. Used again for the next one. */
export class PlainRequest {
  /** Whether the request that could not be read may be whole once more has arrived. */
  isPartial = false;
  bodyStart = 0;
  end = 0;
  authorization: string | undefined;
  key: string | undefined;
  contentType: string | undefined;
  userAgent: string | undefined;
  forwardedFor: string | undefined;
  origin: string | undefined;
  requestId: string | undefined;
  #host: string | undefined;
  #length: string | undefined;
  #connection: string | undefined;

  /** Reads the request that begins at `start`; false when it is not all there, or not plain. */
  read(text: string, start: number): boolean {
    plainHead.lastIndex = start;
    if (!plainHead.test(text)) {
      this.isPartial = !text.includes("\r\n\r\n", start);
      return false;
    }
    this.isPartial = false;
    const bodyStart = plainHead.lastIndex;
    this.#forget();
    let headers = 0;
    let at = text.indexOf("\r\n", start) + 2;
    while (at < bodyStart - 2) {
      const lineEnd = text.indexOf("\r\n", at);
      if (++headers > headersMax || !this.#note(text, at, text.indexOf(":", at), lineEnd)) return false;
      at = lineEnd + 2;
    }
    if (!this.#host) return false;
    this.bodyStart = bodyStart;
    this.end = bodyStart + Number(this.#length ?? 0);
    this.isPartial = this.end > text.length;
    return !this.isPartial;
  }

  #forget(): void {
    this.authorization = undefined;
    this.key = undefined;
    this.contentType = undefined;
    this.userAgent = undefined;
    this.forwardedFor = undefined;
    this.origin = undefined;
    this.requestId = undefined;
    this.#host = undefined;
    this.#length = undefined;
    this.#connection = undefined;
  }

  /** Takes down a header that matters; false for one that makes the request more than plain, and for a second of a kind. */
  #note(text: string, start: number, colon: number, end: number): boolean {
    switch (colon - start) {
      case 4:
      case 6:
      case 7:
      case 10:
      case 12:
      case 13:
      case 14:
      case 15:
      case 16:
      case 17:
        return this.#noteNamed(text.slice(start, colon).toLowerCase(), text, colon + 1, end);
      default:
        return true;
    }
  }

  #noteNamed(name: string, text: string, start: number, end: number): boolean {
    switch (name) {
      case "authorization":
        if (this.authorization !== undefined) return false;
        this.authorization = text.slice(start, end).trim();
        return true;
      case "host":
        if (this.#host !== undefined) return false;
        this.#host = text.slice(start, end).trim();
        return true;
      case "idempotency-key":
        if (this.key !== undefined) return false;
        this.key = text.slice(start, end).trim();
        return true;
      case "content-length":
        if (this.#length !== undefined) return false;
        this.#length = text.slice(start, end).trim();
        return plainLength.test(this.#length);
      case "content-type":
        if (this.contentType !== undefined) return false;
        this.contentType = text.slice(start, end).trim();
        return true;
      case "user-agent":
        if (this.userAgent !== undefined) return false;
        this.userAgent = text.slice(start, end).trim();
        return true;
      case "x-forwarded-for":
        if (this.forwardedFor !== undefined) return false;
        this.forwardedFor = text.slice(start, end).trim();
        return true;
      case "origin":
        if (this.origin !== undefined) return false;
        this.origin = text.slice(start, end).trim();
        return true;
      case "x-request-id":
        if (this.requestId !== undefined) return false;
        this.requestId = text.slice(start, end).trim();
        return true;
      case "connection":
        if (this.#connection !== undefined) return false;
        this.#connection = text.slice(start, end).trim().toLowerCase();
        return this.#connection === "keep-alive";
      case "expect":
      case "upgrade":
      case "proxy-connection":
      case "transfer-encoding":
        return false;
      default:
        return true;
    }
  }
}
