import type { LadderEvent } from "../events.ts";
import { ladderLimits } from "../limits.ts";
import type { Ladder } from "../state.ts";
import { Tally } from "./tally.ts";

/** The next rows of the running import, in order. After a crash, the import resumes where it stopped. */
export function importChunk(ladder: Ladder): LadderEvent[] {
  if (!ladder.importing) return [];
  const { digest, rows } = ladder.importing;
  const { done } = ladder.imports.get(digest)!;
  const chunk = rows.slice(done, done + ladderLimits.importChunkRows);
  const tally = new Tally(ladder);
  for (const [index, row] of chunk.entries()) {
    const players = tally.playersOf(row, row.names, "past");
    const origin = `import/${digest}#${done + index + 1}`;
    tally.count({ players, scores: row.scores, reporter: "import", playedAt: row.at, origin });
  }
  return [...tally.events, { type: "imported", digest, done: done + chunk.length }];
}
