import type { Bare } from "./bare.ts";
import type { HttpLoad } from "./http-load.ts";
import type { LoadResult } from "./load.ts";
import type { Openseat } from "./openseat-server.ts";
import { Crowd, type Person } from "./persons.ts";
import { RequestBook } from "./request-book.ts";
import { addBarePost } from "./requests.ts";
import { waitingMax } from "./room-settings.ts";
import type { Contender } from "./slices.ts";

const firstGuessPerSecond = 40_000;
const spare = 1.5;
const seatsMax = 1_000_000;

/** Loads a server from a request book for some time. */
type Load = { saturate(book: RequestBook, durationMs: number): Promise<LoadResult> };

type AddRequest = (book: RequestBook, game: string, person: Person) => void;

/** Chooses the game of each request in the next slice, given their number. */
export type ChooseGames = (requests: number) => Promise<(request: number) => string>;

/** Returns a game of 1,000,000 seats with enough free seats for the slice; creates a new one when needed. */
export function hotGame(server: Openseat): ChooseGames {
  return hotRoom(() => server.createGame("The hot game", seatsMax), seatsMax);
}

/** The same for a queue whose line has room for the slice. */
export function hotQueue(server: Openseat): ChooseGames {
  return hotRoom(() => server.createQueue(), waitingMax);
}

export function hotRoom(create: () => Promise<string>, placesMax: number): ChooseGames {
  let room = "";
  let free = 0;
  return async (requests) => {
    if (free < requests) {
      room = await create();
      free = placesMax;
    }
    free -= requests;
    return () => room;
  };
}

/** Slices on Openseat at full speed; each request comes from another person. */
export function openseatContender(settings: {
  readonly name: string;
  readonly server: Openseat;
  readonly load: Load;
  readonly add: AddRequest;
  readonly games: ChooseGames;
  readonly sliceMs: number;
}): Contender {
  const { name, server, load, add, games, sliceMs } = settings;
  const book = new RequestBook();
  let perSecond = firstGuessPerSecond;
  return {
    name,
    pid: server.pid,
    async prepare() {
      const count = Math.ceil((perSecond * spare * sliceMs) / 1000);
      await writeBook(book, count, add, server.crowd, games);
    },
    async run() {
      const result = await load.saturate(book, sliceMs);
      perSecond = Math.max(perSecond, (result.answered * 1000) / result.elapsedMs);
      return result;
    },
    logCounters: () => server.logCounters(),
  };
}

/** Slices on Openseat at full speed, with read requests that can be repeated. */
export function askingContender(settings: {
  readonly name: string;
  readonly pid: number;
  readonly load: Load;
  readonly book: RequestBook;
  readonly sliceMs: number;
}): Contender {
  const { name, pid, load, book, sliceMs } = settings;
  let perSecond = 0;
  return {
    name,
    pid,
    prepare() {
      // Continue where the last slice ended, otherwise every slice would ask for the same people.
      if (book.left < (perSecond * spare * sliceMs) / 1000 || perSecond === 0) book.rewind();
    },
    async run() {
      const result = await load.saturate(book, sliceMs);
      perSecond = Math.max(perSecond, (result.answered * 1000) / result.elapsedMs);
      return result;
    },
  };
}

/** Slices on Openseat at a constant rate. */
export function openseatPacedContender(settings: {
  readonly server: Openseat;
  readonly load: HttpLoad;
  readonly add: AddRequest;
  readonly games: ChooseGames;
  readonly perSecond: number;
  readonly sliceMs: number;
}): Contender {
  const { server, load, add, games, perSecond, sliceMs } = settings;
  const book = new RequestBook();
  return {
    name: "openseat at half of its peak",
    pid: server.pid,
    async prepare() {
      await writeBook(book, Math.ceil((perSecond * sliceMs) / 1000), add, server.crowd, games);
    },
    run: () => load.pace(book, perSecond, sliceMs),
    logCounters: () => server.logCounters(),
  };
}

export async function writeBook(
  book: RequestBook,
  count: number,
  add: AddRequest,
  crowd: Crowd,
  games: ChooseGames,
): Promise<void> {
  book.clear();
  const gameOf = await games(count);
  for (let request = 0; request < count; request++) add(book, gameOf(request), crowd.next());
}

/** Requests for the bare server: as varied as joins, but reused in every slice, because it stores nobody. */
export class BareRequests {
  readonly book = new RequestBook();
  readonly #crowd = new Crowd("bare");

  require(count: number): void {
    while (this.book.count < count) addBarePost(this.book, this.#crowd.next());
    this.book.rewind();
  }
}

export function bareContender(
  bare: Bare,
  load: HttpLoad,
  requests: BareRequests,
  sliceMs: number,
): Contender {
  let perSecond = firstGuessPerSecond;
  return {
    name: "bare",
    pid: bare.pid,
    prepare: () => requests.require(Math.ceil((perSecond * spare * sliceMs) / 1000)),
    async run() {
      const result = await load.saturate(requests.book, sliceMs);
      perSecond = Math.max(perSecond, (result.answered * 1000) / result.elapsedMs);
      return result;
    },
  };
}

export function barePacedContender(
  bare: Bare,
  load: HttpLoad,
  requests: BareRequests,
  perSecond: number,
  sliceMs: number,
): Contender {
  return {
    name: "bare at half of its peak",
    pid: bare.pid,
    prepare: () => requests.require(Math.ceil((perSecond * sliceMs) / 1000)),
    run: () => load.pace(requests.book, perSecond, sliceMs),
  };
}
