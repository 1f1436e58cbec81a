/** A batch has one time, and a room was made at one: most times have been written before. */
const written = new Map<number, string>();
const writtenMax = 256;

export function iso(millis: number): string {
  let text = written.get(millis);
  if (text === undefined) {
    text = new Date(millis).toISOString();
    if (written.size >= writtenMax) written.clear();
    written.set(millis, text);
  }
  return text;
}
