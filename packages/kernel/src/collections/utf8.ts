/** The most bytes that one UTF-16 code unit needs. */
export const UTF8_BYTES_MAX = 3;

/**
 * Writes the text as UTF-8 and returns its end. Returns -1 for control characters and lone surrogates: these have no
 * bytes of their own, so one person could be taken for another. There must be space for `UTF8_BYTES_MAX` bytes per
 * unit.
 */
export function writeUtf8(text: string, bytes: Uint8Array, start: number): number {
  let at = start;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000)) return -1;
    if (code < 0x80) bytes[at++] = code;
    else {
      const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes[at++] = ((0xf80 >> more) & 0xff) | (code >> (6 * more));
      for (let left = more - 1; left >= 0; left--) bytes[at++] = 0x80 | ((code >> (6 * left)) & 0x3f);
    }
  }
  return at;
}

/** The text that `writeUtf8` wrote there. */
export function readUtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; ) {
    const first = bytes[at++];
    const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let code = more === 0 ? first : first & (0x3f >> more);
    for (let left = more; left > 0; left--) code = (code << 6) | (bytes[at++] & 0x3f);
    text += String.fromCodePoint(code);
  }
  return text;
}
