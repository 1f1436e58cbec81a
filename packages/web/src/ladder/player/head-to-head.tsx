import type { HeadToHead, Ladder, LadderHandle, LadderMatch, LadderPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sentenceOf } from "../../ui/openseat.ts";
import { grouped } from "../../ui/words.ts";
import { LadderMatches } from "../ladder-matches.tsx";
import { PlayerSearch } from "../player-search.tsx";
import { record } from "../standing.ts";

interface Props {
  readonly handle: LadderHandle;
  readonly ladder: Ladder;
  readonly player: LadderPlayer;
  /** The viewer, who is the default opponent on another player's page. */
  readonly you: LadderPlayer | null;
  readonly nowMs: number;
  /** The ladder's version; a new one triggers a fetch. */
  readonly version: number;
  readonly onChanged: () => void;
}

const matchesShown = 10;

/** A player's record against one opponent, with the latest matches. */
export function HeadToHeadCard(props: Props): JSX.Element {
  const { handle, ladder, player, you, nowMs, version, onChanged } = props;
  const isOther = you !== null && you.userId !== player.userId;
  const [opponent, setOpponent] = useState<Pick<LadderPlayer, "userId" | "name"> | undefined>(
    isOther ? you : undefined,
  );
  const { compared, problem } = useCompared(handle, player.userId, opponent?.userId, version);
  return (
    <section class="card side against" aria-labelledby="against-title">
      <h2 id="against-title">Against one opponent</h2>
      <PlayerSearch
        id="against"
        label="Opponent"
        handle={handle}
        without={player.userId}
        chosen={opponent}
        onChoose={setOpponent}
      />
      {problem !== "" && <p class="problem">{problem}</p>}
      {compared && (
        <>
          <Totals totals={compared.totals} />
          <LadderMatches
            {...{ handle, ladder, nowMs, onChanged }}
            matches={compared.matches}
            me={you?.userId}
          />
        </>
      )}
    </section>
  );
}

function Totals({ totals }: { readonly totals: HeadToHead }): JSX.Element {
  const { player, opponent, wins, draws, losses, points, opponentPoints } = totals;
  if (wins + draws + losses === 0)
    return (
      <p class="soft">
        {player.name} and {opponent.name} have not played each other yet.
      </p>
    );
  return (
    <div class="totals" role="status">
      <p class="score">
        <span class="unseen">Wins: </span>
        {grouped(wins)} : {grouped(losses)}
      </p>
      <p>
        {player.name} has {record(totals)} against {opponent.name}.
      </p>
      <p class="soft">
        {grouped(points)} : {grouped(opponentPoints)} points in all.
      </p>
    </div>
  );
}

interface Compared {
  readonly totals: HeadToHead;
  readonly matches: readonly LadderMatch[];
}

function useCompared(
  handle: LadderHandle,
  player: string,
  opponent: string | undefined,
  version: number,
): { readonly compared: Compared | undefined; readonly problem: string } {
  const [compared, setCompared] = useState<Compared | undefined>(undefined);
  const [problem, setProblem] = useState("");
  // Depends on the version, to fetch again after each change.
  useEffect(() => {
    setProblem("");
    if (opponent === undefined) {
      setCompared(undefined);
      return undefined;
    }
    let isCurrent = true;
    Promise.all([
      handle.against(opponent, player),
      handle.matches({ player, opponent, limit: matchesShown }),
    ]).then(
      ([totals, { matches }]) => isCurrent && setCompared({ totals, matches }),
      (error: unknown) => isCurrent && setProblem(sentenceOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [handle, player, opponent, version]);
  return { compared, problem };
}
