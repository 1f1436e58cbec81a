import type { JSX } from "preact";
import { Loading } from "../ui/loading.tsx";
import { useMe } from "../ui/me.ts";
import type { Route } from "../ui/route.ts";
import { ChatPage } from "./chat-page.tsx";
import { DuelsPage } from "./duels/duels-page.tsx";
import "./talks.css";

type TalkRoute = Extract<Route, { readonly page: "chat" | "duels" }>;

/** The chat and duels pages, loaded together on first use. */
export function TalkPages({ route }: { readonly route: TalkRoute }): JSX.Element {
  const { me, isSettled } = useMe();
  if (!isSettled) return <Loading />;
  // The key resets the page for another person, who has another conversation and other duels.
  return route.page === "chat" ? <ChatPage key={me?.id} /> : <DuelsPage key={me?.id} />;
}
