import type { Game, GameHandle, OpenseatError, Participant } from "@openseat/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useMe } from "../ui/me.ts";
import { openseat } from "../ui/openseat.ts";
import type { GamePlace } from "./seats.ts";

const peopleShown = 50;

interface Watched {
  readonly handle: GameHandle;
  readonly game: Game | undefined;
  readonly place: GamePlace | undefined;
  readonly position: number | undefined;
  /** The first people in the game. */
  readonly present: readonly Participant[];
  readonly problem: OpenseatError | undefined;
}

/** Watches a game, with the visitor's own place in it. */
export function useGame(id: string): Watched {
  const { me, isSettled } = useMe();
  const handle = useRef(openseat.game(id)).current;
  const [game, setGame] = useState<Game | undefined>(undefined);
  const [own, setOwn] = useState<Pick<Watched, "place" | "position">>({
    place: undefined,
    position: undefined,
  });
  const [problem, setProblem] = useState<OpenseatError | undefined>(undefined);
  useEffect(() => {
    if (!isSettled) return undefined;
    return handle.watch(setGame, setProblem);
  }, [isSettled, handle]);
  const [present, setPresent] = useState<readonly Participant[]>([]);
  useEffect(() => {
    if (!game) return undefined;
    if (game.status === "ENDED") {
      setPresent([]);
      return undefined;
    }
    let isCurrent = true;
    handle.participants({ present: true, limit: peopleShown }).then(
      ({ participants }) => {
        if (isCurrent) setPresent(participants);
      },
      // Ignore a failure: the next change fetches it again.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [game, handle]);
  const person = me?.id;
  useEffect(() => {
    if (!game || !isSettled) return undefined;
    if (person === undefined) {
      setOwn({ place: "none", position: undefined });
      return undefined;
    }
    let isCurrent = true;
    handle.canJoin().then(
      ({ isParticipant, isWaiting, yourPosition }) => {
        const place = isParticipant ? "seated" : isWaiting ? "waiting" : "none";
        if (isCurrent) setOwn({ place, position: yourPosition ?? undefined });
      },
      // Ignore a failure: the next change fetches it again.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [game, isSettled, person, handle]);
  return { handle, game, ...own, present, problem };
}
