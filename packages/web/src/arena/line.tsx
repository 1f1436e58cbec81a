import type { ArenaState, Person } from "@openseat/client";
import type { JSX } from "preact";
import { people } from "../ui/words.ts";
import { type LineRow, lineShown } from "./line-shown.ts";

export function Line({
  state,
  me,
}: {
  readonly state: ArenaState;
  readonly me: Person | undefined;
}): JSX.Element {
  const { rows, you, more } = lineShown(state, me);
  return (
    <section class="card side" aria-labelledby="line-title">
      <h2 id="line-title">The line {state.waiting > 0 && <span class="count">{state.waiting}</span>}</h2>
      {rows.length === 0 && <p class="soft">Nobody is waiting.</p>}
      {rows.length > 0 && (
        <ol class="line">
          {rows.map((row) => (
            <Row key={row.position} row={row} />
          ))}
          {more > 0 && !you && <li class="soft more">and {people(more)} more</li>}
          {you && <li class="soft more">…</li>}
          {you && <Row row={you} />}
        </ol>
      )}
    </section>
  );
}

function Row({ row: { position, name, isYou } }: { readonly row: LineRow }): JSX.Element {
  return (
    <li class={isYou ? "you" : ""} value={position} aria-current={isYou ? "true" : undefined}>
      <span class="position">{position}</span>
      <span class="line-name">{name}</span>
      {isYou && <span class="tag">you</span>}
    </li>
  );
}
