const changeStart = Buffer.from('{"type":"change","version":');
const matchStart = Buffer.from('"match":{"id":"');
const turnStart = Buffer.from('"turn":');
const quote = 0x22;
const bracket = 0x5b;
const noMoves = Buffer.from('"moves":[]}}}');
const lastMove = Buffer.from('"]}}}');
const noPlace = Buffer.from('"you":null}}');
/** Watchers receive a move with the match as its only change. */
const matchAlone = Buffer.from('"chosen":null}}}}');

/** The match and turn in which a person may move. */
export type Turn = { readonly match: string; readonly turn: number; readonly moves: readonly string[] };

/** The facts that a player reads from a message: the arena's version, and whether it is their turn. */
export type Sighting = { version: number; turn: Turn | undefined };

// One reused object: a hundred thousand objects per second would make this client's garbage collector the
// bottleneck.
const shared: Sighting = { version: 0, turn: undefined };

/**
 * Reads a view or change directly from the bytes if its fields are in the usual order, otherwise with JSON.parse.
 * Ten people receive every move, and eight of them need only the version. The result is valid until the next call.
 */
export function readSighting(bytes: Buffer, start: number, end: number): Sighting {
  const version = readVersion(bytes, start);
  if (version === undefined) return parsed(bytes, start, end);
  shared.version = version;
  shared.turn = undefined;
  if (endsWith(bytes, end, matchAlone) || endsWith(bytes, end, noMoves) || endsWith(bytes, end, noPlace))
    return shared;
  const matchAt = bytes.indexOf(matchStart, start);
  if (!endsWith(bytes, end, lastMove) || matchAt < 0 || matchAt > end) return parsed(bytes, start, end);
  const match = textUntilQuote(bytes, matchAt + matchStart.length);
  const turn = numberAt(bytes, bytes.indexOf(turnStart, matchAt) + turnStart.length);
  const list = bytes.lastIndexOf(bracket, end - lastMove.length);
  const moves = bytes.toString("latin1", list + 2, end - lastMove.length).split('","');
  shared.turn = { match, turn, moves };
  return shared;
}

/** The version of a change; undefined for other messages. */
export function readVersion(bytes: Buffer, start: number): number | undefined {
  for (let index = 0; index < changeStart.length; index++) {
    if (bytes[start + index] !== changeStart[index]) return undefined;
  }
  return numberAt(bytes, start + changeStart.length);
}

function numberAt(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) number = number * 10 + bytes[at] - 0x30;
  return number;
}

function parsed(bytes: Buffer, start: number, end: number): Sighting {
  const { version, state } = JSON.parse(bytes.toString("utf8", start, end));
  const moves = state?.you?.moves ?? [];
  return {
    version,
    turn: moves.length === 0 ? undefined : { match: state.match.id, turn: state.match.turn, moves },
  };
}

function textUntilQuote(bytes: Buffer, start: number): string {
  return bytes.toString("latin1", start, bytes.indexOf(quote, start));
}

function endsWith(bytes: Buffer, end: number, expected: Buffer): boolean {
  const start = end - expected.length;
  for (let index = expected.length - 1; index >= 0; index--) {
    if (bytes[start + index] !== expected[index]) return false;
  }
  return true;
}
