/**
 * Lists the source files that run between a request and its answer: for a join of a game, and for a move that ends
 * a rated match, up to its ladder. ARCHITECTURE.md contains the same lists. Run: npm run walks
 */
import { Session } from "node:inspector/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Hall, quickWin } from "../packages/server/test/arenas/hall.ts";
import { Club } from "../packages/server/test/ladders/club.ts";
import { until } from "../packages/server/test/support/http.ts";
import { startServer } from "../packages/server/test/support/server.ts";
import { tokenOf } from "../packages/server/test/support/tokens.ts";

const root = join(import.meta.dirname, "..");
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Source files with a function that ran since the last call. */
async function filesRun(): Promise<string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.startsWith("file:"))
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((path) => /^packages\/\w+\/src\//.test(path))
    .sort();
}

async function walk(name: string, act: () => Promise<void>): Promise<void> {
  // Discards what ran in the background, such as timers.
  await filesRun();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const always = new Set(await filesRun());
  await act();
  const files = await filesRun();
  console.log(
    `\n${name}: ${files.length} files (${files.filter((file) => always.has(file)).length} of them also run when idle)`,
  );
  for (const file of files) console.log(`  ${file}${always.has(file) ? " (also when idle)" : ""}`);
}

const server = await startServer();
const game = await server.client.newGame();
const joined = (person: string) =>
  server.client.post(`/api/v1/games/${game}/join`, { token: tokenOf(person) });
await joined("warm");
await walk("a join of a game", async () => void (await joined("ann")));

const club = new Club(server);
const ladder = await club.newLadder(["ann", "bob"]);
const hall = new Hall(server);
const { id: arena } = await hall.playing(["ann", "bob"], { ladder });
for (const move of quickWin.slice(0, -1)) await hall.play(arena, [move]);
await walk("a move that ends a match, up to its ladder", async () => {
  await hall.play(arena, quickWin.slice(-1));
  await until("the result at the ladder", async () => (await club.matches(ladder)).length === 1);
});
await server.stop();
process.exit(0);
