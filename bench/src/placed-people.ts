import type { Bench } from "./bench.ts";
import { wholeText } from "./formats.ts";
import type { Openseat } from "./openseat-server.ts";
import type { Person } from "./persons.ts";
import { RequestBook } from "./request-book.ts";
import { addEnterWithoutKey } from "./requests.ts";

const enteringAtOnce = 50_000;
const noEndMs = 10 * 60 * 1000;
const idStart = Buffer.from('"id":"');
const quote = 0x22;

/** A person with a place in a line, and its id. */
export type Placed = { readonly person: Person; readonly id: string };

/**
 * Enters these persons into a line over HTTP; people already in it get their existing place. As fast as possible;
 * not measured.
 */
export async function findPlaces(
  bench: Bench,
  server: Openseat,
  queue: string,
  numbers: ArrayLike<number>,
): Promise<Placed[]> {
  const load = bench.httpLoad(server);
  const book = new RequestBook();
  const placed: Placed[] = [];
  for (let start = 0; start < numbers.length; start += enteringAtOnce) {
    bench.progress.show(`finding places, ${wholeText(start)} of ${wholeText(numbers.length)}`);
    const persons = Array.from(
      { length: Math.min(enteringAtOnce, numbers.length - start) },
      (_, index): Person => server.crowd.person(numbers[start + index]),
    );
    book.clear();
    for (const person of persons) addEnterWithoutKey(book, queue, person);
    await load.saturate(book, noEndMs, (request, bytes, bodyStart) => {
      placed.push({ person: persons[request], id: idIn(bytes, bodyStart) });
    });
  }
  load.close();
  return placed;
}

/** The id in an answer about a position: the first field of that name. */
function idIn(bytes: Buffer, bodyStart: number): string {
  const start = bytes.indexOf(idStart, bodyStart) + idStart.length;
  return bytes.toString("latin1", start, bytes.indexOf(quote, start));
}

/** `count` different numbers from `among` numbers starting at `first`, in any order. */
export function someOf(first: number, among: number, count: number): Uint32Array {
  const all = Uint32Array.from({ length: among }, (_, index) => first + index);
  const some = Math.min(count, among);
  for (let at = 0; at < some; at++) {
    const other = at + Math.floor(Math.random() * (among - at));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all.slice(0, some);
}

/** One request per place. */
export function bookOf(
  placed: readonly Placed[],
  add: (book: RequestBook, id: string, person: Person) => void,
): RequestBook {
  const book = new RequestBook();
  for (const { id, person } of placed) add(book, id, person);
  return book;
}
