import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { EndRoom } from "../ui/end-room.tsx";
import { useKeptFocus } from "../ui/hooks/use-kept-focus.ts";
import { useNow } from "../ui/hooks/use-now.ts";
import { useTitle } from "../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../ui/loading.tsx";
import { useMe } from "../ui/me.ts";
import { NoSuchRoom } from "../ui/no-such-room.tsx";
import { isNotFound, sentenceOf } from "../ui/openseat.ts";
import { duelsAddress } from "../ui/route.ts";
import { counted } from "../ui/words.ts";
import { ExportLinks } from "./export-links.tsx";
import { LadderCallCard } from "./ladder-call.tsx";
import { LadderMatches } from "./ladder-matches.tsx";
import { ladderCall, ladderRules } from "./standing.ts";
import { Standings } from "./standings.tsx";
import { useLadder } from "./use-ladder.ts";
import { WaitingMatches } from "./waiting-matches.tsx";

export function LadderPage({ id }: { readonly id: string }): JSX.Element {
  const watched = useLadder(id);
  const { problem, seen } = watched;
  if (problem !== undefined && isNotFound(problem)) return <NoSuchRoom what="ladder" />;
  if (problem !== undefined) return <LoadError text={sentenceOf(problem)} />;
  return seen ? <Ladder {...watched} seen={seen} /> : <Loading />;
}

type Watched = ReturnType<typeof useLadder>;

function Ladder({
  handle,
  seen,
  showFrom,
  refresh,
}: Watched & { readonly seen: NonNullable<Watched["seen"]> }): JSX.Element {
  const { me } = useMe();
  const minute = useNow(30_000);
  const nowMs = Math.max(minute, Date.now());
  const headline = useRef<HTMLHeadingElement>(null);
  const { ladder, you, recent, waiting } = seen;
  useKeptFocus(headline);
  useTitle(titleOf(seen));
  return (
    <div class="ladder">
      <div class="room-head">
        <div>
          <h1>{ladder.title}</h1>
          <p class="soft">
            {ladderRules(ladder)}
            {ladder.matches > 0 && ` ${counted(ladder.matches, "match", "matches")} so far.`}
          </p>
          {ladder.duels && <a href={duelsAddress}>Duels count here</a>}
        </div>
        <EndRoom
          what="ladder"
          createdBy={ladder.createdBy}
          isOver={ladder.status === "ENDED"}
          end={() => handle.end().then(refresh)}
        />
      </div>
      <div class="arena-parts">
        <div class="ladder-main">
          <WaitingMatches {...{ handle, seen, nowMs }} onChanged={refresh} />
          <LadderCallCard {...{ handle, seen, headline, showFrom, refresh }} />
          <Standings seen={seen} showFrom={showFrom} />
        </div>
        <div class="sides">
          <section class="card side" aria-labelledby="recent-title">
            <h2 id="recent-title">Recent matches</h2>
            {recent.length === 0 && <p class="soft">No matches yet.</p>}
            <LadderMatches {...{ handle, ladder, nowMs }} matches={recent} me={me?.id} onChanged={refresh} />
          </section>
          <ExportLinks ladder={ladder.id} what={["standings", "matches"]} />
        </div>
      </div>
      <div class="unseen" role="status" data-said>
        <p>{seen.said}</p>
        <p>{waiting.length > 0 && you && "A match needs your confirmation."}</p>
      </div>
    </div>
  );
}

function titleOf({ ladder, you, waiting }: NonNullable<Watched["seen"]>): string {
  if (waiting.length > 0) return `(${waiting.length}) ${ladder.title} · Openseat`;
  const { tone, headline } = ladderCall(ladder, you);
  return tone === "good" ? `${headline} · ${ladder.title} · Openseat` : `${ladder.title} · Openseat`;
}
