import type { JSX } from "preact";
import type { Route } from "../ui/route.ts";
import { LadderPage } from "./ladder-page.tsx";
import { LadderPlayerPage } from "./player/ladder-player-page.tsx";
import "./style/ladders.css";

type LadderRoute = Extract<Route, { readonly page: "ladder" | "ladder-player" }>;

/** The ladder pages, loaded together on first use. */
export function LadderPages({ route }: { readonly route: LadderRoute }): JSX.Element {
  return route.page === "ladder" ? (
    <LadderPage id={route.ladder} />
  ) : (
    <LadderPlayerPage ladder={route.ladder} player={route.player} />
  );
}
