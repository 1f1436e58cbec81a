import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { EndRoom } from "../ui/end-room.tsx";
import { useKeptFocus } from "../ui/hooks/use-kept-focus.ts";
import { useNow, useWake } from "../ui/hooks/use-now.ts";
import { useTitle } from "../ui/hooks/use-title.ts";
import { LoadError, Loading } from "../ui/loading.tsx";
import { useMe } from "../ui/me.ts";
import { NoSuchRoom } from "../ui/no-such-room.tsx";
import { isNotFound, sentenceOf } from "../ui/openseat.ts";
import { gameTitle } from "../ui/words.ts";
import { isYourTurn, nextChangeAtMs, tableShown } from "./aftermath.ts";
import { ArenaActions } from "./arena-actions.tsx";
import { ArenaLadder } from "./arena-ladder.tsx";
import { callOf, tabTitle } from "./call.ts";
import { CallCard } from "./call-card.tsx";
import { Line } from "./line.tsx";
import { Recent } from "./recent.tsx";
import type { Scene } from "./scene.ts";
import { SoundToggle } from "./sound/sound-toggle.tsx";
import { ArenaTable } from "./table/arena-table.tsx";
import { Players } from "./table/players.tsx";
import { arenaRules } from "./terms.ts";
import { useArena } from "./use-arena.ts";
import { useFavicon } from "./use-favicon.ts";

export function ArenaPage({ id }: { readonly id: string }): JSX.Element {
  const watched = useArena(id);
  const { problem, scene } = watched;
  if (problem && isNotFound(problem)) return <NoSuchRoom what="arena" />;
  if (problem) return <LoadError text={sentenceOf(problem)} />;
  if (!scene) return <Loading />;
  return <Arena {...watched} scene={scene} />;
}

function Arena({
  arena,
  clock,
  scene,
}: ReturnType<typeof useArena> & { readonly scene: Scene }): JSX.Element {
  const { me } = useMe();
  const { view, aftermath, lost } = scene;
  const now = Date.now();
  const wakeAtMs = nextChangeAtMs(aftermath, now);
  useWake(wakeAtMs);
  const minute = useNow(30_000);
  const call = callOf(view, { me: me?.id, aftermath, lost, nowMs: now });
  const table = tableShown(view, aftermath, now);
  const headline = useRef<HTMLHeadingElement>(null);
  useTitle(tabTitle(view, call));
  useFavicon(isYourTurn(view));
  useKeptFocus(headline);
  return (
    <div class="arena">
      <div class="room-head">
        <div>
          <h1>{view.arena.title}</h1>
          <p class="soft">
            {view.game?.title ?? gameTitle(view.arena.game)}. {arenaRules(view.arena)}
          </p>
          <ArenaLadder arena={view.arena} />
        </div>
        <div class="row">
          <EndRoom
            what="arena"
            createdBy={view.arena.createdBy}
            isOver={view.state.status === "ENDED"}
            end={() => arena.end()}
          />
          <SoundToggle sound={scene.sound} />
        </div>
      </div>
      <div class="arena-parts">
        <section class="card stage" aria-label="The match">
          <Players view={view} me={me?.id} clock={clock} />
          <CallCard
            call={call}
            view={view}
            table={table}
            arena={arena}
            headline={headline}
            isResultShown={wakeAtMs !== undefined}
          />
          <ArenaTable arena={arena} scene={scene} table={table} />
          <ArenaActions arena={arena} view={view} />
        </section>
        <div class="sides">
          <Line state={view.state} me={me} />
          <Recent arena={view.arena.id} matches={scene.recent} nowMs={clock.nowMs(Math.max(minute, now))} />
        </div>
      </div>
      <div class="unseen" role="status" aria-live="polite" data-said>
        <p key={scene.said.number}>{scene.said.text}</p>
      </div>
    </div>
  );
}
