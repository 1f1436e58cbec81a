import type { Arena, Game, LadderSummary, Queue } from "@openseat/client";
import { useCallback, useEffect, useState } from "preact/hooks";
import { openseat } from "../ui/openseat.ts";

const everyMs = 4_000;
/** Rooms of each kind at first; "Show more rooms" adds twice as many. */
const pageLength = 12;
const roomsMax = 480;

export interface Rooms {
  readonly arenas: readonly Arena[];
  readonly games: readonly Game[];
  readonly queues: readonly Queue[];
  readonly ladders: readonly LadderSummary[];
  readonly hasMore: boolean;
}

interface Listed {
  readonly rooms: Rooms | undefined;
  readonly problem: unknown;
  readonly showMore: () => void;
}

/** The list of rooms, polled while the page is visible. */
export function useRooms(): Listed {
  const [limit, setLimit] = useState(pageLength);
  const [rooms, setRooms] = useState<Rooms | undefined>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function refresh(): Promise<void> {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        try {
          const found = await roomsNow(limit);
          if (isOver) return;
          setRooms(found);
          setProblem(undefined);
        } catch (error) {
          if (isOver) return;
          setProblem(error);
        }
      }
      clearTimeout(timer);
      timer = setTimeout(refresh, everyMs);
    }
    void refresh();
    document.addEventListener("visibilitychange", refresh);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [limit]);
  const showMore = useCallback(() => setLimit((before) => Math.min(roomsMax, before + 2 * pageLength)), []);
  return { rooms, problem, showMore };
}

async function roomsNow(limit: number): Promise<Rooms> {
  // Leave out ended rooms: nobody can join them.
  const [waiting, playing, open, full, queues, joinable, closed] = await Promise.all([
    openseat.arenas.list({ status: "WAITING", limit }),
    openseat.arenas.list({ status: "PLAYING", limit }),
    openseat.games.list({ status: "OPEN", limit }),
    openseat.games.list({ status: "FULL", limit }),
    openseat.queues.list({ limit }),
    openseat.ladders.list({ status: "OPEN", limit }),
    openseat.ladders.list({ status: "CLOSED", limit }),
  ]);
  const pages = [waiting, playing, open, full, queues, joinable, closed];
  const arenas = newestFirst([...waiting.arenas, ...playing.arenas]);
  const ladders = newestFirst([...joinable.ladders, ...closed.ladders]);
  const isCut = arenas.length > limit || ladders.length > limit;
  return {
    arenas: arenas.slice(0, limit),
    games: [...open.games, ...full.games],
    queues: queues.queues,
    ladders: ladders.slice(0, limit),
    hasMore: (isCut || pages.some(({ nextCursor }) => nextCursor !== null)) && limit < roomsMax,
  };
}

/** Removes duplicates: a room whose status changes between two requests is in both lists. */
function newestFirst<Room extends { readonly id: string; readonly createdAt: string }>(
  rooms: readonly Room[],
): Room[] {
  const byId = new Map(rooms.map((room) => [room.id, room]));
  return [...byId.values()].sort((one, other) => other.createdAt.localeCompare(one.createdAt));
}
