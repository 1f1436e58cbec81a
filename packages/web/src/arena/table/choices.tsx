import type { ArenaGame, Sight } from "@openseat/client";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ChoiceIcon } from "../../ui/icons.tsx";
import { choiceOf } from "./cells.ts";

interface Props {
  readonly game: ArenaGame;
  readonly sight: Sight | null;
  readonly moves: readonly string[];
  readonly pending: string | undefined;
  readonly onPlay: (move: string) => void;
}

/** Moves that are not made on a cell. The first nine have number keys. */
export function Choices({ game, sight, moves, pending, onPlay }: Props): JSX.Element | null {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isElsewhere =
        event.target instanceof Element && event.target.closest("input, textarea, dialog") !== null;
      if (isElsewhere || event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
      const move = choiceOf(game, event.key);
      if (move !== undefined && moves.includes(move)) onPlay(move);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [game, moves, onPlay]);
  if (game.choices.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend class="unseen">Your choices</legend>
      {game.choices.map(({ move, name, symbol }, index) => {
        const isChosen = sight?.chosen === move || pending === move;
        const isPlayable = moves.includes(move);
        return (
          <button
            key={move}
            type="button"
            class={`choice${isChosen ? " chosen" : ""}`}
            aria-disabled={!isPlayable}
            aria-pressed={isChosen}
            aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
            onClick={() => isPlayable && onPlay(move)}
          >
            <ChoiceIcon move={move} symbol={symbol} />
            <span>{name}</span>
            {index < 9 && (
              <span class="key" aria-hidden="true">
                {index + 1}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}
