import type { Ladder, LadderPlayer } from "@openseat/client";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useNow } from "../../ui/hooks/use-now.ts";
import { useTitle } from "../../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../../ui/loading.tsx";
import { useMe } from "../../ui/me.ts";
import { NoSuchRoom } from "../../ui/no-such-room.tsx";
import { isNotFound, sentenceOf } from "../../ui/openseat.ts";
import { ladderAddress } from "../../ui/route.ts";
import { dayShown, grouped } from "../../ui/words.ts";
import { ExportLinks } from "../export-links.tsx";
import { LadderMatches } from "../ladder-matches.tsx";
import { Rating } from "../rating.tsx";
import { ordinal } from "../standing.ts";
import { HeadToHeadCard } from "./head-to-head.tsx";
import { RatingChart } from "./rating-chart.tsx";
import { courseOf } from "./rating-course.ts";
import { RatingHistory } from "./rating-history.tsx";
import { useLadderPlayer } from "./use-ladder-player.ts";

interface Props {
  readonly ladder: string;
  readonly player: string;
}

export function LadderPlayerPage({ ladder, player }: Props): JSX.Element {
  const watched = useLadderPlayer(ladder, player);
  const { problem, seen } = watched;
  if (problem !== undefined && isNotFound(problem)) return <NoSuchRoom what="player" />;
  if (problem !== undefined) return <LoadError text={sentenceOf(problem)} />;
  return seen ? <Player {...watched} seen={seen} /> : <Loading />;
}

type Watched = ReturnType<typeof useLadderPlayer>;

function Player({
  handle,
  seen,
  older,
  showOlder,
  refresh,
}: Watched & { readonly seen: NonNullable<Watched["seen"]> }): JSX.Element {
  const { me } = useMe();
  const minute = useNow(30_000);
  const nowMs = Math.max(minute, Date.now());
  const { ladder, you, player, history, recent, version } = seen;
  const course = useMemo(() => courseOf(history), [history]);
  useTitle(`${player.name} · ${ladder.title} · Openseat`);
  return (
    <div class="ladder">
      <PlayerHead ladder={ladder} player={player} isYou={player.userId === me?.id} />
      <div class="arena-parts">
        <div class="ladder-main">
          <section class="card stage" aria-labelledby="rating-title">
            <Facts ladder={ladder} player={player} />
            <h2 id="rating-title" class="unseen">
              Rating over time
            </h2>
            {course.ratings.length > 0 && <RatingChart course={course} />}
          </section>
          <RatingHistory ladder={ladder.id} steps={[...history, ...older]} showOlder={showOlder} />
        </div>
        <div class="sides">
          <HeadToHeadCard {...{ handle, ladder, player, nowMs, version }} you={you} onChanged={refresh} />
          <section class="card side" aria-labelledby="recent-title">
            <h2 id="recent-title">Recent matches</h2>
            {recent.length === 0 && <p class="soft">No matches yet.</p>}
            <LadderMatches {...{ handle, ladder, nowMs }} matches={recent} me={me?.id} onChanged={refresh} />
          </section>
          <ExportLinks ladder={ladder.id} what={["history"]} player={player.userId} />
        </div>
      </div>
    </div>
  );
}

interface AboutProps {
  readonly ladder: Ladder;
  readonly player: LadderPlayer;
}

function PlayerHead({ ladder, player, isYou }: AboutProps & { readonly isYou: boolean }): JSX.Element {
  const since =
    player.leftAt === null
      ? `On the ladder since ${dayShown(player.enrolledAt)}.`
      : `Left the ladder on ${dayShown(player.leftAt)}.`;
  return (
    <div class="room-head">
      <div>
        <p class="soft">
          <a href={ladderAddress(ladder.id)}>Back to {ladder.title}</a>
        </p>
        <h1>
          {player.name} {isYou && <span class="tag">you</span>}
        </h1>
        <p class="soft">{since}</p>
      </div>
    </div>
  );
}

function Facts({ ladder, player }: AboutProps): JSX.Element {
  const { rank, deviation, provisional, wins, draws, losses } = player;
  return (
    <dl class="facts ladder-facts">
      <Fact name={provisional ? "Rating, provisional" : "Rating"}>
        <Rating player={{ ...player, provisional: false }} />
        {deviation !== null && <small> ± {Math.round(2 * deviation)}</small>}
      </Fact>
      <Fact name={rank === null ? "Not ranked" : `of ${grouped(ladder.players)}`}>
        {rank === null ? "–" : ordinal(rank)}
      </Fact>
      <Fact name="Won">{grouped(wins)}</Fact>
      <Fact name="Drawn">{grouped(draws)}</Fact>
      <Fact name="Lost">{grouped(losses)}</Fact>
    </dl>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
