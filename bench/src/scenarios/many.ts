import type { Bench } from "../bench.ts";
import type { Findings } from "../findings.ts";
import { addJoin } from "../requests.ts";
import { besideBare } from "./beside-bare.ts";

const gameCount = 1_000;

/** Joins over 1,000 games in rotation: many rooms, each with its own batch. */
export function many(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    bench.progress.show("creating 1,000 games");
    const ids = await server.createGames(gameCount);
    const games = async () => (request: number) => ids[request % gameCount];
    const row = await besideBare(bench, "1,000 games", { server, add: addJoin, games });
    return { rows: [row], verdicts: [], notes: [] };
  });
}
