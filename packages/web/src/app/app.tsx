import type { JSX } from "preact";
import { routeOf } from "./logic/route.ts";
import { sentenceOf } from "./openseat.ts";
import { ArenaPage } from "./pages/arena-page.tsx";
import { HomePage } from "./pages/home-page.tsx";
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
      {guest.whyNoGuests !== undefined && (
        <p class="guests-off" role="status">
          {guest.whyNoGuests}
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
      return <Fetched part={gamePage} show={({ GamePage }) => <GamePage id={route.game} />} />;
    case "arena":
      return <ArenaPage id={route.arena} />;
    case "replay":
      return <Fetched part={replayPage} show={({ ReplayPage }) => <ReplayPage {...route} />} />;
    case "ladder":
    case "ladder-player":
      return <Fetched part={ladderPages} show={({ LadderPages }) => <LadderPages route={route} />} />;
    case "chat":
    case "duels":
      return <Fetched part={talkPages} show={({ TalkPages }) => <TalkPages route={route} />} />;
    case "nowhere":
      return <NoSuchRoom what="page" />;
  }
}

const gamePage = () => import("./pages/game-page.tsx");
const replayPage = () => import("./pages/replay-page.tsx");
const ladderPages = () => import("./pages/ladder-pages.tsx");
const talkPages = () => import("./pages/talk-pages.tsx");

interface FetchedProps<Part> {
  readonly part: () => Promise<Part>;
  readonly show: (part: Part) => JSX.Element;
}

/** Those who only play are not to load what they never see. */
function Fetched<Part>({ part: fetchPart, show }: FetchedProps<Part>): JSX.Element {
  const { part, problem } = usePart(fetchPart);
  if (problem !== undefined) return <Trouble text={sentenceOf(problem)} />;
  return part ? show(part) : <Loading />;
}
