import type { PagedReplay } from "../../../app/arenas/matches.ts";
import { success } from "../envelope.ts";

const afterMoves = "]}}";

export async function* replayText({ pages, ...replay }: PagedReplay): AsyncGenerator<string> {
  const { body } = success(200, "The match, from its first move to its last.", { ...replay, moves: [] });
  yield JSON.stringify(body).slice(0, -afterMoves.length);
  let isFirst = true;
  for await (const moves of pages) {
    yield (isFirst ? "" : ",") + JSON.stringify(moves).slice(1, -1);
    isFirst = false;
  }
  yield afterMoves;
}
