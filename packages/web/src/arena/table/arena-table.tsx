import type { ArenaHandle } from "@openseat/client";
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { notifyError } from "../../ui/notices.tsx";
import { isSettled, type Table, wordsShown } from "../aftermath.ts";
import type { Scene } from "../scene.ts";
import { Board } from "./board.tsx";
import { Choices } from "./choices.tsx";
import { hasRoundLog } from "./round-log.ts";
import { Rounds } from "./rounds.tsx";

interface Props {
  readonly arena: ArenaHandle;
  readonly scene: Scene;
  readonly table: Table;
}

const nothing: readonly string[] = [];

/** The board, the choices and the rounds of a match, depending on the game. */
export function ArenaTable({ arena, scene, table }: Props): JSX.Element | null {
  const { view, aftermath } = scene;
  const { game, state } = view;
  const { pending, play } = usePlay(arena, scene);
  if (!game) return <Elsewhere />;
  const { labels } = view.arena;
  const moves = !table.isLast && pending === undefined && state.you ? state.you.moves : nothing;
  const isWon = table.isLast && state.lastMatch?.winner != null && state.lastMatch.reason === "played";
  const words = wordsShown(view, aftermath, Date.now());
  const seated = words.isLast ? (state.lastMatch?.players ?? []) : state.players;
  const names = new Map(seated.map(({ label, person }) => [label, person.name]));
  return (
    <div class="table">
      {game.columns > 0 && (
        <Board
          {...{ game, labels, moves, pending }}
          sight={table.sight}
          stress={isWon ? "winning line" : "last move"}
          label={state.you?.label}
          isFaded={state.match === null}
          onPlay={play}
        />
      )}
      {state.you?.state === "seated" && state.match && (
        <Choices {...{ game, moves, pending }} sight={state.match.sight} onPlay={play} />
      )}
      {words.sight && hasRoundLog(game, words.sight) && (
        <Rounds {...{ game, labels, names }} sight={words.sight} />
      )}
    </div>
  );
}

interface Play {
  /** A move that was sent and is not in the view yet. */
  readonly pending: string | undefined;
  readonly play: (move: string) => void;
}

function usePlay(arena: ArenaHandle, { view, matchSinceMs }: Scene): Play {
  const { match } = view.state;
  const [sent, setSent] = useState<{ readonly move: string; readonly at: string } | undefined>(undefined);
  // A move stays pending until the view shows it. Otherwise a player could move again between answer and view.
  const at = match ? `${match.id} ${match.moves}` : "";
  const { id, turn } = match ?? {};
  const play = useCallback(
    (move: string) => {
      if (id === undefined || !isSettled(matchSinceMs, Date.now())) return;
      setSent({ move, at });
      // Naming match and turn keeps a late or repeated move from counting in the next one.
      arena.move(move, id, turn).catch((error: unknown) => {
        setSent(undefined);
        notifyError(error);
      });
    },
    [arena, id, turn, at, matchSinceMs],
  );
  return { pending: sent?.at === at ? sent.move : undefined, play };
}

function Elsewhere(): JSX.Element {
  return (
    <p class="elsewhere soft">
      This game is played elsewhere. This page shows who plays, who won and who is next.
    </p>
  );
}
