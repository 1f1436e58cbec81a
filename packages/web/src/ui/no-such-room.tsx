import type { JSX } from "preact";
import { useTitle } from "./hooks/use-title.ts";
import { SeatMark } from "./icons.tsx";
import { homeAddress } from "./route.ts";

interface Props {
  readonly what: "arena" | "game" | "ladder" | "match" | "page" | "player";
}

const hints: Readonly<Record<Props["what"], string>> = {
  arena: "Check the address: it may have a typo.",
  game: "Check the address: it may have a typo.",
  ladder: "Check the address: it may have a typo.",
  player: "Check the address: it may have a typo.",
  match: "Only finished matches have a replay. This one may still be running.",
  page: "Check the address, or choose a room from the list.",
};

export function NoSuchRoom({ what }: Props): JSX.Element {
  const headline = `${what.charAt(0).toUpperCase()}${what.slice(1)} not found`;
  useTitle(`${headline} · Openseat`);
  return (
    <section class="card outcome">
      <span class="badge">
        <SeatMark />
      </span>
      <h1>{headline}</h1>
      <p>{hints[what]}</p>
      <a class="button" href={homeAddress}>
        See all rooms
      </a>
    </section>
  );
}
