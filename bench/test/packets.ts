import fc from "fast-check";

/** Where a stream is cut into packets: any places, the same twice included. */
export const cuts = fc.array(fc.nat(), { maxLength: 40 });

/** The stream as a connection would get it: in pieces, each in a buffer that is written over afterwards. */
export function receive(stream: Buffer, places: readonly number[], push: (packet: Buffer) => void): void {
  const ends = places.map((place) => place % (stream.length + 1)).sort((left, right) => left - right);
  const readBuffer = Buffer.alloc(stream.length);
  let start = 0;
  for (const end of [...ends, stream.length]) {
    const length = stream.copy(readBuffer, 0, start, end);
    push(readBuffer.subarray(0, length));
    readBuffer.fill(0xff);
    start = end;
  }
}
