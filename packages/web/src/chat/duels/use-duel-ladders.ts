import { useEffect, useState } from "preact/hooks";
import { openseat } from "../../ui/openseat.ts";
import type { DuelLadder } from "./duels.ts";

/** Nobody scrolls through more ladders than these pages hold. */
const pagesMax = 4;
const pageLength = 500;

/** The ladders on which duels may count; empty until they have loaded. */
export function useDuelLadders(): readonly DuelLadder[] {
  const [ladders, setLadders] = useState<readonly DuelLadder[]>([]);
  useEffect(() => {
    let isOver = false;
    // Ignore a failure: duels work without the list of ladders.
    duelLadders().then(
      (found) => isOver || setLadders(found),
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, []);
  return ladders;
}

async function duelLadders(): Promise<DuelLadder[]> {
  const found: DuelLadder[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const query = { status: "OPEN", limit: pageLength, ...(cursor !== null && { cursor }) } as const;
    const { ladders, nextCursor }: Awaited<ReturnType<typeof openseat.ladders.list>> =
      await openseat.ladders.list(query);
    found.push(...ladders.filter(({ duels }) => duels));
    cursor = nextCursor;
    if (cursor === null) break;
  }
  return found;
}
