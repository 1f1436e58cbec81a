import type { ArenaGame, Sight } from "@openseat/client";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { cellAfter, cellName, landingCell, rowsOf, type Stress } from "./cells.ts";
import { Mark } from "./mark.tsx";

interface Props {
  readonly game: ArenaGame;
  readonly labels: readonly string[];
  readonly sight: Sight | null;
  /** What the marked cells mean. */
  readonly stress: Stress;
  /** The moves that the viewer may make now; empty for spectators. */
  readonly moves?: readonly string[];
  /** The viewer's label, to show where a move would land. */
  readonly label?: string | null | undefined;
  /** A move that was sent and is not in the view yet. */
  readonly pending?: string | undefined;
  readonly isFaded?: boolean;
  readonly onPlay?: (move: string) => void;
}

const nothing: readonly string[] = [];

/** Draws any game that has cells, from the game's own description. */
export function Board(props: Props): JSX.Element {
  const { game, moves = nothing, isFaded = false, onPlay } = props;
  const grid = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(Math.floor(game.cells.length / 2));
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const next = cellAfter(event.key, focused, game.columns, game.cells.length);
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
  }
  const landing =
    pointed !== undefined && moves.includes(pointed) ? landingCell(game, props.sight, pointed) : -1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: cells that are played on are a grid, not a table of data
    <div
      ref={grid}
      role="grid"
      aria-label={`${game.title}, the board`}
      class={`board look-${game.name}${isFaded ? " faded" : ""}${moves.length > 0 ? " open" : ""}`}
      style={{ "--columns": game.columns }}
      onKeyDown={onKeyDown}
      onPointerLeave={() => setPointed(undefined)}
    >
      {rowsOf(game).map((row) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: the focus is on its cells
        <div role="row" class="board-row" key={row[0]}>
          {row.map((index) => (
            <BoardCell
              key={index}
              index={index}
              isFocused={index === focused}
              isLanding={index === landing}
              onFocus={() => {
                setFocused(index);
                setPointed(game.cells[index].move);
              }}
              onPoint={() => setPointed(game.cells[index].move)}
              {...props}
              moves={moves}
              onPlay={onPlay}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface CellProps extends Omit<Props, "onPlay"> {
  readonly index: number;
  readonly isFocused: boolean;
  readonly isLanding: boolean;
  readonly onFocus: () => void;
  readonly onPoint: () => void;
  readonly onPlay: ((move: string) => void) | undefined;
}

function BoardCell(props: CellProps): JSX.Element {
  const { game, labels, sight, stress, moves = nothing, label, pending, index, isLanding, onPlay } = props;
  const cell = game.cells[index];
  const content = sight?.cells[index] ?? null;
  const isMarked = sight?.marked.includes(index) ?? false;
  const isPlayable = moves.includes(cell.move);
  const isPending = pending === cell.move && landingCell(game, sight, cell.move) === index;
  const ghost = content === null && (isPending || isLanding) ? label : undefined;
  const states = [
    "cell",
    isPlayable && "playable",
    isMarked && (stress === "winning line" ? "won" : "last"),
    ghost && "ghost",
    isPending && "pending",
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <button
      type="button"
      role="gridcell"
      class={states.filter(Boolean).join(" ")}
      data-cell={index}
      tabIndex={props.isFocused ? 0 : -1}
      aria-label={cellName(cell, content, isMarked ? stress : undefined)}
      aria-disabled={!isPlayable}
      style={{ "--row": Math.floor(index / game.columns) + 1 }}
      onFocus={props.onFocus}
      onPointerEnter={props.onPoint}
      onClick={() => isPlayable && onPlay?.(cell.move)}
    >
      {content !== null && <Mark label={content} labels={labels} game={game.name} />}
      {ghost && <Mark label={ghost} labels={labels} game={game.name} />}
    </button>
  );
}

/** A small board without controls. */
export function SmallBoard({
  game,
  labels,
  sight,
}: Pick<Props, "game" | "labels" | "sight">): JSX.Element | null {
  if (game.columns === 0 || !sight) return null;
  return (
    <div class={`small-board look-${game.name}`} style={{ "--columns": game.columns }} aria-hidden="true">
      {game.cells.map((cell, index) => (
        <span key={cell.name} class={`cell${sight.marked.includes(index) ? " won" : ""}`}>
          {sight.cells[index] != null && <Mark label={sight.cells[index]} labels={labels} game={game.name} />}
        </span>
      ))}
    </div>
  );
}
