import type { JSX } from "preact";
import { ArenaPage } from "../arena/arena-page.tsx";
import { HomePage } from "../home/home-page.tsx";
import { LoadError, Loading } from "../ui/loading.tsx";
import { MeContext, useGuest } from "../ui/me.ts";
import { NoSuchRoom } from "../ui/no-such-room.tsx";
import { Notices } from "../ui/notices.tsx";
import { sentenceOf } from "../ui/openseat.ts";
import { routeOf } from "../ui/route.ts";
import { Connection } from "./connection.tsx";
import { Header } from "./header.tsx";
import { useLazyModule } from "./use-lazy-module.ts";

export function App({ path }: { readonly path: string }): JSX.Element {
  const guest = useGuest();
  return (
    <MeContext.Provider value={guest}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Header />
      {guest.guestsOffMessage !== undefined && (
        <p class="guests-off" role="status">
          {guest.guestsOffMessage}
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Page path={path} />
      </main>
      <Connection />
      <Notices />
    </MeContext.Provider>
  );
}

function Page({ path }: { readonly path: string }): JSX.Element {
  const route = routeOf(path);
  switch (route.page) {
    case "home":
      return <HomePage />;
    case "game":
      return <LazyPage part={gamePage} show={({ GamePage }) => <GamePage id={route.game} />} />;
    case "arena":
      return <ArenaPage id={route.arena} />;
    case "replay":
      return <LazyPage part={replayPage} show={({ ReplayPage }) => <ReplayPage {...route} />} />;
    case "ladder":
    case "ladder-player":
      return <LazyPage part={ladderPages} show={({ LadderPages }) => <LadderPages route={route} />} />;
    case "chat":
    case "duels":
      return <LazyPage part={talkPages} show={({ TalkPages }) => <TalkPages route={route} />} />;
    case "nowhere":
      return <NoSuchRoom what="page" />;
  }
}

const gamePage = () => import("../game/game-page.tsx");
const replayPage = () => import("../arena/replay/replay-page.tsx");
const ladderPages = () => import("../ladder/ladder-pages.tsx");
const talkPages = () => import("../chat/talk-pages.tsx");

interface LazyPageProps<Part> {
  readonly part: () => Promise<Part>;
  readonly show: (part: Part) => JSX.Element;
}

/** Loads a page's code on first use, so that visitors download only the pages they open. */
function LazyPage<Part>({ part: fetchPart, show }: LazyPageProps<Part>): JSX.Element {
  const { part, problem } = useLazyModule(fetchPart);
  if (problem !== undefined) return <LoadError text={sentenceOf(problem)} />;
  return part ? show(part) : <Loading />;
}
