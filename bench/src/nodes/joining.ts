import type { ChooseGames } from "../contenders.ts";
import { writeBook } from "../contenders.ts";
import type { OnAnswer, Requests } from "../http-load.ts";
import type { LoadResult } from "../load.ts";
import type { Crowd } from "../persons.ts";
import { RequestBook } from "../request-book.ts";
import { addJoin } from "../requests.ts";
import type { Contender } from "../slices.ts";
import type { JoinLedger } from "./join-ledger.ts";

const spare = 1.5;

type Load = { saturate(book: Requests, durationMs: number, onAnswer: OnAnswer): Promise<LoadResult> };

/** Slices of joins at full speed. Each comes from another person, and is noted when acknowledged. */
export function joiningContender(settings: {
  readonly name: string;
  readonly pids: readonly number[];
  readonly load: Load;
  readonly crowd: Crowd;
  readonly ledger: JoinLedger;
  readonly games: ChooseGames;
  readonly sliceMs: number;
  /** Estimated joins per second for the first slice. */
  readonly firstGuessPerSecond: number;
  readonly beforeSlice?: () => Promise<void>;
  readonly logCounters?: NonNullable<Contender["logCounters"]>;
}): Contender {
  const { name, pids, load, crowd, ledger, games, sliceMs, beforeSlice, logCounters } = settings;
  const [pid, ...alsoPids] = pids;
  const book = new RequestBook();
  let perSecond = settings.firstGuessPerSecond;
  let before = 0;
  return {
    ...{ name, pid, alsoPids },
    async prepare() {
      await beforeSlice?.();
      before = crowd.count;
      await writeBook(book, Math.ceil((perSecond * spare * sliceMs) / 1000), addJoin, crowd, games);
    },
    async run() {
      const result = await load.saturate(book, sliceMs, (request) =>
        ledger.acknowledge(before + 1 + request),
      );
      perSecond = Math.max(perSecond, (result.answered * 1000) / result.elapsedMs);
      return result;
    },
    ...(logCounters && { logCounters }),
  };
}
