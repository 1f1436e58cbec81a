import type { JSX } from "preact";
import { Loading } from "../ui/loading.tsx";
import { useMe } from "../ui/me.ts";
import type { Route } from "../ui/route.ts";
import { ChatPage } from "./chat-page.tsx";
import { DuelsPage } from "./duels/duels-page.tsx";
import "./talks.css";

type TalkRoute = Extract<Route, { readonly page: "chat" | "duels" }>;

/** Chat and duels: fetched together, and only by those who look at one. */
export function TalkPages({ route }: { readonly route: TalkRoute }): JSX.Element {
  const { me, isSettled } = useMe();
  if (!isSettled) return <Loading />;
  // Whoever is another person from now on has another conversation, and other duels.
  return route.page === "chat" ? <ChatPage key={me?.id} /> : <DuelsPage key={me?.id} />;
}
