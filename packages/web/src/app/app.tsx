import type { JSX } from "preact";
import { routeOf } from "./logic/route.ts";
import { sentenceOf } from "./openseat.ts";
import { ArenaPage } from "./pages/arena-page.tsx";
import { GamePage } from "./pages/game-page.tsx";
import { HomePage } from "./pages/home-page.tsx";
import type { LadderRoute } from "./pages/ladder-pages.tsx";
import { ReplayPage } from "./pages/replay-page.tsx";
import { Connection } from "./parts/connection.tsx";
import { Header } from "./parts/header.tsx";
import { Loading, Trouble } from "./parts/loading.tsx";
import { MeContext, useGuest } from "./parts/me.ts";
import { NoSuchRoom } from "./parts/no-such-room.tsx";
import { Notices } from "./parts/notices.tsx";
import { usePart } from "./parts/use-part.ts";

export function App({ path }: { readonly path: string }): JSX.Element {
  const guest = useGuest();
  return (
    <MeContext.Provider value={guest}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Header />
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
      return <GamePage id={route.game} />;
    case "arena":
      return <ArenaPage id={route.arena} />;
    case "replay":
      return <ReplayPage arena={route.arena} match={route.match} />;
    case "ladder":
    case "ladder-player":
      return <FetchedLadderPages route={route} />;
    case "nowhere":
      return <NoSuchRoom what="page" />;
  }
}

const ladderPages = () => import("./pages/ladder-pages.tsx");

/** Those who only play are not to load what they never see. */
function FetchedLadderPages({ route }: { readonly route: LadderRoute }): JSX.Element {
  const { part, problem } = usePart(ladderPages);
  if (problem !== undefined) return <Trouble text={sentenceOf(problem)} />;
  return part ? <part.LadderPages route={route} /> : <Loading />;
}
