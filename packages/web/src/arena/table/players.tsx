import type { ArenaAtVersion, ArenaPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { FlameIcon } from "../../ui/icons.tsx";
import { streak } from "../../ui/words.ts";
import { Mark } from "./mark.tsx";
import type { ServerClock } from "./server-clock.ts";
import { TurnClock } from "./turn-clock.tsx";

interface Props {
  readonly view: ArenaAtVersion;
  readonly me: string | undefined;
  readonly clock: ServerClock;
}

/** The players, whose turn it is, and the time left. */
export function Players({ view, me, clock }: Props): JSX.Element {
  const { arena, state } = view;
  const labels = arena.labels.slice(0, Math.max(arena.seats, state.players.length));
  const taken = new Map(state.players.map((player) => [player.label, player]));
  // An arena can have fewer seats than labels: show only the free seats that can be taken.
  let free = Math.max(0, arena.seats - state.players.length);
  const shown = labels.filter((label) => taken.has(label) || free-- > 0);
  return (
    <ul class="players" aria-label="Players">
      {shown.map((label) => (
        <li key={label}>
          <Player
            view={view}
            label={label}
            player={taken.get(label)}
            isYou={taken.get(label)?.person.userId === me}
            clock={clock}
          />
        </li>
      ))}
    </ul>
  );
}

interface PlayerProps {
  readonly view: ArenaAtVersion;
  readonly label: string;
  readonly player: ArenaPlayer | undefined;
  readonly isYou: boolean;
  readonly clock: ServerClock;
}

function Player({ view, label, player, isYou, clock }: PlayerProps): JSX.Element {
  const { arena, state } = view;
  const isToMove = state.match?.toMove.includes(label) ?? false;
  const classes = ["player", player ? "" : "free", isToMove && player ? "to-move" : "", isYou ? "you" : ""];
  const score = state.match?.sight?.score[arena.labels.indexOf(label)];
  return (
    <div class={classes.join(" ")}>
      <span class="player-mark">
        <Mark label={label} labels={arena.labels} game={arena.game} />
      </span>
      <div class="player-words">
        <p class="player-name">{player ? player.person.name : "Free seat"}</p>
        <p class="player-more">
          {isYou && <span class="tag">you</span>}
          <span class={arena.game === null ? "" : "unseen"}>{label} </span>
          {player && player.streak > 0 ? (
            <span class="streak" title={streak(player.streak)}>
              <FlameIcon />
              <span class="unseen">{streak(player.streak)}</span>
              <span aria-hidden="true">
                {player.streak}
                <span class="wide">{player.streak === 1 ? " win" : " in a row"}</span>
              </span>
            </span>
          ) : (
            <span class={isToMove ? "wide" : ""}>{wordsFor(player, isToMove, isYou, arena.game)}</span>
          )}
          {score !== undefined && <span class="unseen">, score {score}</span>}
        </p>
      </div>
      {isToMove && player && state.match?.moveBy && (
        <TurnClock
          moveBy={state.match.moveBy}
          turnSeconds={arena.moveTimeoutSeconds}
          clock={clock}
          isYours={isYou}
        />
      )}
    </div>
  );
}

function wordsFor(
  player: ArenaPlayer | undefined,
  isToMove: boolean,
  isYou: boolean,
  game: string | null,
): string {
  if (!player) return "waiting for a player";
  // Whose turn it is in a game played elsewhere is unknown.
  if (isToMove) return game === null ? "playing" : "to move";
  return isYou ? "" : "waiting";
}
