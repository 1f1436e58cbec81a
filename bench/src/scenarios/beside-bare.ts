import type { Bench } from "../bench.ts";
import { bareContender, type ChooseGames, openseatContender } from "../contenders.ts";
import { type Row, rowOf } from "../findings.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Person } from "../persons.ts";
import type { RequestBook } from "../request-book.ts";
import { alternate } from "../slices.ts";

export const warmUps = 2;

type Requests = {
  readonly server: Openseat;
  readonly add: (book: RequestBook, game: string, person: Person) => void;
  readonly games: ChooseGames;
};

/** Alternates HTTP slices of the bare server and of Openseat. */
export async function besideBare(bench: Bench, scenario: string, requests: Requests): Promise<Row> {
  const { options, progress, bare, bareLoad, bareRequests } = bench;
  const load = bench.httpLoad(requests.server);
  const contenders = [
    bareContender(bare, bareLoad, bareRequests, options.sliceMs),
    openseatContender({ name: "openseat", load, sliceMs: options.sliceMs, ...requests }),
  ];
  const rounds = await alternate(contenders, {
    rounds: options.pairs,
    warmUps,
    rerunsMax: options.pairs,
    progress,
  });
  load.close();
  return rowOf(scenario, rounds, rounds.sides[0], rounds.sides[1]);
}
