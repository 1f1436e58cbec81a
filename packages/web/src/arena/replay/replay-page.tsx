import type { Replay } from "@openseat/client";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useTitle } from "../../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../../ui/loading.tsx";
import { useMe } from "../../ui/me.ts";
import { NoSuchRoom } from "../../ui/no-such-room.tsx";
import { isNotFound, openseat, sentenceOf } from "../../ui/openseat.ts";
import { arenaAddress } from "../../ui/route.ts";
import { Board } from "../table/board.tsx";
import { Mark } from "../table/mark.tsx";
import { hasRoundLog } from "../table/round-log.ts";
import { Rounds } from "../table/rounds.tsx";
import { ReplayControls } from "./replay-controls.tsx";
import { endingOf, sightAt, stepWords } from "./replaying.ts";
import { useSteps } from "./use-steps.ts";
import "./replay.css";

interface Props {
  readonly arena: string;
  readonly match: string;
}

export function ReplayPage({ arena, match }: Props): JSX.Element {
  const { isSettled } = useMe();
  const [replay, setReplay] = useState<Replay | undefined>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
  useEffect(() => {
    if (isSettled) openseat.arena(arena).replay(match).then(setReplay, setProblem);
  }, [arena, match, isSettled]);
  if (isNotFound(problem)) return <NoSuchRoom what="match" />;
  if (problem !== undefined) return <LoadError text={sentenceOf(problem)} />;
  return replay ? <Replayed arena={arena} replay={replay} /> : <Loading />;
}

function Replayed({ arena, replay }: { readonly arena: string; readonly replay: Replay }): JSX.Element {
  const { match, game, moves } = replay;
  const steps = useSteps(moves.length);
  const { step } = steps;
  useTitle(`Match ${match.number} · Openseat`);
  const sight = sightAt(replay, step);
  const labels = match.players.map(({ label }) => label);
  const names = new Map(match.players.map(({ label, person }) => [label, person.name]));
  const isEnd = step === moves.length && match.winner !== null && match.reason === "played";
  return (
    <div class="replay">
      <div class="room-head">
        <div>
          <p class="soft">
            <a href={arenaAddress(arena)}>Back to the arena</a>
          </p>
          <h1>Match {match.number}</h1>
          <p>{endingOf(replay)}</p>
        </div>
      </div>
      <div class="arena-parts">
        <section class="card stage" aria-label="The table">
          <ul class="players" aria-label="Players">
            {match.players.map(({ label, person }) => (
              <li key={label}>
                <div class={`player${match.winner === label ? " winner" : ""}`}>
                  <span class="player-mark">
                    <Mark label={label} labels={labels} game={game?.name ?? null} />
                  </span>
                  <div class="player-words">
                    <p class="player-name">{person.name}</p>
                    <p class="player-more">
                      {match.winner === label ? "won" : match.winner === null ? "drew" : "lost"}
                    </p>
                  </div>
                </div>
              </li>
            ))}
          </ul>
          <div class="table">
            {game && game.columns > 0 && (
              <Board {...{ game, labels, sight }} stress={isEnd ? "winning line" : "last move"} />
            )}
            {game && sight && hasRoundLog(game, sight) && <Rounds {...{ game, labels, sight, names }} />}
            {!game && (
              <p class="elsewhere soft">This game was played elsewhere. Only its result is recorded here.</p>
            )}
          </div>
          {moves.length > 0 && <ReplayControls steps={steps} words={stepWords(replay, step)} />}
        </section>
        {moves.length > 0 && (
          <div class="sides">
            <Moves replay={replay} step={step} onStep={steps.go} />
          </div>
        )}
      </div>
    </div>
  );
}

interface MovesProps {
  readonly replay: Replay;
  readonly step: number;
  readonly onStep: (step: number) => void;
}

function Moves({ replay, step, onStep }: MovesProps): JSX.Element {
  return (
    <section class="card side" aria-labelledby="moves-title">
      <h2 id="moves-title">Moves</h2>
      <ol class="moves">
        {replay.moves.map(({ at }, index) => (
          <li key={`${at} ${index}`}>
            <button
              type="button"
              aria-current={step === index + 1 ? "step" : undefined}
              onClick={() => onStep(index + 1)}
            >
              <span class="position">{index + 1}</span>
              <span>{stepWords(replay, index + 1)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
