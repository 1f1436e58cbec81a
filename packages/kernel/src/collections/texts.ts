/** Any texts as one column: two bytes per UTF-16 code unit, and a zero after each text. */
export function packTexts(texts: readonly string[]): Uint8Array {
  let units = 0;
  for (const { length } of texts) units += length + 1;
  const bytes = new Uint8Array(2 * units);
  let at = 0;
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      bytes[at++] = unit & 0xff;
      bytes[at++] = unit >>> 8;
    }
    at += 2;
  }
  return bytes;
}

export function unpackTexts(bytes: Uint8Array): string[] {
  const texts: string[] = [];
  let units: number[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    const unit = bytes[at] | (bytes[at + 1] << 8);
    if (unit !== 0) units.push(unit);
    else {
      texts.push(String.fromCharCode(...units));
      units = [];
    }
  }
  return texts;
}
