import type { JSX } from "preact";
import { useTitle } from "./hooks/use-title.ts";
import { SeatMark } from "./icons.tsx";
import { homeAddress } from "./route.ts";

interface Props {
  readonly what: "arena" | "game" | "ladder" | "match" | "page" | "player";
}

const hints: Readonly<Record<Props["what"], string>> = {
  arena: "It may never have existed, or its address has a typing mistake.",
  game: "It may never have existed, or its address has a typing mistake.",
  ladder: "It may never have existed, or its address has a typing mistake.",
  player: "Nobody by this address has ever been on this ladder, or there is no such ladder.",
  match: "Only matches that are over can be watched again. This one may still be on, or never was.",
  page: "The address leads nowhere.",
};

export function NoSuchRoom({ what }: Props): JSX.Element {
  const headline = what === "page" ? "There is nothing here" : `There is no such ${what}`;
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
