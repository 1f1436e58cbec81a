import type { JSX } from "preact";
import { routeOf } from "./logic/route.ts";
import { ArenaPage } from "./pages/arena-page.tsx";
import { GamePage } from "./pages/game-page.tsx";
import { HomePage } from "./pages/home-page.tsx";
import { ReplayPage } from "./pages/replay-page.tsx";
import { Connection } from "./parts/connection.tsx";
import { Header } from "./parts/header.tsx";
import { MeContext, useGuest } from "./parts/me.ts";
import { NoSuchRoom } from "./parts/no-such-room.tsx";
import { Notices } from "./parts/notices.tsx";

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
    case "nowhere":
      return <NoSuchRoom what="page" />;
  }
}
