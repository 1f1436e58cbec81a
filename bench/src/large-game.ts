import type { Bench } from "./bench.ts";
import { writeBook } from "./contenders.ts";
import { wholeText } from "./formats.ts";
import type { Openseat } from "./openseat-server.ts";
import { RequestBook } from "./request-book.ts";
import { addWsJoin } from "./requests.ts";

const joinsAtOnce = 50_000;
const noEndMs = 10 * 60 * 1000;
// A game has at most 1,000,000 seats, and the measured joins need some of them.
const participantsMax = 900_000;

/** Progress steps for filling the large game. */
export const fillSteps = (participants: number): number => participants / joinsAtOnce;

/** The server for growth and restarts, which has one nearly full game. */
export class LargeGame {
  readonly server: Openseat;
  readonly game: string;
  readonly participants: number;
  /** Joins in this server's log, over all games. */
  joins = 0;
  readonly #bench: Bench;

  private constructor(bench: Bench, server: Openseat, game: string) {
    this.#bench = bench;
    this.server = server;
    this.game = game;
    this.participants = Math.min(bench.options.participants, participantsMax);
  }

  static async fill(bench: Bench, server: Openseat): Promise<LargeGame> {
    const large = new LargeGame(bench, server, await server.createGame("The large game"));
    await large.join(large.game, large.participants);
    return large;
  }

  /** Joins this many persons over WebSocket as fast as possible; not measured. */
  async join(game: string, count: number): Promise<void> {
    const { progress } = this.#bench;
    const load = this.#bench.wsLoad(this.server);
    const book = new RequestBook();
    for (let joined = 0; joined < count; joined += joinsAtOnce) {
      const some = Math.min(joinsAtOnce, count - joined);
      if (count > joinsAtOnce) progress.show(`filling a game, ${wholeText(joined)} of ${wholeText(count)}`);
      await writeBook(book, some, addWsJoin, this.server.crowd, async () => () => game);
      await load.saturate(book, noEndMs);
      this.joins += some;
      if (count > joinsAtOnce) progress.step(fillSteps(some));
    }
    load.close();
  }
}
