import type { Bench } from "../bench.ts";
import type { Findings } from "../findings.ts";
import { addCanJoin } from "../requests.ts";
import { besideBare } from "./beside-bare.ts";

/** Reads one game, each time as another person. */
export function canJoin(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const game = await server.createGame("The watched game");
    const games = async () => () => game;
    const row = await besideBare(bench, "can-join", { server, add: addCanJoin, games });
    return { rows: [row], verdicts: [], notes: [] };
  });
}
