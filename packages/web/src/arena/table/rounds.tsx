import type { ArenaGame, Sight } from "@openseat/client";
import type { JSX } from "preact";
import { ChoiceIcon } from "../../ui/icons.tsx";
import { type RoundEntry, roundLog } from "./round-log.ts";

interface Props {
  readonly game: ArenaGame;
  readonly labels: readonly string[];
  readonly sight: Sight;
  /** Player names by label. */
  readonly names: ReadonlyMap<string, string>;
}

/** How many earlier rounds are listed below the last one. */
const listedRounds = 5;

/** The score and the finished rounds. */
export function Rounds({ game, labels, sight, names }: Props): JSX.Element {
  const [last, ...before] = roundLog(sight, labels);
  return (
    <div class="rounds">
      {sight.score.length > 0 && (
        <p class="score">
          <span class="unseen">
            {labels.map((label, seat) => `${names.get(label) ?? label} ${sight.score[seat]}`).join(", ")}
          </span>
          <span aria-hidden="true">{sight.score.join(" : ")}</span>
        </p>
      )}
      {last ? (
        <Throws round={last} {...{ game, labels, names }} isLarge />
      ) : (
        game.choices.length > 0 && <p class="soft">No round has been played yet.</p>
      )}
      {before.length > 0 && (
        <ol class="past" aria-label="Rounds before">
          {before.slice(0, listedRounds).map((round) => (
            <li key={round.number}>
              <Throws round={round} {...{ game, labels, names }} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

interface ThrowsProps extends Omit<Props, "sight"> {
  readonly round: RoundEntry;
  readonly isLarge?: boolean;
}

function Throws({ round, game, labels, names, isLarge = false }: ThrowsProps): JSX.Element {
  if (round.chosen.length === 0) return <p class="soft">{round.note}</p>;
  const result =
    round.winner === undefined ? "Nobody wins" : `${names.get(round.winner) ?? round.winner} wins`;
  return (
    <div class={isLarge ? "throws large" : "throws"} key={round.number}>
      <span class="round-number">Round {round.number}</span>
      {labels.map((label, seat) => {
        const choice = game.choices.find(({ move }) => move === round.chosen[seat]);
        return (
          <span key={label} class={`throw${round.winner === label ? " won" : ""}`}>
            <ChoiceIcon move={choice?.move ?? ""} symbol={choice?.symbol ?? ""} size={isLarge ? 44 : 22} />
            <span class={isLarge ? "" : "unseen"}>{choice?.name}</span>
          </span>
        );
      })}
      <span class="round-result">{result}</span>
    </div>
  );
}
