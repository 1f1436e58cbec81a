import type { LadderPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { ladderPlayerAddress } from "../ui/route.ts";
import { grouped } from "../ui/words.ts";
import { pagesAround, placesShown } from "./places.ts";
import { Rating } from "./rating.tsx";
import type { LadderSeen } from "./use-ladder.ts";

interface Props {
  readonly seen: LadderSeen;
  readonly showFrom: (from: number) => void;
}

/** A page of the standings. The viewer's own row is on every page. */
export function Standings({ seen, showFrom }: Props): JSX.Element {
  const { ladder, you, players, from, hasMore } = seen;
  const isHere = you !== null && players.some(({ userId }) => userId === you.userId);
  const { before, after } = pagesAround(from, hasMore);
  return (
    <section class="card standings" aria-labelledby="standings-title">
      <div class="standings-head">
        <h2 id="standings-title">Standings</h2>
        <p class="soft" role="status">
          {players.length > 0 && placesShown(from, players.length, ladder.players)}
        </p>
      </div>
      {players.length === 0 && from === 1 && <p class="soft nobody">Nobody is on this ladder yet.</p>}
      {players.length > 0 && (
        <table>
          <caption class="unseen">By rating, the best first</caption>
          <Columns />
          <tbody>
            {players.map((player) => (
              <Row
                key={player.userId}
                ladder={ladder.id}
                player={player}
                isYou={player.userId === you?.userId}
              />
            ))}
          </tbody>
          {you !== null && you.rank !== null && !isHere && (
            <tbody class="own">
              <Row ladder={ladder.id} player={you} isYou />
            </tbody>
          )}
        </table>
      )}
      {(before !== undefined || after !== undefined) && (
        <nav class="pages" aria-label="Pages of the standings">
          <PageButton to={before} showFrom={showFrom} text="Higher" />
          <PageButton to={after} showFrom={showFrom} text="Lower" />
        </nav>
      )}
    </section>
  );
}

interface PageButtonProps {
  readonly to: number | undefined;
  readonly showFrom: (from: number) => void;
  readonly text: string;
}

/** Disabled instead of hidden at either end, so that it keeps the focus. */
function PageButton({ to, showFrom, text }: PageButtonProps): JSX.Element {
  return (
    <button
      class="button plain"
      type="button"
      aria-disabled={to === undefined}
      onClick={() => to !== undefined && showFrom(to)}
    >
      {text}
    </button>
  );
}

function Columns(): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col" class="number">
          <span class="unseen">Rank</span>
          <span aria-hidden="true">#</span>
        </th>
        <th scope="col">Player</th>
        <th scope="col" class="number">
          Rating
        </th>
        <th scope="col" class="number wide">
          Games
        </th>
        <Short long="Won" short="W" />
        <Short long="Drawn" short="D" />
        <Short long="Lost" short="L" />
      </tr>
    </thead>
  );
}

function Short({ long, short }: { readonly long: string; readonly short: string }): JSX.Element {
  return (
    <th scope="col" class="number few">
      <span class="unseen">{long}</span>
      <span aria-hidden="true" title={long}>
        {short}
      </span>
    </th>
  );
}

interface RowProps {
  readonly ladder: string;
  readonly player: LadderPlayer;
  readonly isYou: boolean;
}

function Row({ ladder, player, isYou }: RowProps): JSX.Element {
  const { rank, name, games, wins, draws, losses } = player;
  return (
    <tr class={isYou ? "you" : ""} aria-current={isYou ? "true" : undefined}>
      <td class="number rank">{rank !== null && grouped(rank)}</td>
      <th scope="row">
        <a href={ladderPlayerAddress(ladder, player.userId)}>{name}</a>{" "}
        {isYou && <span class="tag">you</span>}
      </th>
      <td class="number strong">
        <Rating player={player} />
      </td>
      <td class="number wide">{grouped(games)}</td>
      <td class="number few">{grouped(wins)}</td>
      <td class="number few">{grouped(draws)}</td>
      <td class="number few">{grouped(losses)}</td>
    </tr>
  );
}
