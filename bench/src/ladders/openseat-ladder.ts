import type { Openseat } from "../openseat-server.ts";
import type { LadderPlayer } from "./reports.ts";

/** A ladder with default settings and these players. */
export async function createLadder(server: Openseat, players: readonly LadderPlayer[]): Promise<string> {
  const { ladder } = await server.operate("POST", "/api/v1/ladders", { title: "The hot ladder" });
  const { id } = ladder as { id: string };
  for (const { name } of players)
    await server.operate("POST", `/api/v1/ladders/${id}/players`, { userId: name });
  return id;
}

/** Voids a match. Returns the time until the answer, and the number of recounted matches. */
export async function voidMatch(
  server: Openseat,
  ladder: string,
  match: number,
): Promise<{ readonly ms: number; readonly recounted: number }> {
  const startedAt = performance.now();
  const answer = await server.operate("POST", `/api/v1/ladders/${ladder}/matches/${match}/void`);
  const ms = performance.now() - startedAt;
  return { ms, recounted: (answer.match as { recounted: number }).recounted };
}
